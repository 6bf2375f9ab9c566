"""``wayword corpus``: look at a corpus before modelling it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import format_share, note, output, print_json, print_table, progress
from wayword.cli.options import JsonOption, PathArgument, parse_frequency, parse_ngrams, reads_corpus

if TYPE_CHECKING:
    from wayword.corpus.description import CorpusInfo
    from wayword.corpus.vocabulary import Vocabulary

app = typer.Typer(help="Look at a corpus: what it holds, and which terms.", no_args_is_help=True)


def print_info(name: str, info: CorpusInfo) -> None:
    """Print what a corpus holds."""
    lengths = info.lengths
    labelled = ", ".join(f"{count:,} with {number}" for number, count in list(info.labels_per_document.items())[:20])
    quartiles = (
        f"{lengths.min:,} / {lengths.q25:,} / {lengths.median:,} / {lengths.q75:,} / {lengths.max:,}, "
        f"mean {lengths.mean:,.1f}, {lengths.total:,} in all"
    )
    languages = ", ".join(f"{code} {format_share(share)}" for code, share in list(info.languages.items())[:6])
    rows = [
        ("documents", info.documents),
        ("labels", info.labels),
        ("documents by number of labels", labelled),
        ("words: min / quartiles / max", quartiles),
        ("languages, guessed", languages or "none"),
        ("empty documents", info.empty),
        ("duplicate texts", info.duplicates),
        ("further columns", ", ".join(info.metadata) or "none"),
    ]
    if info.skipped:
        rows.append(("rows left out", info.skipped))
    print_table(name, ("", ""), rows)


def print_labels(info: CorpusInfo, top: int) -> None:
    """Print the most frequent labels."""
    if info.labels:
        counts = [(label, n, format_share(n / info.documents)) for label, n in info.label_counts.items()]
        title = f"labels: the {top} most frequent of {len(counts)}" if len(counts) > top else "labels"
        print_table(title, ("label", "documents", "share"), counts[:top], numbers=(1, 2))


@app.command()
@reads_corpus
def info(
    path: PathArgument,
    reading: dict[str, Any],
    top: Annotated[int, typer.Option(help="How many labels to list.", min=1)] = 10,
    json: JsonOption = False,
) -> None:
    """Show documents, labels, lengths, languages and duplicates."""
    from wayword.corpus.readers import read_corpus

    with progress() as report:
        found = read_corpus(path, stream=True, progress=report, **reading).info()
    if json:
        print_json(found.to_dict())
    else:
        print_info(str(path), found)
        print_labels(found, top)


def vocabulary_rows(vocabulary: Vocabulary, top: int) -> list[dict[str, Any]]:
    """Return the most frequent terms with their frequencies."""
    counts = zip(
        vocabulary.terms,
        vocabulary.term_frequencies.tolist(),
        vocabulary.document_frequencies.tolist(),
        strict=True,
    )
    return [
        {"term": term, "count": count, "documents": documents, "share": documents / vocabulary.n_documents}
        for term, count, documents in sorted(counts, key=lambda row: (-row[1], row[0]))[:top]
    ]


@app.command()
@reads_corpus
def vocabulary(
    path: PathArgument,
    reading: dict[str, Any],
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    lemmatize: Annotated[bool, typer.Option(help="Reduce words to lemmas.")] = True,
    stop_words: Annotated[
        str, typer.Option(help="'auto' for the language's list, a language code, or 'none'.")
    ] = "auto",
    ngrams: Annotated[str, typer.Option(help="Words of a term: 2 for up to two, or 1,3.")] = "1",
    min_length: Annotated[int, typer.Option(help="Fewest characters of a word.")] = 3,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "1",
    max_df: Annotated[str, typer.Option(help="Most documents of a term, or a share such as 0.5.")] = "1.0",
    max_terms: Annotated[int | None, typer.Option(help="Keep only the most frequent terms.", min=1)] = None,
    contractions: Annotated[bool, typer.Option("--contractions", help="Write it's as it is.")] = False,
    emoticons: Annotated[bool, typer.Option("--emoticons", help="Write :) as smile.")] = False,
    top: Annotated[int, typer.Option(help="How many terms to list.", min=1)] = 30,
    save: Annotated[Path | None, typer.Option(help="Write the whole vocabulary to this file.")] = None,
    json: JsonOption = False,
) -> None:
    """Show the terms of a corpus and how often they occur."""
    from wayword.corpus.readers import read_corpus
    from wayword.matrix.vectorizer import Vectorizer

    vectorizer = Vectorizer(
        language=language,
        lemmatize=lemmatize,
        stop_words=stop_words,
        ngrams=parse_ngrams(ngrams),
        min_length=min_length,
        min_df=parse_frequency(min_df),
        max_df=parse_frequency(max_df),
        max_terms=max_terms,
        contractions=contractions,
        emoticons=emoticons,
    )
    with progress() as report:
        streamed = read_corpus(path, stream=True, progress=report, **reading)
        found = vectorizer.fit(streamed, progress=report).vocabulary_
    if save is not None:
        found.save(save)
        note(f"wrote {len(found):,} terms to {save}")
    rows = vocabulary_rows(found, top)
    if json:
        print_json({"terms": len(found), "documents": found.n_documents, "top": rows})
        return
    output().print(f"{len(found):,} terms in {found.n_documents:,} documents")
    shown = [(row["term"], row["count"], row["documents"], format_share(row["share"])) for row in rows]
    print_table(f"the {len(shown)} most frequent", ("term", "count", "documents", "share"), shown, numbers=(1, 2, 3))
