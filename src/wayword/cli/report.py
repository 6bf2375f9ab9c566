"""``wayword report``: a model as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wayword.cli.console import note, progress
from wayword.cli.options import check_output, reads_corpus
from wayword.errors import InputError


def _title_of(title: str | None, corpus: Path | None, model: Path) -> str:
    """Return the title given, or the name of what the page is about."""
    return title or (model if corpus is None else corpus).resolve().name.split(".")[0]


def _report_project(url: str, out: Path, corpus: Path | None, title: str | None) -> None:
    """Write the page of a project, which has its documents and its name."""
    from wayword.workbench.project import Project

    if corpus is not None or title is not None:
        raise InputError("a project has its documents and its name; leave out --corpus and --title")
    with progress() as told, Project.open(url, progress=told) as project:
        project.report(out, progress=told)
    note(f"wrote the report to {out}")


@reads_corpus
def report(
    model: Annotated[
        str, typer.Argument(help="A model that was saved with what counts its terms, or a project.", metavar="MODEL")
    ],
    reading: dict[str, Any],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the page.")] = Path("report.html"),
    corpus: Annotated[
        Path | None, typer.Option(help="Documents to describe, to quote and to measure on.", exists=True)
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the page is called.")] = None,
) -> None:
    """Write a page about a model or project that needs no network: topics, how good they are, how to cite the methods."""
    from wayword.corpus.readers import read_corpus
    from wayword.models.persistence import load
    from wayword.report.writing import write_report
    from wayword.workbench.creating import is_project

    check_output(out, *(source for source in (Path(model), corpus) if source is not None))
    if is_project(model):
        _report_project(model, out, corpus, title)
        return
    if not Path(model).exists():
        raise InputError(f"{model} does not exist; give a saved model, or a project")
    found = load(Path(model))
    with progress() as told:
        documents = None if corpus is None else read_corpus(corpus, progress=told, **reading)
        write_report(found, out, corpus=documents, title=_title_of(title, corpus, Path(model)), progress=told)
    note(f"wrote the report to {out}")
