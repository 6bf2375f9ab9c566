"""Options that several commands share, and the reading they describe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_SOURCE = "Reading"

PathArgument = Annotated[
    Path,
    typer.Argument(
        help="A JSON Lines, CSV, TSV or Parquet file, a folder of text files, or a docword file.", exists=True
    ),
]
TextOption = Annotated[
    list[str], typer.Option("--text", help="Column of the text; repeat to join several.", rich_help_panel=_SOURCE)
]
IdOption = Annotated[str, typer.Option("--id", help="Column of the ids.", rich_help_panel=_SOURCE)]
LabelsOption = Annotated[
    list[str],
    typer.Option(
        "--labels",
        help="Column of the labels; repeat for several; 'folder' for sub-folders.",
        rich_help_panel=_SOURCE,
    ),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--label-separator", help="What stands between two labels.", rich_help_panel=_SOURCE),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", help="jsonl, csv, tsv, parquet, folder or uci.", rich_help_panel=_SOURCE),
]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of the file.", rich_help_panel=_SOURCE)
]
DelimiterOption = Annotated[
    str | None, typer.Option("--delimiter", help="What stands between two fields.", rich_help_panel=_SOURCE)
]
FilesOption = Annotated[str, typer.Option("--files", help="Which files of a folder to read.", rich_help_panel=_SOURCE)]
ErrorsOption = Annotated[
    str,
    typer.Option("--errors", help="'raise' stops at a bad row, 'skip' leaves it out.", rich_help_panel=_SOURCE),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def reading(
    *,
    text: list[str],
    id: str,
    labels: list[str],
    label_separator: str | None,
    format: str | None,
    encoding: str | None,
    delimiter: str | None,
    files: str,
    errors: str,
) -> dict[str, Any]:
    """Return the options of `read_corpus` that the command line gave."""
    return {
        "text": text,
        "id": id,
        "labels": labels[0] if len(labels) == 1 else labels,
        "label_separator": label_separator,
        "format": format,
        "encoding": encoding,
        "delimiter": "\t" if delimiter == "\\t" else delimiter,
        "files": files,
        "errors": errors,
    }
