"""``wayword anchors``: the topics of a corpus from anchor words, found or given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import note, print_json, print_table, progress
from wayword.cli.options import JsonOption, PathArgument, check_output, parse_frequency, parse_ngrams, reads_corpus

if TYPE_CHECKING:
    from wayword.corpus.vocabulary import Vocabulary
    from wayword.models.anchors import AnchorTopics

_TOPICS = 20


def parse_anchor(value: str) -> str | tuple[str, ...]:
    """Return the word, or the words between commas, that stand for a topic."""
    words = tuple(word.strip() for word in value.split(",") if word.strip())
    if not words:
        raise typer.BadParameter(f"expected a word, or words between commas, got {value!r}")
    return words[0] if len(words) == 1 else words


def count_topics(asked: int | None, n_given: int) -> int:
    """Return how many topics to find: as many as asked for, which must do for all anchors that are given."""
    if asked is None:
        return max(_TOPICS, n_given)
    if asked < n_given:
        raise typer.BadParameter(f"--topics {asked} is fewer than the {n_given} anchors given; raise or leave it out")
    return asked


def read_word_lists(path: Path | None) -> dict[str, list[str]] | None:
    """Return the word lists of a JSON file, by category."""
    import json

    if path is None:
        return None
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise typer.BadParameter(f"{path}: expected a JSON object of word lists: {error}") from None
    if not isinstance(lists, dict):
        raise typer.BadParameter(
            f"{path}: expected a JSON object such as {{'food': ['bread', 'egg']}}, got {type(lists).__name__}"
        )
    return lists


def list_topics(model: AnchorTopics, vocabulary: Vocabulary, n_words: int) -> list[dict[str, Any]]:
    """Return the anchors, share and top words of each topic, and its word list if there are any; the largest first."""
    from wayword.interpret.terms import top_terms

    words, found = top_terms(model.display_components_, vocabulary, n_words), []
    for place in (-model.topic_shares_).argsort(kind="stable"):
        anchor = (model.anchor_words_ or [])[place]
        found.append(
            {
                "anchors": [anchor] if isinstance(anchor, str) else list(anchor),
                "share": float(model.topic_shares_[place]),
                "words": [word for word, _ in words[place]],
                **({} if model.categories_ is None else {"word_list": model.categories_[place]}),
            }
        )
    return found


def print_topics(topics: list[dict[str, Any]]) -> None:
    """Print each topic's anchors, share and words, and its word list if there are any."""
    rows = [[" + ".join(t["anchors"]), f"{100.0 * t['share']:.1f} %", ", ".join(t["words"])] for t in topics]
    head = ["anchor", "share", "words"]
    if any("word_list" in topic for topic in topics):
        head.append("word list")
        rows = [[*row, topic["word_list"] or ""] for row, topic in zip(rows, topics, strict=True)]
    print_table("topics", head, rows)


@reads_corpus
def anchors(
    path: PathArgument,
    reading: dict[str, Any],
    topics: Annotated[
        int | None, typer.Option(help="How many topics; 20, or as many as anchors if these are more.", min=1)
    ] = None,
    anchor: Annotated[
        list[str], typer.Option(help="A word that stands for a topic, or several with commas; repeat for more topics.")
    ] = [],  # noqa: B006 - typer copies defaults
    word_lists: Annotated[
        Path | None, typer.Option(help="A JSON file of word lists by category, to draw words in.", exists=True)
    ] = None,
    words: Annotated[int, typer.Option(help="How many words to list of each topic.", min=1)] = 8,
    out: Annotated[Path | None, typer.Option(help="Save the model to this file.")] = None,
    ngrams: Annotated[str, typer.Option(help="Words of a term: 2 for up to two, or 1,3.")] = "1",
    max_terms: Annotated[int, typer.Option(help="Keep only the most frequent terms.", min=1)] = 5000,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "2",
    rectify: Annotated[bool, typer.Option(help="Remove sampling noise first; better topics, a few seconds.")] = True,
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    seed: Annotated[int, typer.Option(help="Seed of what is drawn at random.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    """Show the topics of a corpus, each by the words that anchor it; no document need be labelled."""
    from sklearn.pipeline import make_pipeline

    from wayword.corpus.readers import read_corpus
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.anchors import AnchorTopics
    from wayword.models.persistence import save

    if out is not None:
        check_output(out, path)
    given = [parse_anchor(value) for value in anchor]
    n_topics = count_topics(topics, len(given))
    lists = read_word_lists(word_lists)
    vectorizer = Vectorizer(
        language=language, ngrams=parse_ngrams(ngrams), min_df=parse_frequency(min_df), max_terms=max_terms
    )
    with progress() as report:
        corpus = read_corpus(path, progress=report, **reading)
        X = vectorizer.fit_transform(corpus, progress=report)
        model = AnchorTopics(
            n_topics,
            anchors=given or None,
            prior=lists,
            rectify=rectify,
            terms=list(vectorizer.vocabulary_),
            random_state=seed,
        ).fit(X, progress=report)
    found = list_topics(model, vectorizer.vocabulary_, words)
    if json:
        print_json(found)
    else:
        print_topics(found)
    if out is not None:
        save(make_pipeline(vectorizer, model), out)
        note(f"saved the model to {out}")
