"""Label Studio, out and in: tasks with annotations, and its short exports.

A task is ``{"data": {"text", "id", ...}, "annotations": [{"result": [...]}], "predictions": [...], "meta": {...}}``,
and a result ``{"type": "choices", "from_name", "to_name", "value": {"choices": [...]}}``. It fits this interface::

    <View><Text name="text" value="$text"/><Choices name="label" toName="text" choice="multiple">...</Choices></View>

Label Studio refuses annotations of people whom it does not know, so names of annotators stand in the ``meta`` of a
result, not in ``completed_by``. The annotation that holds the settled labels is the ground truth. Its short exports
(JSON-MIN and CSV: one record for each annotation) put their own number in place of ``data.id``; so the id stands in
``data.wayword_id`` too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from wayword.corpus.records import is_missing
from wayword.errors import shorten
from wayword.workbench.exchange.columns import free_name, own_name, to_json
from wayword.workbench.exchange.gathering import Gathering, Item
from wayword.workbench.exchange.lines import comment_objects
from wayword.workbench.exchange.rows import ExportRow, Fields, Names
from wayword.workbench.exchange.sources import Source, read_objects
from wayword.workbench.exchange.tables import read_csv_rows

_ID = "wayword_id"
_TAKEN = ("id", "text", _ID)
_FROM, _TO = "label", "text"
_MODEL = "wayword"
_USUAL_LABELS = ("label", "labels", "choices", "choice", "sentiment", "category", "class", "topic")
_ABOUT_ANNOTATION = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history")
SHORT = frozenset({"annotation_id", "annotator", "lead_time"})


def _result(names: Names, annotator: str | None) -> list[dict[str, Any]]:
    found: dict[str, Any] = {"from_name": _FROM, "to_name": _TO, "type": "choices", "value": {"choices": names}}
    return [found if annotator is None else found | {"meta": {"annotator": annotator}}]


def _annotations(row: ExportRow) -> list[dict[str, Any]]:
    """Return an annotation of each annotator; the first that says what is settled is the ground truth."""
    truth = next((name for name, names in row.annotators.items() if names and names == row.labels), None)
    found = [
        {"result": _result(names, name), "ground_truth": name == truth}
        for name, names in row.annotators.items()
        if names
    ]
    if truth is None and row.labels:
        found.append({"result": _result(row.labels, None), "ground_truth": True})
    return found


def as_task(row: ExportRow) -> dict[str, Any]:
    """Return a document as a task."""
    guess = {"model_version": _MODEL, "score": row.chance, "result": _result((row.guess,), None)}
    return {
        "data": {
            "text": row.text,
            "id": row.id,
            _ID: row.id,
            **{free_name(name, _TAKEN): value for name, value in row.metadata.items()},
        },
        "annotations": _annotations(row),
        "predictions": [guess] if row.guess else [],
        "meta": {
            "status": row.status,
            "flagged": row.flagged,
            "comments": comment_objects(row),
            "label_shares": row.label_shares,
            "topic_shares": row.topic_shares,
        },
    }


def write_label_studio(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write one list of tasks, one at a time."""
    before = b"[\n"
    for row in rows:
        file.write(before + to_json(as_task(row)).encode())
        before = b",\n"
    file.write(b"\n]\n" if before == b",\n" else b"[]\n")


