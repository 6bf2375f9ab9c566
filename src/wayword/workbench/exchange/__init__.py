"""Exchange with other programs: read what they wrote, write what they read.

Every format keeps ids, texts, labels, several labels of one document, and documents without labels. What else it can
hold (yes: comes back as it was; text: comes back as text; out: is written and not read back):

============  ==========  ========  =====  ========  ==============  ===============  ==========================
format        annotators  comments  flag   metadata  guess, chance   shares           remarks
============  ==========  ========  =====  ========  ==============  ===============  ==========================
csv           yes         yes       yes    text      out             out, a column    one column per annotator
jsonl         yes         yes       yes    yes       out             out, an object
parquet       yes         yes       yes    yes (1)   out             out, a column    one column per annotator
xlsx          yes         yes       yes    yes (2)   out             out, a column    long texts in several cells
label-studio  yes         yes       yes    yes       out             out, ``meta``    guess as a prediction
doccano       yes (3)     yes       yes    yes       out             no
prodigy       yes         yes       yes    yes       out, ``meta``   no               one line per annotator
journal       the acts themselves; read and written by the project
============  ==========  ========  =====  ========  ==============  ===============  ==========================

(1) A column of mixed kinds, or of lists, is JSON text. (2) Numbers and yes or no stay, the rest is text. (3) In a key
that doccano keeps as metadata. The status of a document is written and never read: it follows from the labels. Half
of a character becomes the replacement character everywhere. What comes in and cannot be kept, such as spans of text,
rejected answers or predictions of others, is counted in the warnings.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from wayword.corpus.files import replace_file
from wayword.errors import InputError, shorten
from wayword.workbench.exchange.doccano import read_doccano, write_doccano
from wayword.workbench.exchange.excel import read_xlsx, write_xlsx
from wayword.workbench.exchange.formats import FORMATS, SUFFIXES, guess_format
from wayword.workbench.exchange.gathering import Gathering
from wayword.workbench.exchange.label_studio import read_label_studio, write_label_studio
from wayword.workbench.exchange.lines import read_jsonl, write_jsonl
from wayword.workbench.exchange.prodigy import read_prodigy, write_prodigy
from wayword.workbench.exchange.rows import ExchangeFile, ExportRow, Fields
from wayword.workbench.exchange.sources import MOST_BYTES, Source, open_source
from wayword.workbench.exchange.tables import read_csv, read_parquet_file, write_csv, write_parquet

__all__ = [
    "FORMATS",
    "MOST_BYTES",
    "SUFFIXES",
    "ExchangeFile",
    "ExportRow",
    "guess_format",
    "read_exchange",
    "write_exchange",
    "write_exchange_to",
]

_READERS: dict[str, Callable[[Source, Gathering, Fields], None]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet_file,
    "xlsx": read_xlsx,
    "label-studio": read_label_studio,
    "doccano": read_doccano,
    "prodigy": read_prodigy,
}
_WRITERS: dict[str, Callable[[IO[bytes], Iterable[ExportRow]], None]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
    "xlsx": write_xlsx,
    "label-studio": write_label_studio,
    "doccano": write_doccano,
    "prodigy": write_prodigy,
}
_ONE_PASS = ("jsonl", "label-studio", "doccano")


def _check_format(format: str) -> None:
    if format == "journal":
        raise InputError("a journal is read and written by the project itself; say the format journal there")
    if format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {shorten(format)}")


def read_exchange(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str = "",
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    label_separator: str | None = None,
    max_bytes: int = MOST_BYTES,
) -> ExchangeFile:
    """Read documents and labels from a file of another program, or from one that Wayword wrote.

    Parameters
    ----------
    source : path or bytes
        The file, or what is in it.
    format : str or None
        One of `FORMATS`; told from the name and the beginning by default.
    name : str
        What the file is called; by default its path.
    text, id, label : str or None
        Columns or keys that hold them, where they are not called ``text``, ``id`` and ``labels`` or ``label``. For
        Label Studio, `label` is the name of the question.
    label_separator : str or None
        What stands between two labels of one text, for example ``";"``.
    max_bytes : int
        How large the file may be, unpacked.

    Returns
    -------
    ExchangeFile

    Raises
    ------
    CorpusError
        If the file cannot be read; the message names the file and the place.
    """
    if format is not None:
        _check_format(format)
    with open_source(source, name, max_bytes) as opened:
        found = format or guess_format(opened.name, opened.head)
        _check_format(found)
        gathering = Gathering(opened.name)
        _READERS[found](opened, gathering, Fields(text, id, label, label_separator))
        return gathering.finish(opened.warnings)


class _Rows:
    """Rows that can be gone through again, and are all of the right kind."""

    def __init__(self, rows: Iterable[ExportRow]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[ExportRow]:
        for row in self._rows:
            if not isinstance(row, ExportRow):
                raise InputError(f"rows must be ExportRow, got {type(row).__name__} {shorten(row)}")
            yield row


def _write(file: IO[bytes], rows: Iterable[ExportRow], format: str) -> None:
    _check_format(format)
    once = iter(rows) is rows
    _WRITERS[format](file, _Rows(list(rows) if once and format not in _ONE_PASS else rows))


def write_exchange(rows: Iterable[ExportRow], format: str) -> bytes:
    """Return documents as a file of a format.

    Parameters
    ----------
    rows : iterable of ExportRow
    format : str
        One of `FORMATS`, but for the journal.

    Returns
    -------
    bytes

    Examples
    --------
    >>> from wayword.workbench.exchange import ExportRow, read_exchange, write_exchange
    >>> written = write_exchange([ExportRow("r1", "=A clean room", labels=("room",))], "csv")
    >>> came = read_exchange(written, name="rooms.csv")
    >>> came.labels, came.documents.texts
    ({'r1': ('room',)}, ('=A clean room',))
    """
    file = io.BytesIO()
    _write(file, rows, format)
    return file.getvalue()


def write_exchange_to(path: str | Path, rows: Iterable[ExportRow], format: str) -> None:
    """Write documents to a file, which takes the place of one that is there when all is written, and not before.

    Parameters
    ----------
    path : path
    rows : iterable of ExportRow
        Gone through once for jsonl, label-studio and doccano, twice for the others.
    format : str
        One of `FORMATS`, but for the journal.
    """
    _check_format(format)
    with replace_file(path) as file:
        _write(file, rows, format)
