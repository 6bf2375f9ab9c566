"""``wayword discover``: the topics of a corpus that nobody has labelled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import format_share, note, print_json, print_table, progress
from wayword.cli.options import JsonOption, PathArgument, check_output, parse_frequency, parse_ngrams, reads_corpus

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus
    from wayword.interpret.topics import TopicInfo

_EXCERPT = 70


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1].rstrip() + "…"


def topics_as_json(topics: list[TopicInfo], corpus: Corpus) -> list[dict[str, Any]]:
    """Return topics as plain values, with the ids of typical documents."""
    return [{**topic.to_dict(), "documents": [corpus[row].id for row in topic.documents]} for topic in topics]


def print_topics(topics: list[TopicInfo], corpus: Corpus, *, raw: bool) -> None:
    """Print the share and the words of each topic, and its typical documents."""
    rows: list[tuple[str, str]] = []
    for topic in topics:
        rows.append((format_share(topic.share), ", ".join(term for term, _ in topic.terms)))
        rows += [("", f"  {corpus[row].id}: {excerpt(corpus[row].text)}") for row in topic.documents]
    kind = "most likely words" if raw else "words that stand for it: likely, shared by few topics, and going together"
    print_table("topics", ("share", kind), rows, numbers=(0,))


@reads_corpus
def discover(
    path: PathArgument,
    reading: dict[str, Any],
    topics: Annotated[int, typer.Option(help="How many topics.", min=1)] = 20,
    words: Annotated[int, typer.Option(help="How many words to list of each topic.", min=1)] = 8,
    documents: Annotated[int, typer.Option(help="How many typical documents to list of each topic.", min=0)] = 0,
    raw: Annotated[bool, typer.Option("--raw", help="List the most likely words as they are.")] = False,
    out: Annotated[Path | None, typer.Option(help="Save the model to this file.")] = None,
    ngrams: Annotated[str, typer.Option(help="Words of a term: 2 for up to two, or 1,3.")] = "1",
    max_terms: Annotated[int, typer.Option(help="Keep only the most frequent terms.", min=1)] = 5000,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "5",
    max_df: Annotated[str, typer.Option(help="Most documents of a term, or a share such as 0.4.")] = "0.4",
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    seed: Annotated[int, typer.Option(help="Seed of what is drawn at random.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    """Show the topics of a corpus; no document need be labelled."""
    from sklearn.pipeline import make_pipeline

    from wayword.corpus.readers import read_corpus
    from wayword.interpret.topics import describe_topics
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.discovery import TopicDiscovery
    from wayword.models.persistence import save

    if out is not None:
        check_output(out, path)
    vectorizer = Vectorizer(
        language=language,
        ngrams=parse_ngrams(ngrams),
        min_df=parse_frequency(min_df),
        max_df=parse_frequency(max_df),
        max_terms=max_terms,
    )
    model = TopicDiscovery(topics, random_state=seed)
    with progress() as report:
        corpus = read_corpus(path, progress=report, **reading)
        X = vectorizer.fit_transform(corpus, progress=report)
        model.fit(X, progress=report)
        found = describe_topics(model, vectorizer.vocabulary_, X, n_terms=words, n_documents=documents, raw=raw)
    found.sort(key=lambda topic: -topic.share)
    if json:
        print_json(topics_as_json(found, corpus))
    else:
        print_topics(found, corpus, raw=raw)
    if out is not None:
        save(make_pipeline(vectorizer, model), out)
        note(f"saved the model to {out}")
