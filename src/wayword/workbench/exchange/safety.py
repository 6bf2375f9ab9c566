"""What keeps a file harmless: marks on cells that a spreadsheet would run, and a look into archives before use.

A cell of a CSV file that begins with one of ``= + - @``, a tab or a line break is a formula to a spreadsheet. It gets
an apostrophe in front, and so does a cell that begins with apostrophes and one of these, so that taking one
apostrophe away gives the text back exactly. Every other cell stays as it is.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn
from xml.parsers import expat

from wayword.errors import CorpusError, LimitError, MissingExtraError

# The wide forms are the same signs to spreadsheets of East Asian settings.
_DANGEROUS = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_TO_MARK = re.compile(f"'*[{_DANGEROUS}]")
_MARKED = re.compile(f"'+[{_DANGEROUS}]")
_CHUNK = 2**18
_XML_STARTS = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")

# What the archive reader raises for bytes that are not what they should be.
_DAMAGE = (zipfile.BadZipFile, RuntimeError, EOFError, OSError, zlib.error, struct.error, UnicodeError)
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

MOST_ENTRIES = 2_000
MOST_RATIO = 200
# Below this size the ratio is not looked at: a small sheet of one repeated word is harmless.
RATIO_FROM = 10_000_000
MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384


def sound(text: str) -> str:
    """Return a text that can be written: half of a character becomes the replacement character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_dangerous(text: str) -> bool:
    """Whether a spreadsheet would take a text for a formula."""
    return _TO_MARK.match(text) is not None


def mark(text: str) -> str:
    """Return a text as a cell that no spreadsheet runs."""
    return f"'{text}" if is_dangerous(text) else text


def unmark(text: str) -> str:
    """Return the text that `mark` has marked; any other text as it is."""
    return text[1:] if text.startswith("'") and _MARKED.match(text) else text


class _Watch:
    """Counts the rows and columns of a sheet while it is parsed, and keeps nothing of it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Look at an element that begins."""
        kind = tag.rpartition(":")[2]
        if kind == "row":
            self._rows += 1
            number = attributes.get("r", "")
            if self._rows > MOST_ROWS or (number and not 0 < _whole(number) <= MOST_ROWS):
                raise LimitError(f"{self._name} has more than {MOST_ROWS:,} rows; divide the file")
        elif kind == "c" and _column(attributes.get("r", "")) > MOST_COLUMNS:
            raise LimitError(f"{self._name} has more than {MOST_COLUMNS:,} columns; leave some out")

    def refuse(self, *_: Any) -> NoReturn:
        """Refuse a declaration of types or entities, with which a small file can grow or reach for others."""
        raise CorpusError(
            f"{self._name!r} declares types or entities, which no workbook needs; "
            "save it anew from a spreadsheet program"
        )


def _whole(number: str) -> int:
    return int(number) if number.isascii() and number.isdigit() and len(number) < 20 else 0


def _column(place: str) -> int:
    """Return the number of the column of a place such as ``AB12``; 0 for none."""
    number = 0
    for letter in place[:8].upper():
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number


def _parts(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield an entry piece by piece, never more than it says it has."""
    read = 0
    with archive.open(entry) as file:
        while piece := file.read(_CHUNK):
            read += len(piece)
            if read > entry.file_size:
                raise LimitError(f"{entry.filename!r} unpacks to more than it says; the file is damaged or hostile")
            yield piece


def _watched(name: str) -> Any:
    """Return a parser that only watches."""
    watch, parser = _Watch(name), expat.ParserCreate()
    parser.StartElementHandler = watch.start
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = watch.refuse
    return parser


def _check_xml(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Parse an entry that looks like XML, whatever its name."""
    parser = None
    try:
        for piece in _parts(archive, entry):
            if parser is None:
                if not piece.lstrip().startswith(_XML_STARTS):
                    return
                parser = _watched(entry.filename)
            parser.Parse(piece, False)
        if parser is not None:
            parser.Parse(b"", True)
    except (expat.ExpatError, LookupError) as error:
        raise CorpusError(f"{entry.filename!r} is not well-formed ({error}); save the file anew") from None


def _check_names(entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    for name in names:
        odd = name.startswith(("/", "\\")) or "\\" in name or ":" in name or ".." in name.split("/") or "\0" in name
        if odd:
            raise CorpusError(f"the entry {name!r} points out of the archive; save the file anew")
    if len(set(names)) < len(names):
        raise CorpusError("two entries of the archive have one name; save the file anew")


def _check_sizes(entries: list[zipfile.ZipInfo], most_bytes: int) -> None:
    if len(entries) > MOST_ENTRIES:
        raise LimitError(f"the archive has {len(entries):,} entries, at most {MOST_ENTRIES:,} are read")
    total = sum(entry.file_size for entry in entries)
    if total > most_bytes:
        raise LimitError(f"unpacks to {total:,} bytes, at most {most_bytes:,} are read; divide the file")
    for entry in entries:
        if entry.file_size > max(RATIO_FROM, MOST_RATIO * entry.compress_size):
            raise LimitError(f"{entry.filename!r} unpacks to more than {MOST_RATIO} times its size; it is not read")
    if any(entry.compress_type not in _PACKED for entry in entries):
        raise CorpusError("packed in a way that no spreadsheet program writes; save it anew")
    if any(entry.flag_bits & 1 for entry in entries):
        raise CorpusError("the file is protected by a password; save it without one")


def _refuse(head: bytes) -> NoReturn:
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise CorpusError("an old .xls file or one with a password; save it as .xlsx without a password")
    raise CorpusError("not an Excel workbook (.xlsx); save it as one, or as CSV")


def check_workbook(path: Path, most_bytes: int) -> list[str]:
    """Look through an Excel file before it is read; return the names of its entries.

    Raises
    ------
    CorpusError
        If it is no workbook, grows beyond `most_bytes` or the ratio, has odd names, or declares entities.
    """
    try:
        import defusedxml  # noqa: F401 - what reads the workbook after this uses it where it is there
    except ImportError:
        raise MissingExtraError("defusedxml", "excel", "reading Excel files") from None
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_sizes(entries, most_bytes)
            _check_names(entries)
            for entry in entries:
                _check_xml(archive, entry)
    except _DAMAGE as error:
        with path.open("rb") as file:
            head = _head(file)
        if not head.startswith(b"PK"):
            _refuse(head)
        raise CorpusError(f"a damaged Excel file ({error}); save it anew") from None
    names = [entry.filename for entry in entries]
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise CorpusError("an archive, but not an Excel workbook (.xlsx); save it as one, or as CSV")
    return names


def _head(file: IO[bytes]) -> bytes:
    return file.read(8)
