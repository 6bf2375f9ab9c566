"""Which column holds what, in tables and in flat records, out and in.

A table that Wayword wrote has the columns ``id, text, labels, status, flagged, guess, chance, comments``, one
``labels by NAME`` for each annotator, one ``share: NAME`` for each label, one ``topic: NAME`` for each topic, and
those of the metadata; one of these whose name is taken is called ``metadata: NAME``. By ``status``, ``guess`` and
``chance`` it is known again. Any other table has a text, an id and labels, and the rest is metadata.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wayword.corpus.records import is_missing
from wayword.errors import MissingColumnError
from wayword.workbench.exchange.gathering import Gathering
from wayword.workbench.exchange.rows import Comments, ExportRow, Fields, Names
from wayword.workbench.exchange.safety import sound

BY, SHARE, TOPIC, METADATA = "labels by ", "share: ", "topic: ", "metadata: "
FIXED = ("id", "text", "labels", "status", "flagged", "guess", "chance", "comments")
_OURS = frozenset({"id", "labels", "status", "guess", "chance"})
_PART = re.compile(r"text\.([2-9]|[1-9][0-9]+)")
_DEFAULT_LABELS = ("labels", "label")
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_TRUE = frozenset({"1", "true", "yes"})


def free_name(name: str, taken: Iterable[str] = FIXED) -> str:
    """Return what a column of metadata is called beside the others; `own_name` gives its name back."""
    reserved = name in taken or name.startswith((BY, SHARE, TOPIC, METADATA)) or _PART.fullmatch(name)
    return sound(f"{METADATA}{name}" if reserved else name)


def own_name(column: str) -> str:
    """Return the name of the metadata that a column holds."""
    return column.removeprefix(METADATA)


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, str):
        return sound(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {sound(str(key)): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return sound(value.isoformat() if hasattr(value, "isoformat") else str(value))


def to_json(value: Any) -> str:
    """Return a value as one line of JSON."""
    try:
        text = _encoder.encode(value)
        text.encode()
    except (TypeError, ValueError):  # not-a-number, half a character, a time: seldom, and slower to look for
        text = _encoder.encode(plain(value))
    return text


def names_text(names: Names) -> str:
    """Return label names as one cell: the name itself, or a JSON list of several."""
    if not names:
        return ""
    return sound(names[0]) if len(names) == 1 and not names[0].lstrip().startswith("[") else to_json(names)


def comments_text(comments: Comments) -> str:
    """Return comments as one cell."""
    return to_json([{"annotator": annotator, "text": text} for annotator, text in comments]) if comments else ""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the columns of a table are, found in a first pass over its rows.

    Attributes
    ----------
    parts : int
        How many cells the longest text needs.
    annotators, labels, topics : tuple of str
        Names, in the order in which they come.
    metadata : dict of str to str
        Kind of each column: text, bool, int, float or json.
    """

    parts: int
    annotators: Names
    labels: Names
    topics: Names
    metadata: dict[str, str]

    def header(self) -> list[str]:
        """Return the names of the columns."""
        return [
            "id",
            "text",
            *(f"text.{part}" for part in range(2, self.parts + 1)),
            *FIXED[2:],
            *(sound(BY + name) for name in self.annotators),
            *(sound(SHARE + name) for name in self.labels),
            *(sound(TOPIC + name) for name in self.topics),
            *(free_name(name) for name in self.metadata),
        ]

    def cells(self, row: ExportRow, texts: Sequence[str]) -> list[Any]:
        """Return the values of a row, in the order of the header; `texts` are the pieces of its text."""
        shares, topics = row.label_shares, row.topic_shares
        return [
            row.id,
            *texts,
            *[None] * (self.parts - len(texts)),
            row.labels,
            row.status,
            row.flagged,
            row.guess,
            row.chance,
            row.comments,
            *(row.annotators.get(name) for name in self.annotators),
            *(shares.get(name, 0.0 if shares else None) for name in self.labels),
            *(topics.get(name, 0.0 if topics else None) for name in self.topics),
            *(row.metadata.get(name) for name in self.metadata),
        ]


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if -(2**63) <= value < 2**63 else "json"
    return "float" if isinstance(value, float) else "json"


def _both(one: str, other: str) -> str:
    if one == other or not one:
        return other
    return "float" if {one, other} == {"int", "float"} else "json"


