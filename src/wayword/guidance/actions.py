"""Acts: everything a person can say about documents, labels and topics, one class each.

One act has one name in four places: class `MergeTopics`, stored kind ``merge_topics``, command ``merge-topics``,
JSON body ``{"kind": "merge_topics", ...}``. Documents, labels and topics are named by id, terms as the vocabulary
spells them. Ids of new labels and topics are made by whoever makes the act. An act says what is wanted, not whether
it can be had: that is found out when the journal is folded.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from typing import Any, ClassVar, get_type_hints
from uuid import uuid4

from wayword.errors import InputError, shorten
from wayword.guidance.fields import (
    Check,
    Documents,
    Id,
    Ids,
    LabelsByDocument,
    Name,
    NamesById,
    Share,
    Speaker,
    Switch,
    Term,
    Terms,
    Text,
    TwoOrMoreIds,
    TwoOrMoreNames,
    check_id,
)

ACTS: dict[str, type[Act]] = {}
_CHECKS: dict[type, tuple[tuple[str, Check], ...]] = {}
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _checks(act: type) -> tuple[tuple[str, Check], ...]:
    """Return the check of each field of a class of acts."""
    if act not in _CHECKS:
        hints = get_type_hints(act, include_extras=True)
        _CHECKS[act] = tuple((field.name, hints[field.name].__metadata__[0]) for field in fields(act))
    return _CHECKS[act]


def _plain(value: Any) -> Any:
    """Return the value of a field as JSON has it; pairs become an object."""
    if not isinstance(value, tuple):
        return value
    if value and isinstance(value[0], tuple):
        return {key: _plain(item) for key, item in value}
    return list(value)


class Act:
    """Base of all acts. Subclasses are frozen dataclasses whose fields are checked when an act is made."""

    __slots__ = ()
    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.kind = _NEW_WORD.sub("_", cls.__name__).lower()
        ACTS[cls.kind] = cls

    def __post_init__(self) -> None:
        for name, check in _checks(type(self)):
            given = getattr(self, name)
            try:
                value = check(given, name)
            except InputError as error:
                raise InputError(f"{self.kind}: {error}") from None
            if value is not given:
                object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the act as JSON has it: its kind and its fields."""
        return {"kind": self.kind} | {name: _plain(getattr(self, name)) for name, _ in _checks(type(self))}

    @staticmethod
    def from_dict(body: Mapping[str, Any]) -> Act:
        """Make the act that `to_dict` has described; anything unknown, missing or left over is an `InputError`."""
        if not isinstance(body, Mapping):
            raise InputError(f"an act must be an object with a kind, got {type(body).__name__} {shorten(body)}")
        act = _find_kind(body.get("kind"))
        given = {name: value for name, value in body.items() if name != "kind"}
        _check_fields(act, given)
        return act(**given)


def _find_kind(kind: Any) -> type[Act]:
    if isinstance(kind, str) and kind in ACTS:
        return ACTS[kind]
    near = difflib.get_close_matches(kind, ACTS, n=3) if isinstance(kind, str) else []
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"kinds are {', '.join(ACTS)}"
    raise InputError(f"no act has the kind {shorten(kind)}; {hint}")


def _check_fields(act: type[Act], given: Mapping[str, Any]) -> None:
    known = [name for name, _ in _checks(act)]
    if list(given) == known:
        return
    needed = [field.name for field in fields(act) if field.default is MISSING]  # type: ignore[arg-type]
    takes = f"{act.kind} takes {', '.join(known) or 'no fields'}"
    if missing := [name for name in needed if name not in given]:
        raise InputError(f"{act.kind}: the field {missing[0]!r} is missing; {takes}")
    if left_over := [name for name in given if name not in known]:
        raise InputError(f"{act.kind}: there is no field {shorten(left_over[0])}; {takes}")


@dataclass(frozen=True, slots=True)
class Label(Act):
    """Say which labels apply to documents: these, and no others, in the eyes of this annotator."""

    documents: Documents
    labels: Ids


@dataclass(frozen=True, slots=True)
class Unlabel(Act):
    """Take back what this annotator has said about the labels of documents."""

    documents: Documents


@dataclass(frozen=True, slots=True)
class Adjudicate(Act):
    """Decide which labels apply to documents about which annotators disagree."""

    documents: Documents
    labels: Ids


@dataclass(frozen=True, slots=True)
class Skip(Act):
    """Pass over documents: this annotator is not asked about them again."""

    documents: Documents


@dataclass(frozen=True, slots=True)
class Flag(Act):
    """Mark documents as worth a second look, or take the mark away."""

    documents: Documents
    flagged: Switch = True


@dataclass(frozen=True, slots=True)
class Comment(Act):
    """Write a remark about a document; `speaker` is who has said it, if somebody else."""

    document: Id
    text: Text
    speaker: Speaker = ""


@dataclass(frozen=True, slots=True)
class AddLabel(Act):
    """Add a label, known by a new id and shown by a name that no other label has."""

    label: Id
    name: Name


@dataclass(frozen=True, slots=True)
class RenameLabel(Act):
    """Show a label by another name; its id and its documents stay."""

    label: Id
    name: Name


@dataclass(frozen=True, slots=True)
class MergeLabels(Act):
    """Let labels become another one: their documents carry that one instead."""

    labels: Ids
    into: Id

    def __post_init__(self) -> None:
        Act.__post_init__(self)
        _check_merge(self.kind, self.labels, self.into)


