"""``wayword import`` and ``wayword export``: files of other programs, into a project and out of it."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import note, print_json, print_table, progress
from wayword.cli.options import JsonOption, check_output
from wayword.cli.projects import ProjectArgument

if TYPE_CHECKING:
    from wayword.workbench.views import ImportView

_FORMATS = "csv, jsonl, parquet, xlsx, label-studio, doccano, prodigy or journal"
_BINARY = ("parquet", "xlsx")
_BY_SUFFIX = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".json": "label-studio",
}


def _show(view: ImportView, file: Path, dry_run: bool) -> None:
    """Print what came, or would come."""
    unknown = ", ".join(view.unknown) or "none"
    rows = [
        ("new documents", view.n_documents),
        ("documents labelled", view.n_labelled),
        ("new labels", ", ".join(view.new_labels) or "none"),
        ("ids that no document has", unknown),
    ]
    print_table(f"{file.name}: what {'would come' if dry_run else 'came'}", ("", ""), rows)
    for warning in view.warnings:
        note(f"wayword: {warning}")
    if dry_run:
        note("nothing was changed")


def import_(
    project: ProjectArgument,
    file: Annotated[Path, typer.Argument(help="The file to take over.", exists=True, dir_okay=False)],
    format: Annotated[str | None, typer.Option(help=f"{_FORMATS}; by default told from the file.")] = None,
    annotator: Annotated[str, typer.Option(help="Whose labels are that come without a name.")] = "import",
    text: Annotated[str | None, typer.Option(help="Column of the text.")] = None,
    id: Annotated[str | None, typer.Option(help="Column of the ids.")] = None,
    label: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    label_separator: Annotated[str | None, typer.Option(help="What stands between two labels.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would come, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take over documents, labels and comments from a file; what came can be undone."""
    from wayword.workbench.exchange_preview import preview_file
    from wayword.workbench.project import Project

    columns: dict[str, Any] = {"text": text, "id": id, "label": label, "label_separator": label_separator}
    if dry_run:
        view = preview_file(project, file, format=format, annotator=annotator, **columns)
    else:
        with progress() as told, Project.open(project, progress=told) as found:
            view = found.import_file(file, format=format, annotator=annotator, **columns)
    if as_json:
        print_json(asdict(view))
    else:
        _show(view, file, dry_run)


def _choose_format(format: str | None, out: Path | None) -> str:
    """Return the format that was named, or that the file's ending tells."""
    from wayword.workbench.exchange import FORMATS

    if format is not None and format not in FORMATS:
        raise typer.BadParameter(f"expected {_FORMATS}, got {format!r}")
    found = format or ("jsonl" if out is None else _BY_SUFFIX.get(out.suffix.lower(), ""))
    if not found:
        raise typer.BadParameter(f"cannot tell the format from {out}; say --format {_FORMATS}")
    if out is None and found in _BINARY:
        raise typer.BadParameter(f"{found} is no text; name a file with --out")
    return found


def export(
    project: ProjectArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file; without one, text is printed.")] = None,
    format: Annotated[str | None, typer.Option(help=f"{_FORMATS}; by default that of the file's ending.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Whose labels to give; by default those settled.")] = None,
) -> None:
    """Write all documents with their labels, guesses and shares, or the journal, to a file."""
    from wayword.workbench.project import Project

    chosen = _choose_format(format, out)
    if out is not None:
        check_output(out, Path(project))
    with progress() as told, Project.open(project, progress=told) as found:
        found.refresh()
        if out is None:
            sys.stdout.buffer.write(found.export(chosen, annotator=annotator))
            sys.stdout.flush()
        else:
            found.export_to(out, chosen, annotator=annotator)
            note(f"wrote {found.view().n_documents:,} documents to {out}")
