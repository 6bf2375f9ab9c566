"""CSV and Parquet tables, out and in; see `columns` for what their columns are.

CSV is written as UTF-8 with a mark at the start, so that spreadsheets see which it is, and with every cell in
quotes; cells that a spreadsheet would run are marked (see `safety`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import IO, Any

from wayword.corpus.files import DEFAULT_LIMITS, open_bytes
from wayword.corpus.records import Columns
from wayword.corpus.tables import read_delimited, read_parquet
from wayword.errors import CorpusError, LimitError, MissingColumnError, MissingExtraError
from wayword.workbench.exchange.columns import (
    Shape,
    comments_text,
    names_text,
    plain,
    survey,
    take_rows,
    to_json,
    unless_error,
)
from wayword.workbench.exchange.gathering import Gathering
from wayword.workbench.exchange.rows import ExportRow, Fields
from wayword.workbench.exchange.safety import mark, sound, unmark
from wayword.workbench.exchange.sources import Source, find_encoding

_BATCH = 1024


def cell_text(value: Any, column: str) -> str:
    """Return a value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if column == "comments":
        return comments_text(value)
    if column == "labels" or column.startswith("labels by "):
        return names_text(value)
    if isinstance(value, int | float):
        return repr(value)
    value = plain(value)
    return value if isinstance(value, str) else to_json(value)


def write_csv(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write a CSV table; rows are gone through twice."""
    shape = survey(rows)
    header = shape.header()
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", write_through=True)
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(map(mark, header))
    for row in rows:
        found = zip(shape.cells(row, (row.text,)), header, strict=True)
        # A number is no formula, whatever its sign.
        writer.writerow(
            [repr(value) if type(value) in (int, float) else mark(cell_text(value, column)) for value, column in found]
        )
    text.flush()
    text.detach()


def _delimited(source: Source, columns: Columns, encoding: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    delimiter = "\t" if source.name.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else None
    with open_bytes(source.path, DEFAULT_LIMITS) as file:
        found = read_delimited(file, source.path, columns, DEFAULT_LIMITS, encoding=encoding, delimiter=delimiter)
        # Closed before its file is, when the caller stops at a bad row.
        with closing(found) as rows:
            for place, row in unless_error(rows):
                yield place, {unmark(name): unmark(value) for name, value in row.items()}


def read_csv_rows(source: Source, fields: Fields) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a delimited file; a text column is looked for, and done without if there is none."""
    encoding = find_encoding(source)
    said = fields.said()
    wanted = Columns(said if fields.text is not None else ("text", *said), None, ())
    try:
        yield from _delimited(source, wanted, encoding)
    except MissingColumnError:
        yield from _delimited(source, Columns((), None, ()), encoding)


def read_csv(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what a CSV table holds."""
    take_rows(gathering, read_csv_rows(source, fields), fields)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "reading and writing Parquet files") from None
    return pa, parquet


def _schema(pa: Any, shape: Shape) -> Any:
    """Return the types of the columns; what is not of one kind is JSON text."""
    kinds = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64()}
    names = pa.list_(pa.string())
    comments = pa.list_(pa.struct([("annotator", pa.string()), ("text", pa.string())]))
    fixed = [names, pa.string(), pa.bool_(), pa.string(), pa.float64(), comments]
    types = [
        *[pa.string()] * (1 + shape.parts),
        *fixed,
        *[names] * len(shape.annotators),
        *[pa.float64()] * (len(shape.labels) + len(shape.topics)),
        *(kinds.get(kind, pa.string()) for kind in shape.metadata.values()),
    ]
    return pa.schema(list(zip(shape.header(), types, strict=True)))


def _arrow_cell(value: Any, column: str, kind: str) -> Any:
    if column == "comments":
        return [{"annotator": sound(annotator), "text": sound(text)} for annotator, text in value]
    if kind == "json" and value is not None:
        return cell_text(value, "")
    return float(value) if kind == "float" and value is not None else plain(value)


def _arrow_rows(shape: Shape, rows: Sequence[ExportRow]) -> list[dict[str, Any]]:
    header = shape.header()
    before = len(header) - len(shape.metadata)
    kinds = [""] * before + list(shape.metadata.values())
    return [
        {
            column: _arrow_cell(value, column if place < before else "", kind)
            for place, (column, kind, value) in enumerate(
                zip(header, kinds, shape.cells(row, (row.text,)), strict=True)
            )
        }
        for row in rows
    ]


def write_parquet(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write a Parquet table; rows are gone through twice."""
    pa, parquet = _arrow()
    shape = survey(rows)
    schema = _schema(pa, shape)
    batch: list[ExportRow] = []
    with parquet.ParquetWriter(file, schema) as writer:
        for row in rows:
            batch.append(row)
            if len(batch) == _BATCH:
                writer.write_table(pa.Table.from_pylist(_arrow_rows(shape, batch), schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(_arrow_rows(shape, batch), schema))


def _check_parquet(source: Source, parquet: Any, pa: Any) -> None:
    """Refuse a file that unpacks to far more than it is."""
    if not source.head.startswith(b"PAR1"):
        raise CorpusError("not a Parquet file; give the format that it has")
    try:
        metadata = parquet.ParquetFile(source.path).metadata
        size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise CorpusError(f"not a readable Parquet file: {error}") from None
    if size > 4 * source.most_bytes:
        raise LimitError(f"unpacks to {size:,} bytes, at most {4 * source.most_bytes:,} are read; divide it")


def read_parquet_file(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what a Parquet table holds."""
    pa, parquet = _arrow()
    _check_parquet(source, parquet, pa)
    with open_bytes(source.path, DEFAULT_LIMITS) as file:
        rows = read_parquet(file, source.path, Columns((), None, ()), DEFAULT_LIMITS)
        take_rows(gathering, unless_error(rows), fields)
