"""Divide documents at random so that every label has some on both sides.

Shuffle and cut; then, rarest label first, move one document over for each label that is missing on a side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np


def _can_leave(names: Sequence[Any], counts: Counter[Any], totals: Counter[Any]) -> bool:
    """Whether a document may go: each of its labels has another document there, or none anywhere."""
    return all(counts[name] > 1 or totals[name] == 1 for name in names)


def _even_out(
    labels: Sequence[Sequence[Any]],
    holders: dict[Any, list[int]],
    sides: list[set[int]],
    counts: list[Counter[Any]],
    totals: Counter[Any],
) -> bool:
    """Move one document over for each label that is missing on a side; say whether any moved."""
    moved = False
    for name, total in sorted(totals.items(), key=lambda item: (item[1], item[0])):
        if total < 2 or (counts[0][name] and counts[1][name]):
            continue
        full = 0 if counts[0][name] else 1
        leaving = next((k for k in holders[name] if _can_leave(labels[k], counts[full], totals)), None)
        if leaving is not None:
            sides[full].remove(leaving)
            sides[1 - full].add(leaving)
            counts[full].subtract(labels[leaving])
            counts[1 - full].update(labels[leaving])
            moved = True
    return moved


def _restore_sizes(
    labels: Sequence[Sequence[Any]],
    order: Sequence[int],
    sides: list[set[int]],
    counts: list[Counter[Any]],
    totals: Counter[Any],
    cut: int,
) -> None:
    """Move documents that nobody misses back, until the first side has `cut` of them or none is left."""
    full = 0 if len(sides[0]) > cut else 1
    for position in order:
        if len(sides[0]) == cut:
            return
        if position in sides[full] and _can_leave(labels[position], counts[full], totals):
            sides[full].remove(position)
            sides[1 - full].add(position)
            counts[full].subtract(labels[position])
            counts[1 - full].update(labels[position])


def divide(
    labels: Sequence[Sequence[Any]], order: Sequence[int], cut: int, held: Collection[int] = ()
) -> tuple[list[int], list[int]]:
    """Return the sorted positions of documents on both sides, about `cut` of them on the first.

    A label of two documents or more is on both sides, unless that would take some other label off one. The documents
    held are on the first side and stay there; the others start there in the given order.
    """
    free = [position for position in order if position not in held]
    first = max(cut - len(held), 0)
    sides = [{*held, *free[:first]}, set(free[first:])]
    counts: list[Counter[Any]] = [Counter(chain.from_iterable(labels[k] for k in side)) for side in sides]
    totals: Counter[Any] = counts[0] + counts[1]
    holders: dict[Any, list[int]] = {name: [] for name in totals}
    for position in free:
        for name in labels[position]:
            holders[name].append(position)
    # Each move brings a label to both sides and takes none off, so this ends.
    while _even_out(labels, holders, sides, counts, totals):
        pass
    _restore_sizes(labels, free, sides, counts, totals, cut)
    return sorted(sides[0]), sorted(sides[1])


def split_positions(labels: Sequence[Sequence[str]], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Return the sorted positions of a random `share` of the documents, and of the rest."""
    order: list[int] = np.random.default_rng(seed).permutation(len(labels)).tolist()
    return divide(labels, order, round(share * len(labels)))
