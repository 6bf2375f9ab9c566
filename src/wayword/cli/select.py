"""``wayword select``: how many topics a corpus has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wayword.cli.console import note, output, print_json, print_table, printable, progress
from wayword.cli.options import JsonOption, PathArgument, check_output, parse_frequency, parse_ngrams, reads_corpus

if TYPE_CHECKING:
    from wayword.evaluation.selection import Selection

_TITLES = {"heldout": "held-out", "stability": "stability", "coherence": "coherence"}


def parse_numbers(value: str) -> list[int]:
    """Return the numbers of topics between commas."""
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise typer.BadParameter(f"expected numbers of topics such as 5,10,20, got {value!r}")
    return sorted({int(part) for part in parts})


def parse_criteria(value: str) -> list[str]:
    """Return the criteria between commas."""
    names = [part.strip() for part in value.split(",")]
    for name in names:
        if name not in _TITLES:
            raise typer.BadParameter(f"expected some of {', '.join(_TITLES)} with commas between, got {name!r}")
    return names


def make_model(name: str) -> Any:
    """Return the model whose number of topics is asked for."""
    from wayword.models.anchors import AnchorTopics
    from wayword.models.nmf import NMF

    return NMF() if name == "nmf" else AnchorTopics()


def to_dict(found: Selection) -> dict[str, Any]:
    """Return the comparison as plain numbers and words."""
    criteria = {name: {"mean": m.tolist(), "spread": s.tolist()} for name, (m, s) in found.curves.items()}
    return {"ks": found.ks.tolist(), "criteria": criteria, "best": found.best, "reason": found.reason}


def print_selection(found: Selection) -> None:
    """Print what each number of topics is worth, which one to take and why."""
    columns = [
        [f"{mean:.3f} ± {spread:.3f}" for mean, spread in zip(*found.curves[name], strict=True)]
        for name in found.curves
    ]
    marks = ["recommended" if k == found.best else "" for k in found.ks]
    rows = list(zip(found.ks.tolist(), *columns, marks, strict=True))
    titles = ("topics", *(_TITLES[name] for name in found.curves), "")
    print_table("how many topics", titles, rows, numbers=range(len(titles) - 1))
    output().print(printable(found.reason), markup=False)


def write_figure(found: Selection, path: Path) -> None:
    """Write the comparison as a page that needs nothing else."""
    from wayword import plots

    means = {_TITLES[name]: mean for name, (mean, _) in found.curves.items()}
    figure = plots.k_selection(found.ks, means, recommended=found.best, better=dict.fromkeys(means, "higher"))
    figure.write_html(path, include_plotlyjs=True)
    note(f"drew the figure in {path}")


@reads_corpus
def select(
    path: PathArgument,
    reading: dict[str, Any],
    ks: Annotated[str, typer.Option(help="Numbers of topics to compare, with commas between.")] = "5,10,20,40",
    criteria: Annotated[
        str, typer.Option(help="What to measure: heldout, stability, coherence, with commas between.")
    ] = "heldout,stability,coherence",
    model: Annotated[Literal["nmf", "anchors"], typer.Option(help="Which model.")] = "nmf",
    splits: Annotated[int, typer.Option(help="How often to split all words in halves.", min=2)] = 5,
    figure: Annotated[Path | None, typer.Option(help="Draw the comparison in this .html file.")] = None,
    ngrams: Annotated[str, typer.Option(help="Words of a term: 2 for up to two, or 1,3.")] = "1",
    max_terms: Annotated[int, typer.Option(help="Keep only the most frequent terms.", min=1)] = 5000,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "2",
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    seed: Annotated[int, typer.Option(help="Seed of what is drawn at random.", min=0)] = 0,
    json: JsonOption = False,
) -> None:
    """Compare numbers of topics and recommend one, with the reason."""
    from wayword.corpus.readers import read_corpus
    from wayword.evaluation.selection import select_k
    from wayword.matrix.vectorizer import Vectorizer

    if figure is not None:
        check_output(figure, path)
    asked: dict[str, Any] = {"criteria": parse_criteria(criteria), "n_splits": splits, "random_state": seed}
    numbers = parse_numbers(ks)
    vectorizer = Vectorizer(
        language=language, ngrams=parse_ngrams(ngrams), min_df=parse_frequency(min_df), max_terms=max_terms
    )
    with progress() as report:
        X = vectorizer.fit_transform(read_corpus(path, progress=report, **reading), progress=report)
        found = select_k(X, numbers, model=make_model(model), progress=report, **asked)
    if json:
        print_json(to_dict(found))
    else:
        print_selection(found)
    if figure is not None:
        write_figure(found, figure)
