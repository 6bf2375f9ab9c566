"""Guidance: what all acts in force amount to.

Labels and topics are known by id. An id is never used again for something else, and a label that is gone stays in
the table of labels with the reason, so that what was once said can always be read.

What a document's labels are, when several people have spoken:

1. Labels that were merged count as the one they were merged into; deleted and divided labels do not count, and an
   annotator none of whose labels counts has said nothing.
2. The last adjudication is outdated once somebody has said something else after it, and then does not count.
3. If everybody who has spoken, and an adjudication that counts, say the same, that is it (``"agreed"``; ``"single"``
   if only one annotator has spoken).
4. Otherwise the adjudication decides (``"adjudicated"``).
5. Without one, nothing is settled (``"disagreement"``), and no model is told about the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wayword.errors import InputError, shorten

Status = Literal["open", "single", "agreed", "adjudicated", "disagreement"]


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """A label of the label set.

    Attributes
    ----------
    id : str
        What it is known by, for ever.
    name : str
        What it is shown by.
    into : tuple of str
        What it has become: one label if merged, several if divided.
    gone : str
        Why it no longer counts (``"merged"``, ``"split"``, ``"deleted"``); empty while it does.
    """

    id: str
    name: str
    into: tuple[str, ...] = ()
    gone: Literal["", "merged", "split", "deleted"] = ""


@dataclass(frozen=True, slots=True)
class Labelling:
    """What one annotator says about one document: ids of labels, and the number of the act that said it."""

    labels: tuple[str, ...]
    number: int
    annotator: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on a document, and the number of the act that made it."""

    text: str
    number: int
    annotator: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is settled about the labels of a document.

    Attributes
    ----------
    status : {"open", "single", "agreed", "adjudicated", "disagreement"}
        How it was settled; ``"open"`` if nobody has said anything that counts.
    labels : tuple of str
        Ids of the labels that apply; empty where nothing is settled.
    """

    status: Status
    labels: tuple[str, ...] = ()


_OPEN = Resolution("open")
_DISAGREEMENT = Resolution("disagreement")


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a person wants of the topics, read-only.

    Attributes
    ----------
    number : int
        Number of the last act; not part of what makes two states equal.
    label_set : mapping of str to LabelRecord
        Every label there ever was, by id, in the order they were added.
    labels : mapping of str to mapping of str to Labelling
        What each annotator says about each document.
    adjudications : mapping of str to Labelling
        What was decided about documents.
    skips : mapping of str to frozenset of str
        Annotators who passed over a document.
    flags : mapping of str to str
        Documents worth a second look, and who says so.
    comments : mapping of str to tuple of Remark
        Remarks about documents, the oldest first.
    anchors : mapping of str to tuple of str
        Terms that topics are about.
    topic_names : mapping of str to str
        What topics are shown by.
    banned : frozenset of str
        Terms kept out of every topic.
    forbidden : mapping of str to frozenset of str
        Terms kept out of a topic.
    frozen : frozenset of str
        Topics that stay as they are.
    merged_topics : mapping of str to str
        Topics that are gone, and what they were merged into.
    split_topics : mapping of str to tuple of str
        Topics that were divided, and their parts; a topic among its own parts is still there.
    promoted : mapping of str to str
        Topics that became themes, and their labels.
    purity : float or None
        How specific shown terms are; None if nothing was said.
    """

    number: int = field(default=0, compare=False)
    label_set: Mapping[str, LabelRecord] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, Labelling]] = field(default_factory=dict)
    adjudications: Mapping[str, Labelling] = field(default_factory=dict)
    skips: Mapping[str, frozenset[str]] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict)
    anchors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topic_names: Mapping[str, str] = field(default_factory=dict)
    banned: frozenset[str] = frozenset()
    forbidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    frozen: frozenset[str] = frozenset()
    merged_topics: Mapping[str, str] = field(default_factory=dict)
    split_topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    promoted: Mapping[str, str] = field(default_factory=dict)
    purity: float | None = None

    def live_labels(self) -> tuple[LabelRecord, ...]:
        """Return the labels that count, in the order they were added."""
        return tuple(record for record in self.label_set.values() if not record.gone)

    def label_now(self, label: str) -> str | None:
        """Return the id that a label has become by merging; None if it no longer counts."""
        if label not in self.label_set:
            raise InputError(f"no label has the id {shorten(label)}; see label_set")
        record = self.label_set[label]
        while record.gone == "merged":
            record = self.label_set[record.into[0]]
        return None if record.gone else record.id

    def topic_now(self, topic: str) -> str | None:
        """Return the id that a topic has become by merging; None if it was divided."""
        while topic in self.merged_topics:
            topic = self.merged_topics[topic]
        return None if topic not in self.split_topics.get(topic, (topic,)) else topic

    def resolve(self, document: str) -> Resolution:
        """Return what is settled about the labels of a document; the rule stands at the top of this module."""
        return _resolve(self.labels.get(document, {}), self.adjudications.get(document), self._label_map())

    def resolutions(self) -> dict[str, Resolution]:
        """Return what is settled about every document that somebody has labelled."""
        now = self._label_map()
        documents = dict.fromkeys([*self.labels, *self.adjudications])
        return {d: _resolve(self.labels.get(d, {}), self.adjudications.get(d), now) for d in documents}

    def disagreements(self) -> tuple[str, ...]:
        """Return the documents about which annotators disagree and nobody has decided."""
        return tuple(d for d, found in self.resolutions().items() if found is _DISAGREEMENT)

    def _label_map(self) -> dict[str, str | None]:
        return {label: self.label_now(label) for label in self.label_set}


def _count(labelling: Labelling, now: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the labels of a labelling that count, each once, sorted so that equal sets are equal."""
    return tuple(sorted({label for label in map(now.get, labelling.labels) if label is not None}))


def _resolve(spoken: Mapping[str, Labelling], decided: Labelling | None, now: Mapping[str, str | None]) -> Resolution:
    counted = [(labels, said.number) for said in spoken.values() if (labels := _count(said, now))]
    distinct = {labels for labels, _ in counted}
    decision = _count(decided, now) if decided else ()
    if decided and decision and distinct != {decision}:
        outdated = any(number > decided.number for labels, number in counted if labels != decision)
        if not outdated:
            return Resolution("adjudicated", decision)
    if len(distinct) == 1:
        return Resolution("agreed" if len(counted) > 1 else "single", distinct.pop())
    return _DISAGREEMENT if distinct else _OPEN
