"""Rows of tables: delimited text, Parquet files and data frames.

Each reader yields ``(place, record)``; a row that cannot be read is yielded as the error that says so, and the
caller decides whether to raise it or to go on.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wayword.corpus.files import ByteFile, Limits, check_decoded, find_encoding, open_text
from wayword.corpus.records import Columns, Record
from wayword.errors import CorpusError, LimitError, MissingExtraError
from wayword.progress import Progress, ignore

Row = tuple[str, Record | CorpusError]
_SAMPLE = 2**16
_ROWS_AT_ONCE = 1024
_ROWS_SNIFFED = 60


class Dialect(NamedTuple):
    """How a delimited file is written."""

    delimiter: str
    quotechar: str | None = '"'
    escapechar: str | None = None

    def reader(self, lines: Any) -> Any:
        """Return a csv reader of this dialect over `lines`."""
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quotechar,
            quoting=csv.QUOTE_MINIMAL if self.quotechar else csv.QUOTE_NONE,
            escapechar=self.escapechar,
            doublequote=self.escapechar is None,
            strict=True,
        )


def _score(dialect: Dialect, sample: str, wanted: Sequence[str]) -> tuple[int, int, int]:
    """Return how well a dialect fits: wanted columns found, rows as wide as the header less others, width."""
    rows: list[list[str]] = []
    # The sample may end inside a row, or hold a broken one: then the rows before it count.
    with suppress(csv.Error):
        rows.extend(islice(filter(None, dialect.reader(io.StringIO(sample, newline=""))), _ROWS_SNIFFED))
    if not rows:
        return (0, 0, 0)
    even = sum(len(row) == len(rows[0]) for row in rows)
    return (sum(name in rows[0] for name in wanted), 2 * even - len(rows), len(rows[0]))


def _find_quotes(sample: str, delimiter: str) -> str:
    """Return the quotes a sample may be written with, the likelier one first.

    A single one opens words as an apostrophe, too: it is tried where it opens and closes more fields than double ones
    open, and comes first where most lines have such a field.
    """
    start, end = rf"(?:^|{re.escape(delimiter)})", rf"(?={re.escape(delimiter)}|[\r\n]|\Z)"
    enclosed = len(re.findall(rf"{start}'(?:[^'\\]|''|\\.)*'{end}", sample, re.MULTILINE))
    if enclosed <= len(re.findall(rf'{start}"', sample, re.MULTILINE)):
        return '"'
    return "'\"" if 2 * enclosed > sample.count("\n") else "\"'"


def sniff_dialect(sample: str, wanted: Sequence[str], delimiter: str | None = None) -> Dialect:
    """Return the dialect under which a sample looks most like a table with the `wanted` columns.

    The standard library's sniffer guesses from character counts and is led astray by long texts; here the
    candidates are tried, and what decides is whether the columns asked for appear and the rows are even.
    """
    candidates = []
    for mark in delimiter or ",\t;|":
        for quote in _find_quotes(sample, mark):
            candidates.append(Dialect(mark, quote))
            if "\\" + quote in sample:
                candidates.append(Dialect(mark, quote, "\\"))
        if mark == "\t":
            # Many programs write tabs between fields and quote nothing.
            candidates.append(Dialect(mark, None))
    return max(candidates, key=lambda dialect: _score(dialect, sample, wanted))


@contextmanager
def _field_limit(limit: int) -> Iterator[None]:
    """Let csv fields grow to `limit`; the module's setting is global, so it is put back at once."""
    before = csv.field_size_limit(limit)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _next_rows(reader: Any, limits: Limits) -> tuple[list[tuple[int, list[str] | csv.Error]], bool]:
    """Read some rows with the number of lines before each; say whether there may be more."""
    rows: list[tuple[int, list[str] | csv.Error]] = []
    with _field_limit(limits.max_field):
        while len(rows) < _ROWS_AT_ONCE:
            before = reader.line_num
            try:
                rows.append((before, next(reader)))
            except StopIteration:
                return rows, False
            except csv.Error as error:
                rows.append((before, error))
    return rows, True


def _check_cells(
    cells: Sequence[str], header: Sequence[str], source: str, place: str, encoding: str
) -> CorpusError | None:
    if len(cells) != len(header):
        return CorpusError(
            f"expected {len(header)} fields as in the header, got {len(cells)}; check quotes and delimiters there",
            source=source,
            place=place,
        )
    return check_decoded("".join(cells), source, place, encoding)