def _list(gathering: Gathering, value: Any, what: str, place: str) -> list[Mapping[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
        gathering.fail(f"{what} must be a list of objects, got {shorten(value)}", place)
    return value


def _text_key(gathering: Gathering, data: Mapping[str, Any], fields: Fields, place: str) -> str | None:
    """Return which key holds the text: the one named, ``text``, or the only one that holds any."""
    if fields.text is not None or "text" in data:
        return fields.text or "text"
    found = [key for key, value in data.items() if isinstance(value, str) and key not in (_ID, "id", fields.id)]
    if len(found) > 1:
        gathering.fail(f"no 'text' in the data of the task, but {', '.join(map(repr, found))}; say which it is", place)
    return found[0] if found else None


def _known_id(data: Mapping[str, Any], number: Any, fields: Fields) -> Any:
    for value in (data.get(fields.id) if fields.id else None, data.get(_ID), data.get("id"), number):
        if not is_missing(value):
            return value
    return None


def _person(gathering: Gathering, value: Any, place: str) -> str | None:
    """Return who did an annotation: a number, or an object with an address."""
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("username") or value.get("id")
    return None if is_missing(value) else gathering.person(value, place)


def _choices(
    gathering: Gathering, results: Iterable[Mapping[str, Any]], fields: Fields, place: str
) -> tuple[Names, str | None]:
    """Return the names that an annotation chooses, and the annotator that Wayword wrote beside them."""
    names: dict[str, None] = {}
    annotator = None
    for result in results:
        kind, control = result.get("type", "choices"), result.get("from_name")
        value = result.get("value")
        if kind != "choices" or not isinstance(value, Mapping):
            gathering.count("{n} results of the type " + repr(str(kind)) + " were left out; only choices are taken")
            continue
        if fields.label is not None and control != fields.label:
            continue
        names.update(dict.fromkeys(gathering.names(value.get("choices"), place)))
        about = result.get("meta")
        if isinstance(about, Mapping) and isinstance(about.get("annotator"), str):
            annotator = about["annotator"]
    return tuple(names), annotator


def _take_annotation(
    gathering: Gathering, item: Item, annotation: Mapping[str, Any], fields: Fields, place: str
) -> None:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        gathering.count("{n} cancelled annotations were left out")
        return
    names, named = _choices(gathering, _list(gathering, annotation.get("result"), "result", place), fields, place)
    annotator = _person(gathering, named or annotation.get("completed_by"), place)
    if names and annotator is not None:
        item.annotators[annotator] = names
    if names and (annotation.get("ground_truth") is True or annotator is None):
        if item.labels not in (None, names):
            gathering.count("{n} annotations without an annotator, or of ground truth, were replaced by later ones")
        item.labels = names


def _take_task(gathering: Gathering, task: Mapping[str, Any], fields: Fields, place: str) -> None:
    data = task["data"]
    key = _text_key(gathering, data, fields, place)
    used = {key, _ID, "id", fields.id}
    metadata = {own_name(name): value for name, value in data.items() if name not in used}
    text = None if key is None else data.get(key)
    item = gathering.add(_known_id(data, task.get("id"), fields), place, text=text, metadata=metadata)
    annotations = task.get("annotations", task.get("completions"))
    for annotation in _list(gathering, annotations, "annotations", place):
        _take_annotation(gathering, item, annotation, fields, place)
    for guess in _list(gathering, task.get("predictions"), "predictions", place):
        if guess.get("model_version") != _MODEL:
            gathering.count("{n} predictions were left out; only annotations are taken")
    about = task.get("meta")
    if isinstance(about, Mapping):
        item.flagged = about.get("flagged") is True
        item.comments.update(dict.fromkeys(gathering.remarks(about.get("comments"), place)))


def _short_names(gathering: Gathering, value: Any, place: str) -> Names:
    """Return the names of a short export: one, an object of choices, a list of these, or one of them as JSON."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return gathering.names(value, place)
    if isinstance(value, Mapping):
        value = value.get("choices")
    if isinstance(value, list):
        value = [name for part in value for name in _short_names(gathering, part, place)]
    return gathering.names(value, place)


def _take_short(gathering: Gathering, record: Mapping[str, Any], fields: Fields, place: str) -> None:
    """Add a record of JSON-MIN or CSV: the data of a task and one annotation, side by side."""
    label = fields.label or next((name for name in _USUAL_LABELS if name in record), None)
    if label is None and record.get("annotation_id") not in (None, ""):
        gathering.count(
            "{n} annotations came without labels: no column is called "
            + ", ".join(_USUAL_LABELS[:3])
            + " or the like; name it"
        )
    key = _text_key(gathering, {name: record[name] for name in record if name not in _ABOUT_ANNOTATION}, fields, place)
    used = {key, label, _ID, "id", fields.id, *_ABOUT_ANNOTATION}
    metadata = {own_name(name): value for name, value in record.items() if name not in used}
    text = None if key is None else record.get(key)
    item = gathering.add(_known_id(record, None, fields), place, text=text, metadata=metadata, again=True)
    names = () if label is None else _short_names(gathering, record.get(label), place)
    annotator = _person(gathering, record.get("annotator"), place)
    if names and annotator is not None:
        item.annotators[annotator] = names
    elif names:
        item.labels = names


def _records(source: Source, fields: Fields) -> Iterator[tuple[str, Mapping[str, Any]]]:
    starts = source.head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1]
    return read_objects(source, lines=False) if starts in (b"[", b"{") else read_csv_rows(source, fields)


def read_label_studio(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what tasks of Label Studio, or one of its short exports, hold."""
    controls: set[str] = set()
    for place, record in _records(source, fields):
        if isinstance(record.get("data"), Mapping):
            _take_task(gathering, record, fields, place)
            controls.update(_controls(record))
        elif "data" in record or not record.keys() & (SHORT | {"text", fields.text}):
            gathering.fail("expected a task with an object 'data'; is this a file of Label Studio?", place)
        else:
            _take_short(gathering, record, fields, place)
    if len(controls) > 1 and fields.label is None:
        gathering.warn(f"labels of {len(controls)} questions ({', '.join(sorted(controls))}) became one set of labels")


def _controls(task: Mapping[str, Any]) -> Iterator[str]:
    for annotation in task.get("annotations") or ():
        for result in annotation.get("result") or ():
            if result.get("type") == "choices":
                yield str(result.get("from_name"))
