"""``wayword report``: a model as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wayword.cli.console import note, progress
from wayword.cli.options import check_output, reads_corpus


def _title_of(title: str | None, corpus: Path | None, model: Path) -> str:
    """Return the title given, or the name of what the page is about."""
    return title or (model if corpus is None else corpus).resolve().name.split(".")[0]


@reads_corpus
def report(
    model: Annotated[Path, typer.Argument(help="A model that was saved with what counts its terms.", exists=True)],
    reading: dict[str, Any],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of the page.")] = Path("report.html"),
    corpus: Annotated[
        Path | None, typer.Option(help="Documents to describe, to quote and to measure on.", exists=True)
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the page is called.")] = None,
) -> None:
    """Write a page about a model that needs no network: its topics, how good they are, and how to cite the methods."""
    from wayword.corpus.readers import read_corpus
    from wayword.models.persistence import load
    from wayword.report.writing import write_report

    check_output(out, *(source for source in (model, corpus) if source is not None))
    found = load(model)
    with progress() as told:
        documents = None if corpus is None else read_corpus(corpus, progress=told, **reading)
        write_report(found, out, corpus=documents, title=_title_of(title, corpus, model), progress=told)
    note(f"wrote the report to {out}")
