"""Options that several commands share, and what they say."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from wayword.corpus.files import check_replaceable

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


def _reading_options(
    *,
    text: TextOption = ["text"],  # noqa: B006 - typer copies defaults
    id: IdOption = "id",
    labels: LabelsOption = ["labels"],  # noqa: B006
    label_separator: SeparatorOption = None,
    format: FormatOption = None,
    encoding: EncodingOption = None,
    delimiter: DelimiterOption = None,
    files: FilesOption = "**/*.txt",
    errors: ErrorsOption = "raise",
) -> dict[str, Any]:
    """Return what the command line says to `read_corpus`."""
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


def reads_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading; it finds what they say in its argument `reading`."""
    of_reading = inspect.signature(_reading_options, eval_str=True).parameters
    of_command = inspect.signature(command, eval_str=True).parameters

    @wraps(command)
    def run(**given: Any) -> None:
        told = {name: given.pop(name) for name in of_reading}
        command(reading=_reading_options(**told), **given)

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in (*of_command.values(), *of_reading.values())
        if parameter.name != "reading"
    ]
    # typer learns from these which options there are.
    run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def parse_ngrams(value: str) -> tuple[int, int]:
    """Return the pair that ``"2"``, for (1, 2), or ``"1,3"`` means."""
    parts = value.split(",")
    if not all(part.strip().isdigit() for part in parts) or len(parts) > 2:
        raise typer.BadParameter(f"expected a number such as 2 or a pair such as 1,3, got {value!r}")
    numbers = [int(part) for part in parts]
    return (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def parse_subtopics(value: str) -> int | None:
    """Return how many subtopics, or None for ``"auto"``."""
    if value == "auto":
        return None
    if not value.strip().isdigit() or int(value) < 1:
        raise typer.BadParameter(f"--subtopics must be a whole number from 1 on, or auto, got {value!r}")
    return int(value)


def parse_frequency(value: str) -> int | float:
    """Return a number of documents, or a share if it is written with a point."""
    try:
        return float(value) if "." in value else int(value)
    except ValueError:
        raise typer.BadParameter(f"expected a whole number or a share such as 0.5, got {value!r}") from None


def check_output(path: Path, *sources: Path) -> Path:
    """Return where a result is to go, before any work is done for it: never to what is being read, nor to a project."""
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"{path}: there is no folder {path.parent}; make it first")
    if any(path.resolve() == source.resolve() for source in sources):
        raise typer.BadParameter(f"{path} is what is being read; name another file")
    check_replaceable(path)
    return path
