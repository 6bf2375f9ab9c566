"""``wayword demo``: the main job on the built-in corpus."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from wayword.cli.console import note, output, print_json, print_table, progress
from wayword.cli.corpus import print_info, vocabulary_rows
from wayword.cli.options import JsonOption

_LABELS_SHOWN = 15
_TERMS_SHOWN = 6


def demo(
    serve: Annotated[bool, typer.Option(help="Open the workbench at the end, once there is one.")] = True,  # noqa: ARG001
    max_terms: Annotated[int, typer.Option(help="How many terms to count.", min=1)] = 5000,
    json: JsonOption = False,
) -> None:
    """Show Wayword at work on the built-in corpus: docstrings of numpy, scipy and scikit-learn."""
    from wayword.corpus.demo import demo_corpus
    from wayword.interpret.labels import label_terms
    from wayword.matrix.cooccurrence import cooccurrence
    from wayword.matrix.vectorizer import Vectorizer

    note("Reading the docstrings of numpy, scipy and scikit-learn ...")
    started = time.perf_counter()
    vectorizer = Vectorizer(min_df=3, max_terms=max_terms)
    with progress() as report:
        corpus = demo_corpus(progress=report)
        read = time.perf_counter()
        counts = vectorizer.fit_transform(corpus, progress=report)
        counted = time.perf_counter()
        pairs = cooccurrence(counts, progress=report)
    done = time.perf_counter()
    frequent = vocabulary_rows(vectorizer.vocabulary_, 12)
    specific = label_terms(counts, corpus.labels, vectorizer.vocabulary_, n_terms=_TERMS_SHOWN)
    seconds = {"reading": read - started, "counting": counted - read, "co-occurrence": done - counted}
    if json:
        print_json(_as_json(corpus, frequent, specific, seconds))
        return
    info = corpus.info()
    print_info("the demo corpus", info)
    print_table("most frequent terms", ("",), [[", ".join(f"{row['term']} {row['count']:,}" for row in frequent)]])
    print_table(
        f"the {_LABELS_SHOWN} largest labels and their most specific terms",
        ("label", "documents", "terms"),
        [
            (label, documents, ", ".join(term for term, _ in specific[label]))
            for label, documents in list(info.label_counts.items())[:_LABELS_SHOWN]
        ],
        numbers=(1,),
    )
    output().print(
        f"{counts.shape[0]:,} documents by {counts.shape[1]:,} terms, {counts.nnz:,} counts; "
        f"{pairs.n_terms:,} by {pairs.n_terms:,} co-occurrences.\n"
        + ", ".join(f"{what} {taken:.2f} s" for what, taken in seconds.items())
    )


def _as_json(corpus: Any, frequent: Any, specific: Any, seconds: dict[str, float]) -> dict[str, Any]:
    return {
        "corpus": corpus.info().to_dict(),
        "frequent_terms": frequent,
        "specific_terms": {label: dict(terms) for label, terms in specific.items()},
        "seconds": seconds,
    }
