"""Prodigy, out and in: JSON Lines of answers to choices, and of yes or no to one label.

There is one line for each document and annotator::

    {"text", "options": [{"id", "text"}], "accept": [names], "answer": "accept", "meta": {"id", ...}, "_annotator_id"}

A line without an annotator holds the settled labels where they are not what all annotators say. A document that
nobody has labelled has the answer ``ignore``, which training leaves out. Answers to one label, ``{"text", "label",
"answer"}``, come in as that label where it was accepted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from wayword.corpus.records import is_missing
from wayword.errors import shorten
from wayword.workbench.exchange.columns import free_name, own_name
from wayword.workbench.exchange.gathering import Gathering, Item
from wayword.workbench.exchange.lines import comment_objects, write_line
from wayword.workbench.exchange.rows import ExportRow, Fields, Names, agreed
from wayword.workbench.exchange.safety import sound
from wayword.workbench.exchange.sources import Source, read_objects

_TAKEN = ("id", "guess", "score")
_ANSWERS = ("accept", "reject", "ignore")
_OWN = ("text", "meta", "label", "accept", "options", "answer", "flagged", "comments", "config", "spans", "tokens")


def _hash(*parts: str) -> int:
    """Return a number of 31 bits, as Prodigy tells tasks apart."""
    digest = hashlib.sha256("\0".join(map(sound, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _tasks(row: ExportRow, options: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a document."""
    base: dict[str, Any] = {"text": row.text, "options": options}
    meta = {"id": row.id} | ({"guess": row.guess, "score": row.chance} if row.guess else {})
    base["meta"] = meta | {free_name(name, _TAKEN): value for name, value in row.metadata.items()}
    base |= {"config": {"choice_style": "multiple"}, "_view_id": "choice"}
    base |= {"_input_hash": _hash(row.id, row.text), "_task_hash": _hash(row.id, row.text, "choice")}
    if row.flagged:
        base["flagged"] = True
    if row.comments:
        base["comments"] = comment_objects(row)
    labellings = {name: names for name, names in row.annotators.items() if names}
    for annotator, names in labellings.items():
        signed = {"_annotator_id": annotator, "_session_id": annotator}
        yield base | {"accept": names, "answer": "accept"} | signed
    if not labellings or row.labels != (agreed(labellings) or ()):
        yield base | {"accept": row.labels, "answer": "accept" if row.labels else "ignore"}


def write_prodigy(file: IO[bytes], rows: Iterable[ExportRow]) -> None:
    """Write one line for each document and annotator; rows are gone through twice."""
    names: dict[str, None] = {}
    for row in rows:
        for labels in (row.label_shares, row.labels, *row.annotators.values()):
            names.update(dict.fromkeys(labels))
    options = [{"id": name, "text": name} for name in names]
    for row in rows:
        for task in _tasks(row, options):
            write_line(file, task)


def _accepted(gathering: Gathering, task: Mapping[str, Any], place: str) -> Names:
    """Return the names of the options that were chosen; an option with a number is called by its text."""
    options = task.get("options")
    called: dict[Any, Any] = {}
    for option in options if isinstance(options, list) else ():
        if isinstance(option, Mapping) and isinstance(option.get("id"), int | float):
            called[option["id"]] = option.get("text") or option["id"]
    accept = task["accept"]
    if not isinstance(accept, list):
        gathering.fail(f"accept must be a list of options, got {shorten(accept)}", place)
    return gathering.names(
        [called.get(name, name) if isinstance(name, int | float) else name for name in accept], place
    )


def _answer(gathering: Gathering, task: Mapping[str, Any], place: str) -> str:
    answer = task.get("answer", "accept" if "accept" in task or "label" in task else "ignore")
    if answer not in _ANSWERS:
        gathering.fail(f"an answer must be accept, reject or ignore, got {shorten(answer)}", place)
    return answer


def _chosen(gathering: Gathering, task: Mapping[str, Any], fields: Fields, place: str) -> Names | None:
    """Return the labels that an answer gives a document; None if it gives none."""
    answer = _answer(gathering, task, place)
    label = fields.label or "label"
    if "accept" not in task and label not in task and task.get("spans"):
        gathering.count("{n} answers about spans of text were left out; only labels of whole documents are taken")
        return None
    if answer == "reject" and ("accept" in task or label in task):
        gathering.count("{n} rejected answers were left out: they say which labels do not apply")
    if answer != "accept":
        return None
    return _accepted(gathering, task, place) if "accept" in task else gathering.names(task.get(label), place)


def _known_id(task: Mapping[str, Any], meta: Mapping[str, Any], fields: Fields) -> Any:
    if fields.id is not None:
        return meta.get(fields.id, task.get(fields.id))
    found = (meta.get("id"), task.get("id"), task.get("_input_hash"))
    return next((value for value in found if not is_missing(value)), None)


def _say(item: Item, annotator: str | None, names: Names, whole: bool) -> None:
    """Keep what an annotator says: a choice is all of it, an answer to one label adds to the others."""
    before = (item.labels if annotator is None else item.annotators.get(annotator)) or ()
    found = names if whole else tuple(dict.fromkeys((*before, *names)))
    if annotator is None:
        item.labels = found
    elif found:
        item.annotators[annotator] = found


def _take(gathering: Gathering, task: Mapping[str, Any], fields: Fields, place: str) -> None:
    meta = task.get("meta")
    meta = meta if isinstance(meta, Mapping) else {}
    used = {*_OWN, "id", fields.text, fields.id, fields.label}
    ours = "guess" in meta or "score" in meta
    metadata = {
        own_name(name): value for name, value in meta.items() if name not in (*_TAKEN[: 1 + 2 * ours], fields.id)
    }
    metadata |= {name: value for name, value in task.items() if name not in used and not name.startswith("_")}
    text = task.get(fields.text or "text")
    item = gathering.add(_known_id(task, meta, fields), place, text=text, metadata=metadata, again=True)
    item.flagged = item.flagged or task.get("flagged") is True
    item.comments.update(dict.fromkeys(gathering.remarks(task.get("comments"), place)))
    who = next((task[key] for key in ("_annotator_id", "_session_id") if not is_missing(task.get(key))), None)
    annotator = None if who is None else gathering.person(who, place)
    names = _chosen(gathering, task, fields, place)
    if names is not None:
        _say(item, annotator, names, "accept" in task)
    elif annotator is None and "accept" in task and task.get("answer") == "ignore":
        item.labels = ()


def read_prodigy(source: Source, gathering: Gathering, fields: Fields) -> None:
    """Gather what answers of Prodigy hold."""
    for place, task in read_objects(source):
        _take(gathering, task, fields, place)
