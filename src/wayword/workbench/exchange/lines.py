"""JSON Lines, out and in: one object for each document.

A line that Wayword wrote has ``id, text, labels, status, flagged, guess, chance, annotators, comments, label_shares,
topic_shares, metadata`` and is known by ``status`` and the object ``metadata``. Of any other line, ``id``, ``text``
and ``labels`` or ``label`` are taken, and the rest is metadata. A file that is one JSON list is read as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from wayword.errors import MissingColumnError, shorten
from wayword.workbench.exchange.columns import Layout, take_record, to_json
from wayword.workbench.exchange.gathering import Gathering, Item
from wayword.workbench.exchange.rows import ExportRow, Fields
from wayword.workbench.exchange.sources import Source, read_objects

_OURS = frozenset({"id", "labels", "status", "annotators", "metadata"})


def comment_objects(row: ExportRow) -> list[dict[str, str]]:
    """Return the comments of a row as objects."""
    return [{"annotator": annotator, "text": text} for annotator, text in row.comments]


def as_object(row: ExportRow) -> dict[str, Any]:
    """Return all of a row as one object."""
    return {
        "id": row.id,
        "text": row.text,
        "labels": row.labels,
        "status": row.status,
        "flagged": row.flagged,
        "guess": row.guess,
        "chance": row.chance,
        "annotators": row.annotators,
        "comments": comment_objects(row),
        "label_shares": row.label_shares,
        "topic_shares": row.topic_shares,
        "metadata": dict(row.metadata),
    }


def write_line(file: IO[bytes], value: Any) -> None:
    """Write one line of JSON."""
    file.write(to_json(value).encode() + b"\n")


def write_jsonl(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write one line for each document."""
    for row in rows:
        write_line(file, as_object(row))


def take_annotators(gathering: Gathering, item: Item, value: Any, place: str) -> None:
    """Add what annotators say, given as an object of names by annotator."""
    if not isinstance(value, Mapping):
        gathering.fail(f"annotators must be an object of labels by annotator, got {shorten(value)}", place)
    for annotator, names in value.items():
        if found := gathering.names(names, place):
            item.annotators[gathering.person(annotator, place)] = found


def _take_ours(gathering: Gathering, record: Mapping[str, Any], place: str) -> None:
    item = gathering.add(record["id"], place, text=record.get("text"), metadata=record["metadata"])
    item.labels = gathering.names(record["labels"], place)
    item.flagged = record.get("flagged") is True
    item.comments.update(dict.fromkeys(gathering.remarks(record.get("comments"), place)))
    take_annotators(gathering, item, record["annotators"], place)


def _check_seen(gathering: Gathering, fields: Fields, seen: set[str]) -> None:
    missing = [name for name in fields.said() if name not in seen]
    if missing:
        there = ", ".join(map(repr, sorted(seen)))
        raise MissingColumnError(f"no line has the key {missing[0]!r}; the keys are {there}", source=gathering.source)


def read_jsonl(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what a JSON Lines file holds."""
    layouts: dict[tuple[str, ...], Layout] = {}
    seen: set[str] = set()
    # One line may lack what another has; what no line has is missing.
    usual = dict.fromkeys(fields.said())
    for place, record in read_objects(source):
        seen.update(record)
        if fields.usual() and record.keys() >= _OURS and isinstance(record["metadata"], dict):
            _take_ours(gathering, record, place)
            continue
        whole = record if not usual else usual | record
        header = tuple(whole)
        if header not in layouts:
            layouts[header] = Layout.of(header, fields, gathering.source)
        take_record(gathering, whole, place, layouts[header])
    _check_seen(gathering, fields, seen)