def _csv_problem(error: csv.Error, limits: Limits, source: str, place: str, swallowed: int) -> CorpusError:
    if "field larger than" in str(error):
        return LimitError(
            f"a field of more than {limits.max_field:,} characters: is a quote left open before? "
            "If it is right, read it with a larger max_field",
            source=source,
            place=place,
        )
    if "unexpected end of data" in str(error) and swallowed:
        problem = f"a quote is opened there, never closed and swallows the {swallowed:,} lines after it; close it"
        return CorpusError(problem, source=source, place=place, fatal=True)
    return CorpusError(f"not a row of the table: {error}", source=source, place=place)


def _read_header(rows: list[tuple[int, Any]], source: str, columns: Columns) -> list[str]:
    """Take the header off `rows`, check it and return it."""
    while rows and not isinstance(rows[0][1], csv.Error) and not "".join(rows[0][1]).strip():
        rows.pop(0)
    if not rows:
        raise CorpusError("the file is empty; expected a header and rows", source=source)
    _, header = rows.pop(0)
    if isinstance(header, csv.Error):
        raise CorpusError(f"the header cannot be read: {header}", source=source, place="line 1")
    problem = check_decoded("".join(header), source, "line 1")
    if problem is not None:
        raise problem
    twice = next((name for k, name in enumerate(header) if name in header[:k]), None)
    if twice is not None:
        raise CorpusError(f"two columns are called {twice!r}; rename one", source=source, place="line 1")
    columns.check(header, source)
    return header


def read_delimited(
    file: ByteFile,
    path: Path,
    columns: Columns,
    limits: Limits,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Generator[Row, None, None]:
    """Yield the rows of a delimited text file whose first row names the columns."""
    source = str(path)
    sample = file.bytes.peek(_SAMPLE)[:_SAMPLE]
    found = find_encoding(file.bytes, encoding, path)
    dialect = sniff_dialect(sample.decode(found, "ignore"), columns.needed, delimiter)
    with open_text(file, path, encoding) as text:
        reader = dialect.reader(text)
        rows, more = _next_rows(reader, limits)
        header = _read_header(rows, source, columns)
        while rows:
            for line, cells in rows:
                place = f"line {line + 1}"
                if isinstance(cells, csv.Error):
                    yield place, _csv_problem(cells, limits, source, place, reader.line_num - line - 1)
                elif cells:
                    problem = _check_cells(cells, header, source, place, found)
                    yield place, problem or dict(zip(header, cells, strict=True))
            rows, more = _next_rows(reader, limits) if more else ([], False)


def _check_sizes(record: Record, limits: Limits, source: str, place: str) -> Record | LimitError:
    for name, value in record.items():
        if isinstance(value, str) and len(value) > limits.max_field:
            problem = f"more than {limits.max_field:,} characters in {name!r}; if that is right, use a larger max_field"
            return LimitError(problem, source=source, place=place)
    return record


def read_parquet(
    file: ByteFile, path: Path, columns: Columns, limits: Limits, progress: Progress = ignore
) -> Iterator[Row]:
    """Yield the rows of a Parquet file, a group at a time."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading Parquet files") from None
    try:
        # A compressed file cannot be read from its end, where Parquet keeps its index.
        table = parquet.ParquetFile(path if file.plain else io.BytesIO(file.bytes.read()))
        columns.check(table.schema_arrow.names, str(path))
        row = 0
        for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
            for record in batch.to_pylist():
                place = f"row {row}"
                yield place, _check_sizes(record, limits, str(path), place)
                row += 1
            progress("rows", row, table.metadata.num_rows)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise CorpusError(f"not a readable Parquet file: {error}", source=str(path)) from None


def _as_plain(value: Any) -> Any:
    """Return a frame's cell as a value of the language: arrays as lists, numpy scalars as numbers, gaps as None."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value.tolist() if hasattr(value, "tolist") else value


def read_frame(frame: Any, columns: Columns) -> Generator[Row, None, None]:
    """Yield the rows of a frame that narwhals knows: pandas, polars, pyarrow and others."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        if isinstance(table, nw.LazyFrame):
            table = table.collect()
    except nw.exceptions.NarwhalsError as error:
        raise CorpusError(f"cannot be read: {error}", source="frame") from None
    columns.check(table.columns, "frame")
    for row, record in enumerate(table.iter_rows(named=True)):
        yield f"row {row}", {name: _as_plain(value) for name, value in record.items()}


def is_frame(source: object) -> bool:
    """Whether narwhals knows `source` as a frame; asked only of objects from a frame library."""
    import narwhals as nw

    try:
        return isinstance(nw.from_native(source, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except nw.exceptions.NarwhalsError:
        return True  # one that cannot be read
