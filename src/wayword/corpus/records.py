"""Turn a record (a mapping of column names to values) into a document.

One `RecordParser` reads one source from its first row to its last, because some questions are settled by the rows
before: whether there are ids, and of what kind labels are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wayword.corpus.corpus import Document, Labels
from wayword.errors import CorpusError, DuplicateIdError, MissingColumnError, shorten

Record = Mapping[str, Any]
_TRUE = frozenset({"1", "1.0", "true", "yes"})
_FALSE = frozenset({"0", "0.0", "false", "no"})
DEFAULT_ID = "id"
DEFAULT_LABELS = "labels"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a source hold what.

    Attributes
    ----------
    text : tuple of str
        Columns whose texts are joined, a line each.
    id : str or None
        Column of ids; ``None`` to number the rows.
    labels : tuple of str
        Column of labels; several columns of names or of yes/no marks.
    separator : str or None
        What stands between two labels of one string.
    """

    text: tuple[str, ...] = ("text",)
    id: str | None = DEFAULT_ID
    labels: tuple[str, ...] = (DEFAULT_LABELS,)
    separator: str | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that must exist: the texts, and what the caller named in place of a default."""
        ids = () if self.id in (None, DEFAULT_ID) else (self.id,)
        labels = () if self.labels == (DEFAULT_LABELS,) else self.labels
        return (*self.text, *ids, *labels)

    @property
    def used(self) -> frozenset[str | None]:
        """Columns that are not metadata."""
        return frozenset((*self.text, self.id, *self.labels))

    def check(self, present: Iterable[str], source: str) -> None:
        """Raise if a needed column is not among those `present`."""
        present = list(present)
        missing = next((name for name in self.needed if name not in present), None)
        if missing is not None:
            raise _missing_column(missing, present, source)


def _missing_column(name: str, present: Iterable[str], source: str, place: str = "") -> MissingColumnError:
    there = ", ".join(map(repr, present)) or "none at all"
    return MissingColumnError(f"no column {name!r}; the columns are {there}", source=source, place=place)


def is_missing(value: object) -> bool:
    """Whether a value stands for nothing: ``None``, not-a-number, a frame's missing value, blank text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return isinstance(value, float) and math.isnan(value)


def _name(value: object) -> str:
    """Return a label's or id's name: 5.0, as frames with gaps hold whole numbers, reads 5."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _kind(value: object) -> str:
    """Return what kind of label a value is; empty for what cannot be one."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, (bool, int, float)):
        return "number"
    if isinstance(value, (list, tuple)):
        kinds = {_kind(item) for item in value}
        return "list" if kinds <= {"text"} or kinds <= {"number"} else ""
    return ""


def _parse_json_list(value: str) -> object:
    """Return the list that a text cell such as ``["a", "b"]`` holds; another text as it is."""
    if not value.lstrip().startswith("["):
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    except RecursionError:
        return None
    return parsed if isinstance(parsed, list) else value


class RecordParser:
    """Make documents of the records of one source, in order."""

    def __init__(self, columns: Columns, source: str) -> None:
        self._columns = columns
        self._source = source
        self._unseen = set(columns.needed)
        self._present: dict[str, None] = {}
        self._has_ids: bool | None = None
        self._label_kinds: dict[str, str] = {}
        # Hashes, not ids: a streamed corpus must not keep every id in memory.
        self._seen: dict[int, str] = {}

    def parse(self, record: Record, place: str, row: int) -> Document:
        """Return the document of one record; `row` counts from 0 and is its id where there is none."""
        self._unseen.difference_update(record)
        self._present.update(dict.fromkeys(record))
        document = Document(
            self._id(record, place, row),
            self._text(record, place),
            self._labels(record, place),
            {name: value for name, value in record.items() if name not in self._columns.used},
        )
        first = self._seen.setdefault(hash(document.id), place)
        if first != place:
            raise DuplicateIdError(
                f"id {shorten(document.id)} stands already at {first}; ids must be unique (id=None numbers the rows instead)",
                source=self._source,
                place=place,
            )
        return document

    def finish(self) -> None:
        """Raise if a column that the caller named was in none of the records."""
        if self._unseen and self._present:
            raise _missing_column(min(self._unseen), self._present, self._source)

    def _error(self, problem: str, place: str) -> CorpusError:
        return CorpusError(problem, source=self._source, place=place)

    def _text(self, record: Record, place: str) -> str:
        parts = []
        for name in self._columns.text:
            if name not in record:
                raise _missing_column(name, record, self._source, place)
            value = record[name]
            if isinstance(value, (list, tuple, dict, bytes)):
                raise self._error(f"column {name!r} must hold text, got {type(value).__name__}", place)
            if not is_missing(value):
                parts.append(self._check_characters(str(value), name, place))
        return "\n".join(parts)

    def _check_characters(self, text: str, column: str, place: str) -> str:
        """Return the text if it can be written again; half a surrogate pair, which JSON can spell, cannot."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"U+{ord(text[error.start]):04X}"
            raise self._error(f"half a character, {found}, in {column!r}; the text was cut there", place) from None
        return text

    def _id(self, record: Record, place: str, row: int) -> str:
        column = self._columns.id
        if self._has_ids is None:
            self._has_ids = column is not None and column in record
        if not self._has_ids or column is None:
            if column is not None and not is_missing(record.get(column)):
                # Not one bad row: all that follow would be.
                problem = f"has an id in {column!r}, but the first row has none; give all rows an id"
                raise CorpusError(problem, source=self._source, place=place, fatal=True)
            return str(row)
        value = record.get(column)
        if is_missing(value) or isinstance(value, (list, tuple, dict)):
            raise self._error(f"column {column!r} must hold an id, got {shorten(value)}", place)
        return self._check_characters(_name(value), column, place)

    def _labels(self, record: Record, place: str) -> Labels:
        names: list[str] = []
        for column in self._columns.labels:
            value = record.get(column)
            if not is_missing(value):
                found = self._read_labels(column, value, place)
                names += [self._check_characters(name, column, place) for name in found]
        return tuple(dict.fromkeys(names))

    def _read_labels(self, column: str, value: Any, place: str) -> list[str]:
        parsed = _parse_json_list(value) if isinstance(value, str) else value
        kind = _kind(value)
        if not kind or not _kind(parsed):
            raise self._error(
                f"labels in {column!r} must be a name, a number or a list of one of these, got {shorten(value)}", place
            )
        expected = self._label_kinds.setdefault(column, kind)
        if kind != expected:
            raise self._error(
                f"labels of mixed kinds in {column!r}: a {expected} before, here the {kind} {shorten(value)}", place
            )
        return self._name_labels(column, parsed)

    def _name_labels(self, column: str, value: Any) -> list[str]:
        if len(self._columns.labels) > 1 and isinstance(value, (str, int, float)):
            # Several columns of marks: the column's name is the label.
            mark = _name(value).lower()
            if mark in _TRUE:
                return [column]
            if mark in _FALSE:
                return []
        if isinstance(value, str):
            value = value.split(self._columns.separator) if self._columns.separator else [value]
        elif not isinstance(value, (list, tuple)):
            value = [value]
        return [_name(part) for part in value if not is_missing(part)]