@dataclass(frozen=True, slots=True)
class SplitLabel(Act):
    """Divide a label into parts.

    The label itself may be one of the parts and then keeps its documents. If it is not, it is gone, and documents
    that carried it are to be asked about again.
    """

    label: Id
    into: TwoOrMoreIds
    names: TwoOrMoreNames

    def __post_init__(self) -> None:
        Act.__post_init__(self)
        if len(self.into) != len(self.names):
            raise InputError(f"split_label: {len(self.into)} parts have {len(self.names)} names; give one for each")


@dataclass(frozen=True, slots=True)
class DeleteLabel(Act):
    """Remove a label; nothing that was said with it counts any more."""

    label: Id


@dataclass(frozen=True, slots=True)
class SetAnchors(Act):
    """Let a topic be about these terms together; no terms: let the model choose."""

    topic: Id
    terms: Terms


@dataclass(frozen=True, slots=True)
class AddAnchor(Act):
    """Let a topic be about one more term."""

    topic: Id
    term: Term


@dataclass(frozen=True, slots=True)
class RemoveAnchor(Act):
    """Let a topic be no longer about a term."""

    topic: Id
    term: Term


@dataclass(frozen=True, slots=True)
class RenameTopic(Act):
    """Show a topic by a name."""

    topic: Id
    name: Name


@dataclass(frozen=True, slots=True)
class MergeTopics(Act):
    """Let topics become part of another one, which gains their anchors and keeps everything else of its own."""

    topics: Ids
    into: Id

    def __post_init__(self) -> None:
        Act.__post_init__(self)
        _check_merge(self.kind, self.topics, self.into)


@dataclass(frozen=True, slots=True)
class SplitTopic(Act):
    """Divide a topic into parts; the topic itself may be one of them, and is gone if it is not."""

    topic: Id
    into: TwoOrMoreIds


@dataclass(frozen=True, slots=True)
class FreezeTopic(Act):
    """Keep a topic as it is, but for banned terms, or let it move again."""

    topic: Id
    frozen: Switch = True


@dataclass(frozen=True, slots=True)
class BanTerm(Act):
    """Keep a term out of every topic, or let it in again."""

    term: Term
    banned: Switch = True


@dataclass(frozen=True, slots=True)
class ForbidTerm(Act):
    """Keep a term out of one topic, or let it in again."""

    topic: Id
    term: Term
    forbidden: Switch = True


@dataclass(frozen=True, slots=True)
class PromoteTopic(Act):
    """Make a new topic a theme: a label of its own, with a new id and a name."""

    topic: Id
    label: Id
    name: Name


@dataclass(frozen=True, slots=True)
class SetPurity(Act):
    """Rank terms by how frequent (0) or how specific (1) they are."""

    purity: Share


@dataclass(frozen=True, slots=True)
class Import(Act):
    """Take over labels from elsewhere.

    `names` adds labels, id to name, that are not there yet; `labels` says which apply to each document. They are this
    annotator's, or those of the `speaker`; the act is this annotator's in any case, who alone can take it back.
    """

    source: Name
    labels: LabelsByDocument
    names: NamesById = ()
    speaker: Speaker = ""


@dataclass(frozen=True, slots=True)
class Undo(Act):
    """Take back this annotator's last act that is in force."""


@dataclass(frozen=True, slots=True)
class Redo(Act):
    """Put in force again what this annotator's last `Undo` took back."""


def _check_merge(kind: str, sources: tuple[str, ...], into: str) -> None:
    if into in sources:
        raise InputError(f"{kind}: {into!r} cannot be merged into itself; name only the others")


def new_act_id() -> str:
    """Return an id that no other act has."""
    return uuid4().hex


def _check_when(value: Any) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InputError(f"when must be a time such as 2026-01-31T12:00:00Z, got {shorten(value)}") from None
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InputError(f"when must be a time with its zone, such as 2026-01-31T12:00:00Z, got {shorten(value)}")
    if value.tzinfo is UTC:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InputError(f"when must be a time of our calendar, got {shorten(value)}") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """An act as the journal keeps it.

    Attributes
    ----------
    act : Act
        What was said.
    annotator : str
        Who said it.
    when : datetime
        When, in UTC; told by the caller and never used to order acts.
    act_id : str
        Made by whoever makes the act, so that the same request sent twice is one act.
    """

    act: Act
    annotator: str
    when: datetime
    act_id: str

    def __post_init__(self) -> None:
        if not isinstance(self.act, Act):
            raise InputError(f"an entry holds an act, got {type(self.act).__name__} {shorten(self.act)}")
        check_id(self.annotator, "annotator")
        check_id(self.act_id, "act_id")
        object.__setattr__(self, "when", _check_when(self.when))

    def repeats(self, other: Entry) -> bool:
        """Whether both are one request sent twice: all is the same but for the clock."""
        return (self.act_id, self.annotator, self.act) == (other.act_id, other.annotator, other.act)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as JSON has it: the act's own fields, and who, when and which."""
        signed = {"act_id": self.act_id, "annotator": self.annotator, "when": self.when.isoformat()}
        return signed | self.act.to_dict()

    @staticmethod
    def from_dict(body: Mapping[str, Any]) -> Entry:
        """Make the entry that `to_dict` has described."""
        if not isinstance(body, Mapping):
            raise InputError(f"an entry must be an object, got {type(body).__name__} {shorten(body)}")
        rest = dict(body)
        signed = {}
        for name in ("annotator", "when", "act_id"):
            if name not in rest:
                raise InputError(f"entry: the field {name!r} is missing; it needs act_id, annotator, when and an act")
            signed[name] = rest.pop(name)
        return Entry(Act.from_dict(rest), **signed)
