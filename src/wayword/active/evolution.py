"""What an answer does to topics: anchors and words that came and went (Figure 5.9 of Nguyen, 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from wayword.active.topics import Anchor, TopicSet
from wayword.models.discovery import top_columns


@dataclass(frozen=True, slots=True)
class TopicChange:
    """One topic before and after.

    Attributes
    ----------
    before, after : tuple
        Its anchors; empty where it was not there yet, or is no longer.
    stayed, came, went : list
        Its best terms that are the same, that are new, and that are gone.
    """

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    stayed: list[Any]
    came: list[Any]
    went: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class TopicEvolution:
    """All topics before and after.

    Attributes
    ----------
    before, after : TopicSet
        The topics.
    changes : list of TopicChange
        The topics that are there now, in order, and then those that are gone.
    """

    before: TopicSet
    after: TopicSet
    changes: list[TopicChange]

    @property
    def came(self) -> list[tuple[Any, ...]]:
        """The anchors that are new."""
        return [change.after for change in self.changes if change.after and change.after != change.before]

    @property
    def went(self) -> list[tuple[Any, ...]]:
        """The anchors that are gone."""
        return [change.before for change in self.changes if change.before and change.after != change.before]


def _pair(before: TopicSet, after: TopicSet) -> dict[int, int]:
    """Return which topic each one was before: the one with its anchors, else the one that is most like it."""
    places = {anchor: place for place, anchor in enumerate(before.anchors)}
    pairs = {now: places[anchor] for now, anchor in enumerate(after.anchors) if anchor in places}
    new = [now for now in range(len(after.anchors)) if now not in pairs]
    old = sorted(set(range(len(before.anchors))) - set(pairs.values()))
    if new and old:
        alike = np.sqrt(after.components[new]) @ np.sqrt(before.components[old]).T
        pairs |= {new[place]: old[other] for place, other in zip(*linear_sum_assignment(-alike), strict=True)}
    return pairs


def compare_topics(
    before: TopicSet, after: TopicSet, terms: Sequence[str] | None = None, *, n_terms: int = 10
) -> TopicEvolution:
    """Return what changed from one state of topics to another.

    Parameters
    ----------
    before, after : TopicSet
        The two states, over the same terms.
    terms : sequence of str, optional
        The term of each column; without, columns are named.
    n_terms : int
        How many terms of each topic are looked at.
    """

    def name(columns: Anchor | np.ndarray) -> list[Any]:
        return [int(column) if terms is None else terms[column] for column in columns]

    old_tops, new_tops = (top_columns(topics.components, n_terms) for topics in (before, after))
    pairs = _pair(before, after)
    changes = []
    for now, anchor in enumerate(after.anchors):
        then = pairs.get(now)
        words = name(new_tops[now])
        words_before = [] if then is None else name(old_tops[then])
        changes.append(
            TopicChange(
                () if then is None else tuple(name(before.anchors[then])),
                tuple(name(anchor)),
                [word for word in words if word in words_before],
                [word for word in words if word not in words_before],
                [word for word in words_before if word not in words],
            )
        )
    gone = sorted(set(range(len(before.anchors))) - set(pairs.values()))
    changes += [TopicChange(tuple(name(before.anchors[place])), (), [], [], name(old_tops[place])) for place in gone]
    return TopicEvolution(before, after, changes)
