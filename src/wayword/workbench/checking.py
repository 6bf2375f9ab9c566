"""Acts before they are kept: checked against what there is, and completed by what they take for granted.

An act on a topic that was found pins it first, so that it stays. Parts of a divided topic get anchors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wayword.errors import InputError
from wayword.guidance import actions as acts
from wayword.guidance.state import Guidance
from wayword.workbench.documents import check_known
from wayword.workbench.ground import Ground
from wayword.workbench.live import LiveState
from wayword.workbench.topics import split_anchors

_ON_TOPIC = (
    acts.AddAnchor,
    acts.RemoveAnchor,
    acts.RenameTopic,
    acts.FreezeTopic,
    acts.ForbidTerm,
    acts.PromoteTopic,
)
_ON_LABEL = (acts.RenameLabel, acts.SplitLabel, acts.DeleteLabel)
_TELLING = (acts.Label, acts.Adjudicate)


@dataclass(slots=True)
class Check:
    """Checks acts one after the other: each may use what those before it have made."""

    ground: Ground
    guidance: Guidance
    state: LiveState
    multilabel: bool
    _labels: dict[str, str] = field(init=False)
    _pinned: dict[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._labels = {id: record.name for id, record in self.guidance.label_set.items()}
        self._pinned = dict(self.guidance.anchors)

    def complete(self, given: Sequence[acts.Act]) -> Iterator[tuple[int, str, acts.Act]]:
        """Give the acts to be kept: the place of the act that they belong to, what sets them apart, and the act."""
        for place, act in enumerate(given):
            self.ground.lookup.check(act)
            self._check_labels(act)
            self._check_topics(act)
            for before in self._pins(act):
                yield place, f"pin {before.topic}", before
            yield place, "", act
            for after in self._parts(act, given):
                yield place, f"part {after.topic}", after

    # Labels

    def _check_labels(self, act: acts.Act) -> None:
        for label in _labels_of(act):
            check_known(label, self._labels, "label")
        if isinstance(act, _TELLING) and not self.multilabel and len(act.labels) > 1:
            raise InputError(
                f"a document of this project has one label, got {len(act.labels)}: {', '.join(act.labels)}; give one"
            )
        if isinstance(act, acts.AddLabel | acts.PromoteTopic):
            self._labels[act.label] = act.name
        elif isinstance(act, acts.SplitLabel):
            self._labels.update(zip(act.into, act.names, strict=True))

    # Topics

    def _check_topics(self, act: acts.Act) -> None:
        known = dict(zip(self.state.ids, self.state.names, strict=True)) | {id: id for id in self._pinned}
        for topic in _topics_of(act):
            check_known(topic, known, "topic")
        if isinstance(act, acts.SetAnchors):
            self._pinned[act.topic] = act.terms

    def _pins(self, act: acts.Act) -> Iterator[acts.SetAnchors]:
        """Give acts that let the topics of an act stay as they are."""
        topics = () if isinstance(act, acts.SplitTopic) else _topics_of(act)
        for topic in topics:
            if topic not in self._pinned:
                self._pinned[topic] = self._anchors_of(topic)
                yield acts.SetAnchors(topic, self._pinned[topic])
        if isinstance(act, acts.MergeTopics):
            for topic in act.topics:
                self._pinned.pop(topic, None)
        elif isinstance(act, acts.BanTerm | acts.ForbidTerm):
            yield from self._keep_up(act)

    def _keep_up(self, act: acts.BanTerm | acts.ForbidTerm) -> Iterator[acts.SetAnchors]:
        """Give the next best anchor to topics that would lose their only one, so that they stay."""
        concerned = list(self._pinned) if isinstance(act, acts.BanTerm) else [act.topic]
        for topic in concerned:
            if self._pinned[topic] != (act.term,) or topic not in self.state.ids or topic in self.guidance.frozen:
                continue
            taken = {k for anchor in self.state.topics.anchors for k in anchor}
            taken |= {self.ground.vocabulary.column(term) for term in self._barred(topic)}
            row = self.state.topics.components[self.state.ids.index(topic)]
            for column in split_anchors(self.ground, row, 1, taken):
                self._pinned[topic] = (self.ground.vocabulary[column],)
                yield acts.SetAnchors(topic, self._pinned[topic])

    def _barred(self, topic: str) -> set[str]:
        """Return the known terms that may not be an anchor of a topic."""
        barred = {*self.guidance.banned, *self.guidance.forbidden.get(topic, ())}
        return {term for term in barred if term in self.ground.vocabulary}

    def _anchors_of(self, topic: str) -> tuple[str, ...]:
        terms = self.ground.vocabulary.terms
        return tuple(terms[column] for column in self.state.topics.anchors[self.state.ids.index(topic)])

    def _parts(self, act: acts.Act, given: Sequence[acts.Act]) -> Iterator[acts.SetAnchors]:
        """Give anchors to parts of a topic that nobody has given any."""
        if not isinstance(act, acts.SplitTopic):
            return
        told = {other.topic for other in given if isinstance(other, acts.SetAnchors)}
        parts = [part for part in act.into if part not in told]
        for part, term in zip(parts, self._choose(act.topic, len(parts)), strict=True):
            if self._pinned.get(part) != (term,):  # the topic itself may keep its anchor
                self._pinned[part] = (term,)
                yield acts.SetAnchors(part, (term,))

    def _choose(self, topic: str, n_parts: int) -> list[str]:
        if not n_parts:
            return []
        check_known(topic, dict(zip(self.state.ids, self.state.names, strict=True)), "topic")
        place, terms = self.state.ids.index(topic), self.ground.vocabulary.terms
        taken = {k for other, anchor in enumerate(self.state.topics.anchors) if other != place for k in anchor}
        chosen = split_anchors(self.ground, self.state.topics.components[place], n_parts, taken)
        if len(chosen) < n_parts:
            raise InputError(
                f"the topic {topic!r} has {len(chosen)} terms of its own, too few for {n_parts} parts; "
                "give anchors for the parts"
            )
        return [terms[column] for column in chosen]


def _labels_of(act: acts.Act) -> tuple[str, ...]:
    """Return the labels that an act takes for granted."""
    if isinstance(act, _TELLING):
        return act.labels
    if isinstance(act, acts.MergeLabels):
        return (*act.labels, act.into)
    return (act.label,) if isinstance(act, _ON_LABEL) else ()


def _topics_of(act: acts.Act) -> tuple[str, ...]:
    """Return the topics that an act takes for granted."""
    if isinstance(act, acts.MergeTopics):
        return (act.into, *act.topics)
    return (act.topic,) if isinstance(act, (*_ON_TOPIC, acts.SplitTopic)) else ()


def documents_of(act: acts.Act) -> tuple[str, ...]:
    """Return the documents that an act is about."""
    if isinstance(act, acts.Import):
        return tuple(document for document, _ in act.labels)
    if isinstance(act, acts.Comment):
        return (act.document,)
    return tuple(getattr(act, "documents", ()))
