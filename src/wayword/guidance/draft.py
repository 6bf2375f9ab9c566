"""A state while it is being folded: tables that change, and a trail that leads back to any state before."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from wayword.guidance.state import Guidance, Labelling, LabelRecord, Remark

_NOTHING = object()
_PURITY = "purity"


def _copy(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(table))


class Draft:
    """A state being folded: one table for each attribute of `Guidance`, and the trail of changes."""

    def __init__(self) -> None:
        self.label_set: dict[str, LabelRecord] = {}
        self.label_names: dict[str, str] = {}  # of labels that count, to their ids
        self.labels: dict[str, Mapping[str, Labelling]] = {}
        self.adjudications: dict[str, Labelling] = {}
        self.skips: dict[str, frozenset[str]] = {}
        self.flags: dict[str, str] = {}
        self.comments: dict[str, tuple[Remark, ...]] = {}
        self.anchors: dict[str, tuple[str, ...]] = {}
        self.topic_names: dict[str, str] = {}
        self.banned: dict[str, bool] = {}
        self.forbidden: dict[str, frozenset[str]] = {}
        self.frozen: dict[str, bool] = {}
        self.merged_topics: dict[str, str] = {}
        self.split_topics: dict[str, tuple[str, ...]] = {}
        self.parts: dict[str, str] = {}  # of divided topics, to the topic they stem from
        self.promoted: dict[str, str] = {}
        self._purity: dict[str, float] = {}
        self._trail: list[tuple[dict[str, Any], str, Any]] = []

    def put(self, table: dict[str, Any], key: str, value: Any) -> None:
        """Set a cell of a table; an empty value clears it."""
        self._trail.append((table, key, table.get(key, _NOTHING)))
        if value:
            table[key] = value
        else:
            table.pop(key, None)

    @property
    def purity(self) -> float | None:
        """The purity, if one was set."""
        return self._purity.get(_PURITY)

    def set_purity(self, purity: float) -> None:
        """Set the purity, which unlike other values may be zero."""
        self._trail.append((self._purity, _PURITY, self._purity.get(_PURITY, _NOTHING)))
        self._purity[_PURITY] = purity

    @property
    def place(self) -> int:
        """How long the trail is."""
        return len(self._trail)

    def go_back(self, place: int) -> None:
        """Take back all changes made since the trail was this long."""
        while len(self._trail) > place:
            table, key, before = self._trail.pop()
            if before is _NOTHING:
                table.pop(key, None)
            else:
                table[key] = before

    def freeze(self, number: int) -> Guidance:
        """Return the state as it is now, read-only."""
        return Guidance(
            number=number,
            label_set=_copy(self.label_set),
            labels=_copy(self.labels),
            adjudications=_copy(self.adjudications),
            skips=_copy(self.skips),
            flags=_copy(self.flags),
            comments=_copy(self.comments),
            anchors=_copy(self.anchors),
            topic_names=_copy(self.topic_names),
            banned=frozenset(self.banned),
            forbidden=_copy(self.forbidden),
            frozen=frozenset(self.frozen),
            merged_topics=_copy(self.merged_topics),
            split_topics=_copy(self.split_topics),
            promoted=_copy(self.promoted),
            purity=self.purity,
        )


class Turn(NamedTuple):
    """The state, whose turn it is, and the number of the act."""

    draft: Draft
    annotator: str
    number: int

    def say(self, labels: tuple[str, ...]) -> Labelling:
        """Return labels as what this annotator says by this act."""
        return Labelling(labels, self.number, self.annotator)
