"""Open a file of text, whatever its compression and encoding, within limits; put a file in the place of another.

Bytes come from the file or from inside its gzip wrapper; a wrapper that unpacks to absurdly much is refused while
it unpacks. Text comes from those bytes by the byte-order mark, else by the declared encoding, else as UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from wayword.errors import CorpusError, EncodingError, InputError, LimitError

GZIP_MAGIC = b"\x1f\x8b"
_DATABASE_MAGIC = b"SQLite format 3\0"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Below this much text the ratio is not looked at: small files of one repeated word are harmless.
_RATIO_FROM = 64 * 2**20
_BUFFER = 2**18


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may grow to before it is refused.

    Attributes
    ----------
    max_field : int
        Most characters of one field, or of one line of a line-based format.
    max_ratio : float or None
        Most unpacked bytes for each byte of a compressed file; ``None`` for no limit.
    """

    max_field: int = 2**25
    max_ratio: float | None = 100.0


DEFAULT_LIMITS = Limits()


class _Unpacked(io.RawIOBase):
    """The inside of a gzip file, counted while it is read."""

    def __init__(self, packed: io.BufferedReader, path: Path, max_ratio: float | None) -> None:
        self._inside = gzip.GzipFile(fileobj=packed, mode="rb")
        self._path = path
        self._most = None if max_ratio is None else max(_RATIO_FROM, max_ratio * path.stat().st_size)
        self._max_ratio = max_ratio
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        try:
            data = self._inside.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise CorpusError(
                f"damaged or cut off gzip file ({error}); fetch it again", source=str(self._path)
            ) from None
        self.count += len(data)
        if self._most is not None and self.count > self._most:
            raise LimitError(
                f"unpacks to more than {self._max_ratio:g} times its size; "
                "if the file is trusted, read it with max_ratio=None",
                source=str(self._path),
            )
        buffer[: len(data)] = data
        return len(data)


class ByteFile:
    """A file being read: its bytes, unpacked, and how far along it is."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._packed: io.BufferedReader = io.BufferedReader(io.FileIO(path), _BUFFER)
        self.size = path.stat().st_size
        self.plain = self._packed.peek(2)[:2] != GZIP_MAGIC
        self.bytes: io.BufferedReader = self._packed
        self._inside = None if self.plain else _Unpacked(self._packed, path, limits.max_ratio)
        if self._inside is not None:
            self.bytes = io.BufferedReader(self._inside, _BUFFER)

    def position(self) -> int:
        """Return how many bytes of the file on disk were read."""
        return self._packed.tell()

    def unpacked_position(self) -> int:
        """Return how many bytes of the text were read."""
        return self._packed.tell() if self._inside is None else self._inside.count

    def close(self) -> None:
        """Close the file."""
        self.bytes.close()
        self._packed.close()


@contextmanager
def open_bytes(path: Path, limits: Limits) -> Iterator[ByteFile]:
    """Open `path` for reading bytes; a missing or unreadable file is a `CorpusError`."""
    try:
        file = ByteFile(path, limits)
    except OSError as error:
        raise CorpusError(f"cannot be opened: {error.strerror or error}", source=str(path)) from None
    try:
        yield file
    finally:
        file.close()


def find_encoding(bytes_: io.BufferedReader, declared: str | None, path: Path) -> str:
    """Return the encoding that a byte-order mark, else the caller, else the default says."""
    head = bytes_.peek(4)[:4]
    marked = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
    if marked:
        return marked
    try:
        b"x".decode(declared or "utf-8", "replace")  # some codecs are not of text
        return codecs.lookup(declared or "utf-8").name
    except (LookupError, ValueError):
        raise EncodingError(
            f"unknown encoding {declared!r}; use a Python name such as 'latin-1'", source=str(path)
        ) from None


@contextmanager
def open_text(file: ByteFile, path: Path, declared: str | None) -> Iterator[io.TextIOWrapper]:
    """Read the bytes of `file` as text with line ends as they are.

    Bytes that are no text become lone surrogates, so that one bad row can be told from the rest.
    """
    encoding = find_encoding(file.bytes, declared, path)
    text = io.TextIOWrapper(file.bytes, encoding=encoding, errors="surrogateescape", newline="")
    try:
        yield text
    except UnicodeError as error:
        place = f"before byte {file.unpacked_position():,}"
        raise wrong_encoding(str(path), place, encoding, getattr(error, "reason", str(error))) from None
    finally:
        text.detach()


def wrong_encoding(source: str, place: str, encoding: str, detail: str) -> EncodingError:
    """Return the error for bytes that are not text in `encoding`."""
    return EncodingError(
        f"not {encoding} text ({detail}); name the file's encoding, for example encoding='latin-1'",
        source=source,
        place=place,
    )


_STRAY = re.compile("[\udc80-\udcff]")


def check_decoded(text: str, source: str, place: str = "", encoding: str = "utf-8") -> EncodingError | None:
    """Return the error for the first byte that could not be decoded in `text`, if there is one."""
    stray = None if text.isascii() else _STRAY.search(text)
    if stray is None:
        return None
    return wrong_encoding(source, place, encoding, f"byte 0x{ord(stray.group()) - 0xDC00:02x}")


def _skip_line(text: IO[str]) -> None:
    """Read on to the end of a line without keeping it."""
    while (part := text.readline(_BUFFER)) and not part.endswith(("\n", "\r")):
        pass


def read_lines(text: IO[str], limits: Limits, source: str) -> Iterator[tuple[int, str | LimitError]]:
    """Yield each line with its number from 1; in place of one beyond the limit, the error that says so."""
    number = 0
    while line := text.readline(limits.max_field + 1):
        number += 1
        if len(line) <= limits.max_field:
            yield number, line
            continue
        if not line.endswith(("\n", "\r")):
            _skip_line(text)
        yield (
            number,
            LimitError(
                f"a line of more than {limits.max_field:,} characters; "
                "if that is right, read it with a larger max_field",
                source=source,
                place=f"line {number}",
            ),
        )


def is_database(path: Path) -> bool:
    """Whether a file is a database, as that of a project is."""
    try:
        with path.open("rb") as opened:
            return opened.read(len(_DATABASE_MAGIC)) == _DATABASE_MAGIC
    except OSError:
        return False


def check_replaceable(path: Path) -> None:
    """Raise where a file to write would take the place of a project: people's labels are in no other file."""
    if is_database(path):
        raise InputError(f"{path} is a project or another database, which is never written over; name another file")


@contextmanager
def replace_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Give a file to write bytes to; it takes the place of `path` when all is written, and not before."""
    path = Path(path)
    check_replaceable(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
