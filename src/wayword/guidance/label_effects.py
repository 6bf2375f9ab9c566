"""What acts on documents and labels do to the state; see `wayword.guidance.folding`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from wayword.guidance import actions as acts
from wayword.guidance.draft import Draft, Turn
from wayword.guidance.state import LabelRecord, Remark


def _with(table: Mapping[str, Any], key: str, value: Any) -> Mapping[str, Any]:
    """Return a small read-only table with one cell set."""
    return MappingProxyType({**table, key: value})


def _without(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return MappingProxyType({name: value for name, value in table.items() if name != key})


def _label_gone(draft: Draft, labels: Iterable[str], *, merged_is_fine: bool = False) -> str | None:
    """Return why one of some labels cannot be used."""
    for label in labels:
        record = draft.label_set.get(label)
        while record and merged_is_fine and record.gone == "merged":
            record = draft.label_set[record.into[0]]
        if record is None:
            return f"there is no label {label!r}"
        if record.gone:
            return f"the label {label!r} is gone: {record.gone}"
    return None


def label_taken(draft: Draft, label: str, name: str) -> str | None:
    """Return why a label cannot be added."""
    if label in draft.label_set:
        return f"the id {label!r} is that of another label"
    return _name_taken(draft, label, name)


def _name_taken(draft: Draft, label: str, name: str) -> str | None:
    holder = draft.label_names.get(name, label)
    return None if holder == label else f"the name {name!r} is that of the label {holder!r}"


def _set_labels(turn: Turn, document: str, labels: tuple[str, ...]) -> None:
    draft, annotator, _ = turn
    draft.put(draft.labels, document, _with(draft.labels.get(document, {}), annotator, turn.say(labels)))
    skipped = draft.skips.get(document, frozenset())
    if annotator in skipped:
        draft.put(draft.skips, document, skipped - {annotator})


def _label(turn: Turn, act: acts.Label) -> str | None:
    if reason := _label_gone(turn.draft, act.labels, merged_is_fine=True):
        return reason
    for document in act.documents:
        _set_labels(turn, document, act.labels)
    return None


def _unlabel(turn: Turn, act: acts.Unlabel) -> str | None:
    draft, annotator, _ = turn
    labelled = [document for document in act.documents if annotator in draft.labels.get(document, ())]
    for document in labelled:
        draft.put(draft.labels, document, _without(draft.labels[document], annotator))
    return None if labelled else f"{annotator!r} has not labelled the documents"


def _adjudicate(turn: Turn, act: acts.Adjudicate) -> str | None:
    if reason := _label_gone(turn.draft, act.labels, merged_is_fine=True):
        return reason
    for document in act.documents:
        turn.draft.put(turn.draft.adjudications, document, turn.say(act.labels))
    return None


def _skip(turn: Turn, act: acts.Skip) -> str | None:
    draft, annotator, _ = turn
    fresh = [document for document in act.documents if annotator not in draft.skips.get(document, ())]
    for document in fresh:
        draft.put(draft.skips, document, draft.skips.get(document, frozenset()) | {annotator})
    return None if fresh else f"{annotator!r} has passed over the documents before"


def _flag(turn: Turn, act: acts.Flag) -> str | None:
    draft = turn.draft
    changed = [document for document in act.documents if (document in draft.flags) != act.flagged]
    for document in changed:
        draft.put(draft.flags, document, turn.annotator if act.flagged else None)
    return None if changed else f"the documents are {'flagged already' if act.flagged else 'not flagged'}"


def _comment(turn: Turn, act: acts.Comment) -> str | None:
    draft = turn.draft
    remark = Remark(act.text, turn.number, act.speaker or turn.annotator)
    draft.put(draft.comments, act.document, (*draft.comments.get(act.document, ()), remark))
    return None


def put_label(draft: Draft, label: str, name: str) -> None:
    """Add a label, or give one another name."""
    before = draft.label_set.get(label)
    if before:
        draft.put(draft.label_names, before.name, None)
    draft.put(draft.label_set, label, LabelRecord(label, name))
    draft.put(draft.label_names, name, label)


def _end_label(draft: Draft, label: str, gone: Any, into: tuple[str, ...] = ()) -> None:
    name = draft.label_set[label].name
    draft.put(draft.label_set, label, LabelRecord(label, name, into, gone))
    draft.put(draft.label_names, name, None)


def _add_label(turn: Turn, act: acts.AddLabel) -> str | None:
    if reason := label_taken(turn.draft, act.label, act.name):
        return reason
    put_label(turn.draft, act.label, act.name)
    return None


def _rename_label(turn: Turn, act: acts.RenameLabel) -> str | None:
    draft = turn.draft
    if reason := _label_gone(draft, [act.label]) or _name_taken(draft, act.label, act.name):
        return reason
    if draft.label_set[act.label].name == act.name:
        return f"the label {act.label!r} has the name {act.name!r} already"
    put_label(draft, act.label, act.name)
    return None


def _merge_labels(turn: Turn, act: acts.MergeLabels) -> str | None:
    if reason := _label_gone(turn.draft, [*act.labels, act.into]):
        return reason
    for label in act.labels:
        _end_label(turn.draft, label, "merged", (act.into,))
    return None


def _split_label(turn: Turn, act: acts.SplitLabel) -> str | None:
    draft = turn.draft
    if reason := _label_gone(draft, [act.label]):
        return reason
    parts = list(zip(act.into, act.names, strict=True))
    old_name = draft.label_set[act.label].name
    for part, name in parts:
        if part != act.label and part in draft.label_set:
            return f"the id {part!r} is that of another label"
        # The name of the label that is divided is free for its parts.
        if name != old_name and (reason := _name_taken(draft, act.label, name)):
            return reason
    if act.label not in act.into:
        _end_label(draft, act.label, "split", act.into)
    # The part that keeps the id goes first, so that its old name is free for the others.
    for part, name in sorted(parts, key=lambda pair: pair[0] != act.label):
        put_label(draft, part, name)
    return None


def _delete_label(turn: Turn, act: acts.DeleteLabel) -> str | None:
    if reason := _label_gone(turn.draft, [act.label]):
        return reason
    _end_label(turn.draft, act.label, "deleted")
    return None


def _import(turn: Turn, act: acts.Import) -> str | None:
    draft = turn.draft
    fresh = {label: name for label, name in act.names if label not in draft.label_set}
    for label, name in fresh.items():
        if reason := _name_taken(draft, label, name):
            return reason
    if len(set(fresh.values())) < len(fresh):
        return "two of the new labels have one name"
    used = dict.fromkeys(label for _, labels in act.labels for label in labels if label not in fresh)
    if reason := _label_gone(draft, used, merged_is_fine=True):
        return reason
    for label, name in fresh.items():
        put_label(draft, label, name)
    said = turn._replace(annotator=act.speaker or turn.annotator)
    for document, labels in act.labels:
        _set_labels(said, document, labels)
    return None


LABEL_EFFECTS: dict[type[acts.Act], Callable[[Turn, Any], str | None]] = {
    acts.Label: _label,
    acts.Unlabel: _unlabel,
    acts.Adjudicate: _adjudicate,
    acts.Skip: _skip,
    acts.Flag: _flag,
    acts.Comment: _comment,
    acts.AddLabel: _add_label,
    acts.RenameLabel: _rename_label,
    acts.MergeLabels: _merge_labels,
    acts.SplitLabel: _split_label,
    acts.DeleteLabel: _delete_label,
    acts.Import: _import,
}
