"""``wayword simulate``: how accuracy grows with labels, if a person were asked by one strategy or another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import format_share, note, print_json, print_table, progress
from wayword.cli.options import JsonOption, PathArgument, check_output, parse_frequency, reads_corpus
from wayword.errors import InputError

if TYPE_CHECKING:
    from wayword.active.simulation import Simulation
    from wayword.progress import Progress

_HELD_BACK = 0.3


def read_labelled(path: Path, reading: dict[str, Any], report: Progress) -> tuple[list[str], list[str]]:
    """Return the texts of labelled documents and the label of each, the first where there are several."""
    from wayword.corpus.readers import read_corpus

    corpus = read_corpus(path, progress=report, **reading)
    labelled = [document for document in corpus if document.labels]
    if len({document.labels[0] for document in labelled}) < 2:
        raise InputError(
            f"{path}: there is nothing to learn without two labels or more; name their column with --labels"
        )
    if len(labelled) < len(corpus):
        note(f"{len(corpus) - len(labelled):,} documents without a label are left out")
    return [document.text for document in labelled], [document.labels[0] for document in labelled]


def as_json(runs: dict[str, list[Simulation]]) -> dict[str, Any]:
    """Return all runs as plain values."""
    measures = ("accuracy", "macro_f1", "log_rank_accuracy", "npmi", "seconds")
    return {
        strategy: {
            "n_labels": found[0].n_labels.tolist(),
            **{name: [getattr(run, name).tolist() for run in found] for name in measures},
        }
        for strategy, found in runs.items()
    }


def print_runs(runs: dict[str, list[Simulation]]) -> None:
    """Print the mean accuracy of each strategy by the number of labels."""
    import numpy as np

    first = next(iter(runs.values()))[0]
    shown = sorted({round(place) for place in np.linspace(0, len(first.n_labels) - 1, 6)})
    rows = [
        (
            strategy,
            *(format_share(float(np.mean([run.accuracy[place] for run in found]))) for place in shown),
            f"{1000 * float(np.median([run.seconds for run in found])):.0f} ms",
        )
        for strategy, found in runs.items()
    ]
    columns = ("strategy", *(f"{first.n_labels[place]} labels" for place in shown), "a question")
    print_table("accuracy on documents held back", columns, rows, numbers=range(1, len(columns)))


def draw_runs(runs: dict[str, list[Simulation]], path: Path) -> None:
    """Write the curves of accuracy to a page."""
    import numpy as np

    from wayword import plots

    first = next(iter(runs.values()))[0]
    scores = {strategy: np.array([run.accuracy for run in found]) for strategy, found in runs.items()}
    figure = plots.learning_curves(first.n_labels, scores, y_title="accuracy", title="How accuracy grows with labels")
    figure.write_html(path, include_plotlyjs=True)


@reads_corpus
def simulate(
    path: PathArgument,
    reading: dict[str, Any],
    strategy: Annotated[
        list[str], typer.Option(help="Who asks: 'auto', or a strategy of the literature; repeat to compare.")
    ] = ["auto", "random", "margin"],  # noqa: B006 - typer copies defaults
    n_labels: Annotated[int, typer.Option("--n-labels", help="How many labels in all.", min=2)] = 200,
    seeds: Annotated[int, typer.Option(help="How many runs, each from other first documents.", min=1)] = 3,
    every: Annotated[int, typer.Option(help="Measure after so many labels.", min=1)] = 10,
    topics: Annotated[int, typer.Option(help="Topics that a strategy of the literature sees.", min=1)] = 20,
    features: Annotated[str, typer.Option(help="What it sees: 'topics' or 'tfidf'.")] = "topics",
    figure: Annotated[Path | None, typer.Option(help="Draw the curves in this .html file.")] = None,
    max_terms: Annotated[int, typer.Option(help="Keep only the most frequent terms.", min=1)] = 10_000,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "3",
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    json: JsonOption = False,
) -> None:
    """Show how accuracy grows with labels on a labelled corpus, a third of it held back to measure with."""
    from wayword.active import build_space
    from wayword.active import simulate as run
    from wayword.evaluation.splits import split_documents
    from wayword.matrix.vectorizer import Vectorizer

    if figure is not None:
        check_output(figure, path)
    vectorizer = Vectorizer(language=language, min_df=parse_frequency(min_df), max_terms=max_terms)
    with progress() as report:
        texts, names = read_labelled(path, reading, report)
        X = vectorizer.fit_transform(texts, progress=report)
        pool, others = split_documents(names, 1.0 - _HELD_BACK)
        settings: dict[str, Any] = {
            "X_test": X[others],
            "y_test": [names[row] for row in others],
            "n_labels": n_labels,
            "every": every,
            "features": features,
            "n_topics": topics,
            "space": build_space(X[pool], progress=report) if "auto" in strategy else None,
            "progress": report,
        }
        given = [names[row] for row in pool]
        runs = {
            name: [run(X[pool], given, strategy=name, random_state=seed, **settings) for seed in range(seeds)]
            for name in strategy
        }
    if figure is not None:
        draw_runs(runs, figure)
        note(f"drew {figure}")
    if json:
        print_json(as_json(runs))
    else:
        print_runs(runs)
