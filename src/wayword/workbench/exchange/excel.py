"""Excel workbooks, out and in; see `columns` for what their columns are.

A cell holds 32,767 characters at most: a longer text goes on in the columns ``text.2``, ``text.3``, and is put
together again. Characters that XML cannot hold are written as workbooks spell them, ``_x0000_``. A text that begins
like a formula is a text with the mark that spreadsheets set for a leading apostrophe, so nothing runs. Of a workbook
that comes in, the first sheet is read, formulas as the values that they had; macros and links are never touched.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import IO, Any

from wayword.errors import CorpusError, InputError, MissingExtraError
from wayword.workbench.exchange.columns import Shape, survey, take_rows
from wayword.workbench.exchange.gathering import Gathering
from wayword.workbench.exchange.rows import ExportRow, Fields
from wayword.workbench.exchange.safety import MOST_COLUMNS, MOST_ROWS, check_workbook, is_dangerous, sound, unmark
from wayword.workbench.exchange.sources import Source
from wayword.workbench.exchange.tables import cell_text

LONGEST_CELL = 32_767
_UNFIT = "\x00-\x08\x0b-\x1f\ufffe\uffff"
_TO_ESCAPE = re.compile(f"[{_UNFIT}]|_(?=x[0-9A-Fa-f]{{4}}(?:_|[{_UNFIT}]))")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
# A whole number beyond this is not exact in a cell.
_LARGEST = 2**53


def escape(text: str) -> str:
    """Return a text as a workbook spells it."""
    return _TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def unescape(text: str) -> str:
    """Return the text that a workbook spells."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _length(text: str) -> int:
    """Return how long a text is to a spreadsheet: escaped, in units of 16 bits."""
    return len(escape(text).encode("utf-16-le", "surrogatepass")) // 2


def pieces(text: str) -> list[str]:
    """Return a text in pieces that each fit a cell."""
    text = sound(text)
    if len(text) <= LONGEST_CELL // 7:  # the longest that an escape makes of one character
        return [text]
    found = []
    while text:
        piece = text[:LONGEST_CELL]
        while (length := _length(piece)) > LONGEST_CELL:
            piece = piece[: max(1, len(piece) * LONGEST_CELL // length - 1)]
        found.append(piece)
        text = text[len(piece) :]
    return found or [""]


def _openpyxl(purpose: str) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("openpyxl", "excel", purpose) from None
    return openpyxl


def _text_cell(sheet: Any, text: str, make: Any, column: str, id: str) -> Any:
    """Return a cell that is text whatever it looks like."""
    if column != "text" and _length(text) > LONGEST_CELL:
        raise InputError(
            f"{column!r} of the document {id!r} has more than the {LONGEST_CELL:,} characters that a cell of Excel "
            "holds; choose jsonl, csv or parquet"
        )
    # One apostrophe more where there is one, so that reading can take one away as it does for CSV.
    cell = make(sheet, escape(f"'{text}" if text.startswith("'") and is_dangerous(text) else text))
    cell.data_type = "s"
    if is_dangerous(text):
        cell.quotePrefix = True
    return cell


def _cell(sheet: Any, value: Any, make: Any, column: str, id: str) -> Any:
    exact = isinstance(value, int) and abs(value) <= _LARGEST
    if value is None or exact or (isinstance(value, float) and math.isfinite(value)):
        return value
    text = cell_text(value, column)
    return _text_cell(sheet, text, make, "text" if column.startswith("text") else column, id) if text else None


def _fill(sheet: Any, shape: Shape, rows: Iterable[ExportRow]) -> None:
    """Write the header and the rows of a sheet."""
    from openpyxl.cell import WriteOnlyCell

    header = shape.header()
    sheet.freeze_panes = "C2"
    sheet.append([_text_cell(sheet, name, WriteOnlyCell, "a column's name", "") for name in header])
    for number, row in enumerate(rows, 2):
        if number > MOST_ROWS:
            raise InputError(f"Excel holds {MOST_ROWS - 1:,} documents, there are more; choose jsonl, csv or parquet")
        found = zip(shape.cells(row, pieces(row.text)), header, strict=True)
        sheet.append([_cell(sheet, value, WriteOnlyCell, column, row.id) for value, column in found])


def write_xlsx(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write a workbook of one sheet; rows are gone through twice."""
    openpyxl = _openpyxl("writing Excel files")
    shape = survey(rows, lambda text: len(pieces(text)))
    if (wide := len(shape.header())) > MOST_COLUMNS:
        raise InputError(f"{wide:,} columns, Excel holds {MOST_COLUMNS:,}; choose jsonl, csv or parquet")
    book = openpyxl.Workbook(write_only=True)
    try:
        _fill(book.create_sheet("documents"), shape, rows)
    except BaseException:
        book.save(io.BytesIO())  # saving takes the file away that the sheet was written to
        raise
    book.save(file)


def _value(value: Any) -> Any:
    return unmark(unescape(value)) if isinstance(value, str) else value


def _sheet_rows(source: Source, gathering: Gathering) -> list[tuple[int, tuple[Any, ...]]]:
    """Return the rows of the first sheet that are not empty, with their numbers."""
    openpyxl = _openpyxl("reading Excel files")
    with warnings.catch_warnings(), source.path.open("rb") as file:
        # Of styles and extensions that it leaves out, which nobody here looks at.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            if not book.worksheets:
                raise CorpusError("the workbook has no sheet with cells")
            sheet, *others = book.worksheets
            if others:
                gathering.warn(f"only the first sheet, {sheet.title!r}, was read; there are {len(others):,} more")
            # No wider than each row is: the check before has counted rows and columns.
            found = sheet.iter_rows(max_row=MOST_ROWS, values_only=True)
            return [(number, row) for number, row in enumerate(found, 1) if any(cell is not None for cell in row)]
        finally:
            book.close()


def _records(source: Source, gathering: Gathering) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        rows = _sheet_rows(source, gathering)
    except (CorpusError, MissingExtraError):
        raise
    except Exception as error:  # a reader of workbooks raises whatever its parts raise
        problem = f"not a readable Excel file ({type(error).__name__}: {error}); save it anew"
        raise CorpusError(problem) from None
    if not rows:
        raise CorpusError("the first sheet is empty; expected a header and rows")
    number, first = rows[0]
    header = {place: str(_value(name)) for place, name in enumerate(first) if name is not None}
    if len(set(header.values())) < len(header):
        raise CorpusError("two columns have one name; rename one", place=f"row {number}")
    for number, row in rows[1:]:
        beyond = [value for place, value in enumerate(row) if value is not None and place not in header]
        if beyond:
            raise CorpusError("a cell stands in a column without a name; name the column", place=f"row {number}")
        cells = {name: _value(row[place]) if place < len(row) else None for place, name in header.items()}
        yield f"row {number}", cells


def read_xlsx(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what the first sheet of a workbook holds."""
    names = check_workbook(source.path, 4 * source.most_bytes)
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        gathering.warn("the workbook has macros; they were not touched")
    if any("externallinks/" in name.lower() for name in names):
        gathering.warn("the workbook links to other files; the links were not followed")
    take_rows(gathering, _records(source, gathering), fields)
