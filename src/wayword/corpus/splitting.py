"""Divide documents at random so that every label has some on both sides.

Shuffle and cut; then, rarest label first, move one document over for each label that is missing on a side. Where that
would take another label off its side, a document that has that one moves back in exchange.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np


class _Division:
    """Documents on two sides, and how often each label is on each."""

    def __init__(self, labels: Sequence[Sequence[Any]], held: Collection[int], free: Sequence[int], first: int) -> None:
        self.labels = labels
        self.sides = [{*held, *free[:first]}, set(free[first:])]
        self.counts: list[Counter[Any]] = [Counter(chain.from_iterable(labels[k] for k in side)) for side in self.sides]
        self.totals: Counter[Any] = self.counts[0] + self.counts[1]
        self.holders: dict[Any, list[int]] = {name: [] for name in self.totals}
        for position in free:
            for name in labels[position]:
                self.holders[name].append(position)

    def move(self, position: int) -> None:
        """Move a document to the other side."""
        full = 0 if position in self.sides[0] else 1
        self.sides[full].remove(position)
        self.sides[1 - full].add(position)
        self.counts[full].subtract(self.labels[position])
        self.counts[1 - full].update(self.labels[position])

    def missed(self, position: int) -> list[Any]:
        """Return the labels that a document alone has on its side, though not everywhere."""
        counts = self.counts[0 if position in self.sides[0] else 1]
        return [name for name in self.labels[position] if counts[name] == 1 and self.totals[name] > 1]

    def spread(self, name: Any) -> bool:
        """Move a document with a label that is on one side only, others in exchange if need be; say whether it could."""
        holders = self.holders[name]
        leaving = next((k for k in holders if not self.missed(k)), None)
        if leaving is not None:
            self.move(leaving)
            return True
        return any(self._exchange(position) for position in holders)

    def _exchange(self, leaving: int) -> bool:
        """Move a document, and others back that have what is missed then; undo it all if there are none."""
        missed, moved = self.missed(leaving), [leaving]
        self.move(leaving)
        here = self.sides[0 if leaving in self.sides[0] else 1]
        for name in missed:
            if self.counts[0][name] and self.counts[1][name]:
                continue
            back = next((k for k in self.holders[name] if k != leaving and k in here and not self.missed(k)), None)
            if back is None:
                for position in reversed(moved):
                    self.move(position)
                return False
            self.move(back)
            moved.append(back)
        return True

    def even_out(self) -> bool:
        """Bring labels that are missing on a side there, the rarest first; say whether any could be."""
        wanted = [name for name, total in sorted(self.totals.items(), key=lambda item: (item[1], item[0])) if total > 1]
        brought = [self.spread(name) for name in wanted if not (self.counts[0][name] and self.counts[1][name])]
        return any(brought)

    def restore_sizes(self, order: Sequence[int], cut: int) -> None:
        """Move documents that nobody misses back, until the first side has `cut` of them or none is left."""
        full = 0 if len(self.sides[0]) > cut else 1
        for position in order:
            if len(self.sides[0]) == cut:
                return
            if position in self.sides[full] and not self.missed(position):
                self.move(position)


def divide(
    labels: Sequence[Sequence[Any]], order: Sequence[int], cut: int, held: Collection[int] = ()
) -> tuple[list[int], list[int]]:
    """Return the sorted positions of documents on both sides, about `cut` of them on the first.

    A label of two documents or more is on both sides, unless that would take some other label off one for which none
    can move back. The documents held are on the first side and stay there; the others start there in the given order.
    """
    free = [position for position in order if position not in held]
    division = _Division(labels, held, free, max(cut - len(held), 0))
    # Each move brings a label to both sides and takes none off, so this ends.
    while division.even_out():
        pass
    division.restore_sizes(free, cut)
    return sorted(division.sides[0]), sorted(division.sides[1])


def split_positions(labels: Sequence[Sequence[str]], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Return the sorted positions of a random `share` of the documents, and of the rest."""
    order: list[int] = np.random.default_rng(seed).permutation(len(labels)).tolist()
    return divide(labels, order, round(share * len(labels)))
