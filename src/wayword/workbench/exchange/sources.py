"""Open a file that somebody sends: within limits, in whatever encoding, and as a sequence of JSON values.

Bytes are put into a file of their own, so that the readers of corpora can read them; errors name what the sender
calls the file.
"""

from __future__ import annotations

import codecs
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wayword.corpus.files import DEFAULT_LIMITS, check_decoded, open_bytes, open_text, read_lines
from wayword.errors import CorpusError, InputError, LimitError, shorten

MOST_BYTES = 200_000_000
_HEAD = 2**16
_CHUNK = 2**20
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_BLANK = " \t\r\n"
# Not-a-number and the infinities are no JSON; programs write them for missing values.
_decoder = json.JSONDecoder(parse_constant=lambda _: None)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be read.

    Attributes
    ----------
    path : Path
        Where it is.
    name : str
        What errors call it.
    head : bytes
        How it begins, unpacked.
    most_bytes : int
        How large it may be, unpacked.
    warnings : list of str
        What was guessed while reading.
    """

    path: Path
    name: str
    head: bytes
    most_bytes: int
    warnings: list[str] = field(default_factory=list)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise LimitError(f"a file of {size:,} bytes, at most {most:,} are read; divide it")


@contextmanager
def _kept(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="wayword-") as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        yield path


@contextmanager
def open_source(given: str | Path | bytes, name: str = "", most_bytes: int = MOST_BYTES) -> Iterator[Source]:
    """Give a file, or bytes, as a `Source`; errors inside are told with its name."""
    if not isinstance(given, bytes | bytearray | memoryview | str | Path):
        raise InputError(f"a file is read from a path or bytes, got {type(given).__name__} {shorten(given)}")
    name = name or (str(given) if isinstance(given, str | Path) else "the file")
    try:
        if isinstance(given, str | Path):
            yield _look(Path(given), name, most_bytes)
        else:
            _check_size(len(given), most_bytes)
            with _kept(bytes(given)) as path:
                yield _look(path, name, most_bytes)
    except CorpusError as error:
        if error.source == name:
            raise
        raise type(error)(error.problem, source=name, place=error.place, fatal=error.fatal) from None


def _look(path: Path, name: str, most_bytes: int) -> Source:
    with open_bytes(path, DEFAULT_LIMITS) as file:
        _check_size(file.size, most_bytes)
        head = file.bytes.read(_HEAD)
    return Source(path, name, head, most_bytes)


def _pieces(source: Source) -> Iterator[bytes]:
    """Yield the unpacked bytes, and stop where they grow too many."""
    read = 0
    with open_bytes(source.path, DEFAULT_LIMITS) as file:
        while piece := file.bytes.read(_CHUNK):
            read += len(piece)
            _check_size(read, source.most_bytes)
            yield piece


def _decodes(source: Source, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in _pieces(source):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _wide(head: bytes) -> str | None:
    """Return the encoding of text whose every other byte is nought: UTF-16 without a mark."""
    if len(head) < 4:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * len(head) / 2 and even < 0.1 * odd:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * len(head) / 2 and odd < 0.1 * even else None


def find_encoding(source: Source) -> str | None:
    """Return the encoding of a text file; None where a mark says it or it is UTF-8. A guess is a warning."""
    if source.head.startswith(_MARKS):
        for _ in _pieces(source):
            pass
        return None
    wide = _wide(source.head)
    if wide is not None and _decodes(source, wide):
        source.warnings.append(f"read as {wide.upper()}, by the look of it; save as UTF-8 if letters are wrong")
        return wide
    if _decodes(source, "utf-8"):
        return None
    # The bytes that Windows-1252 leaves undefined are defined in Latin-1.
    found = "cp1252" if _decodes(source, "cp1252") else "latin-1"
    shown = "Windows-1252 (Latin-1)" if found == "cp1252" else "Latin-1"
    source.warnings.append(f"not UTF-8: read as {shown}; save as UTF-8 if letters are wrong")
    return found


def _bad_json(error: Exception, text: str, place: str) -> CorpusError:
    detail = "nested too deep" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
    return CorpusError(f"expected JSON, got {shorten(text)} ({detail})", place=place)


def _lines(source: Source, encoding: str | None) -> Iterator[tuple[str, Any]]:
    with open_bytes(source.path, DEFAULT_LIMITS) as file, open_text(file, source.path, encoding) as text:
        for number, line in read_lines(text, DEFAULT_LIMITS, source.name):
            place = f"line {number}"
            if isinstance(line, CorpusError):
                raise line
            if not line.strip():
                continue
            if (wrong := check_decoded(line, source.name, place, text.encoding)) is not None:
                raise wrong
            try:
                yield place, _decoder.decode(line.strip())
            except (ValueError, RecursionError) as error:
                raise _bad_json(error, line.strip(), place) from None


def _whole(source: Source, encoding: str | None) -> str:
    with open_bytes(source.path, DEFAULT_LIMITS) as file, open_text(file, source.path, encoding) as stream:
        text, found = stream.read(), stream.encoding
    if (wrong := check_decoded(text, source.name, "", found)) is not None:
        raise wrong
    return text


def _skip_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in _BLANK:
        place += 1
    return place


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of a JSON list, or of values one after the other, one at a time."""
    at = _skip_blanks(text, 0)
    listed = text[at : at + 1] == "["
    at, line, counted = _skip_blanks(text, at + listed), 1, 0
    while at < len(text) and not (listed and text[at] == "]"):
        line, counted = line + text.count("\n", counted, at), at
        place = f"line {line}"
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            wrong = line + text.count("\n", counted, getattr(error, "pos", at))
            raise _bad_json(error, text[at : at + 80], f"line {wrong}") from None
        yield place, value
        at = _skip_blanks(text, at)
        if listed and text[at : at + 1] == ",":
            at = _skip_blanks(text, at + 1)
        elif listed and text[at : at + 1] != "]":
            raise CorpusError("expected , or ] after a value of the list; is the file cut off?", place=place)
    if listed and at >= len(text):
        raise CorpusError("the list is not closed by ]; is the file cut off?", place=f"line {line}")


def read_objects(source: Source, *, lines: bool = True) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON objects of a file with their places.

    Parameters
    ----------
    source : Source
    lines : bool
        Whether each stands on a line of its own, unless the file is one list.
    """
    encoding = find_encoding(source)
    starts = source.head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1]
    found = _lines(source, encoding) if lines and starts != b"[" else _values(_whole(source, encoding))
    for place, value in found:
        if not isinstance(value, dict):
            raise CorpusError(f"expected a JSON object, got {type(value).__name__} {shorten(value)}", place=place)
        yield place, value
