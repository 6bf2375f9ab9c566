"""doccano, out and in: JSON Lines ``{"id", "text", "label": [...], "Comments": [...]}``.

doccano keeps every other key as metadata and writes it out again, so the metadata of documents, what each annotator
says and the flag travel as keys of their own: ``annotators``, ``flagged`` and ``guess``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from wayword.workbench.exchange.columns import free_name, own_name
from wayword.workbench.exchange.gathering import Gathering
from wayword.workbench.exchange.lines import take_annotators, write_line
from wayword.workbench.exchange.rows import ExportRow, Fields
from wayword.workbench.exchange.sources import Source, read_objects

_TEXTS, _LABELS, _COMMENTS = ("text", "data"), ("label", "labels", "cats"), ("Comments", "comments")
_OWN = ("annotators", "flagged", "guess", "chance", "comment_authors")
_TAKEN = ("id", *_TEXTS, *_LABELS, *_COMMENTS, *_OWN, "annotations")


def as_example(row: ExportRow) -> dict[str, Any]:
    """Return a document as an example."""
    found: dict[str, Any] = {"id": row.id, "text": row.text, "label": row.labels}
    found["Comments"] = [text for _, text in row.comments]
    if row.comments:
        found["comment_authors"] = [annotator for annotator, _ in row.comments]
    return (
        found
        | {"annotators": row.annotators, "flagged": row.flagged, "guess": row.guess, "chance": row.chance}
        | {free_name(name, _TAKEN): value for name, value in row.metadata.items()}
    )


def write_doccano(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write one line for each document."""
    for row in rows:
        write_line(file, as_example(row))


def _first(record: Mapping[str, Any], said: str | None, usual: Iterable[str]) -> str | None:
    return said if said is not None else next((name for name in usual if name in record), None)


def _remarks(record: Mapping[str, Any]) -> Any:
    """Return comments as pairs where the file says who wrote them, else as they are."""
    found = next((record[name] for name in _COMMENTS if name in record), None)
    authors = record.get("comment_authors")
    if isinstance(found, list) and isinstance(authors, list) and len(found) == len(authors):
        return [[author, text] for author, text in zip(authors, found, strict=True)]
    return found


def _take(gathering: Gathering, record: Mapping[str, Any], fields: Fields, place: str) -> None:
    text = _first(record, fields.text, _TEXTS)
    label = _first(record, fields.label, _LABELS)
    ours = isinstance(record.get("annotators"), Mapping)
    used = {text, label, fields.id or "id", *_COMMENTS, *(_OWN if ours else ())}
    if "annotations" in record and label is None:
        gathering.count("{n} documents name their labels by number only, which were left out; export JSONL with names")
        used.add("annotations")
    metadata = {own_name(name): value for name, value in record.items() if name not in used}
    told = None if text is None else record.get(text)
    item = gathering.add(record.get(fields.id or "id"), place, text=told, metadata=metadata)
    item.comments.update(dict.fromkeys(gathering.remarks(_remarks(record), place)))
    names = gathering.names(None if label is None else record.get(label), place, fields.separator)
    if names or ours:
        item.labels = names
    if ours:
        item.flagged = record.get("flagged") is True
        take_annotators(gathering, item, record["annotators"], place)


def read_doccano(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what examples of doccano hold."""
    for place, record in read_objects(source):
        _take(gathering, record, fields, place)