def survey(rows: Iterable[ExportRow], parts: Callable[[str], int] = lambda _: 1) -> Shape:
    """Return the shape of the table of rows; `parts` says how many cells a text needs."""
    most = 1
    annotators: dict[str, None] = {}
    labels: dict[str, None] = {}
    topics: dict[str, None] = {}
    metadata: dict[str, str] = {}
    for row in rows:
        most = max(most, parts(row.text))
        annotators.update(dict.fromkeys(row.annotators))
        labels.update(dict.fromkeys(row.label_shares))
        topics.update(dict.fromkeys(row.topic_shares))
        for name, value in row.metadata.items():
            kind = metadata.setdefault(name, "")
            if value is not None:
                metadata[name] = _both(kind, _kind(value))
    return Shape(most, tuple(annotators), tuple(labels), tuple(topics), metadata)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns of a table that comes in hold what."""

    ours: bool
    id: str | None
    text: tuple[str, ...]
    labels: str | None
    metadata: tuple[str, ...]
    separator: str | None = None

    @staticmethod
    def of(header: Sequence[str], fields: Fields, source: str) -> Layout:
        """Return the layout of a table with these columns."""
        ours = set(header) >= _OURS and fields.usual()
        id = _find(header, fields.id, ("id",), source)
        text = _find(header, fields.text, ("text",), source)
        labels = _find(header, fields.label, _DEFAULT_LABELS, source)
        if id is None and text is None:
            there = ", ".join(map(repr, header)) or "none at all"
            raise MissingColumnError(
                f"no column 'text' and no column 'id'; the columns are {there}; say which holds the text", source=source
            )
        texts = () if text is None else (text, *(_parts(header) if ours else ()))
        used = {id, labels, *texts}
        if ours:
            used |= {column for column in header if column in FIXED or column.startswith((BY, SHARE, TOPIC))}
        metadata = tuple(column for column in header if column not in used)
        return Layout(ours, id, texts, labels, metadata, None if ours else fields.separator)


def _parts(header: Sequence[str]) -> list[str]:
    found = [(int(match[1]), match[0]) for column in header if (match := _PART.fullmatch(column))]
    return [column for _, column in sorted(found)]


def _find(header: Sequence[str], said: str | None, usual: Sequence[str], source: str) -> str | None:
    """Return the column that was named, else the usual one, however it is written; None if there is none."""
    if said is not None:
        if said not in header:
            there = ", ".join(map(repr, header)) or "none at all"
            raise MissingColumnError(f"no column {said!r}; the columns are {there}", source=source)
        return said
    for name in usual:
        found = [column for column in header if column.strip().lower() == name]
        if found:
            return name if name in found else found[0]
    return None


def _text_of(record: Mapping[str, Any], layout: Layout) -> Any:
    if len(layout.text) <= 1:
        return record.get(layout.text[0]) if layout.text else None
    return "".join(part for column in layout.text if isinstance(part := record.get(column), str))


def _is_true(value: Any) -> bool:
    return not is_missing(value) and str(value).strip().lower() in _TRUE


def take_record(gathering: Gathering, record: Mapping[str, Any], place: str, layout: Layout) -> None:
    """Add one row of a table to what is gathered."""
    text = _text_of(record, layout)
    if text is None and layout.text and layout.text[0] in record:
        text = ""
    metadata = {own_name(name) if layout.ours else name: record.get(name) for name in layout.metadata}
    id = None if layout.id is None else record.get(layout.id)
    item = gathering.add(id, place, text=text, metadata=metadata, strip=not layout.ours)
    if layout.labels is not None:
        item.labels = gathering.names(record.get(layout.labels), place, layout.separator)
    if not layout.ours:
        item.labels = item.labels or None
        return
    item.flagged = _is_true(record.get("flagged"))
    item.comments.update(dict.fromkeys(gathering.remarks(record.get("comments"), place)))
    for column, value in record.items():
        if column.startswith(BY) and (names := gathering.names(value, place)):
            item.annotators[gathering.person(column.removeprefix(BY), place)] = names


def take_rows(gathering: Gathering, rows: Iterable[tuple[str, Mapping[str, Any]]], fields: Fields) -> None:
    """Add all rows of a table, whose columns are those of its first row."""
    layout: Layout | None = None
    for place, record in rows:
        if layout is None:
            layout = Layout.of(list(record), fields, gathering.source)
        take_record(gathering, record, place, layout)


def unless_error(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Pass rows on, and raise the first that is an error, as readers of corpora yield them."""
    for place, row in rows:
        if isinstance(row, Exception):
            raise row
        yield place, row
