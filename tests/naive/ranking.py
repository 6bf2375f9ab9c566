"""Slow, obvious twin of log rank accuracy: section 7.3.1 of the first seed, by sorting and enumerating."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from functools import cache
from itertools import permutations
from statistics import fmean


def orders(scores: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Yield every order of the themes in which no score is above a higher one."""
    for order in permutations(range(len(scores))):
        ranked = [scores[theme] for theme in order]
        if ranked == sorted(ranked, reverse=True):
            yield order


def accuracy_of_ranks(ranks: Sequence[int], n_themes: int) -> float:
    """Return equation 7.1."""
    best = sum(math.log(n_themes) - math.log(i) for i in range(1, len(ranks) + 1))
    return sum(math.log(n_themes) - math.log(r) for r in ranks) / best if best > 0 else 1.0


@cache
def accuracy_of_document(themes: frozenset[int], scores: tuple[float, ...]) -> float:
    """Return the mean of equation 7.1 over all orders of equal scores."""
    return fmean(
        accuracy_of_ranks([order.index(theme) + 1 for theme in themes], len(scores)) for order in orders(scores)
    )


def accuracy(y: Sequence[Set[int]], scores: Sequence[Sequence[float]]) -> float:
    """Return the mean over the documents that have a theme."""
    pairs = zip(y, scores, strict=True)
    return fmean(accuracy_of_document(frozenset(themes), tuple(row)) for themes, row in pairs if themes)


def best_accuracy(y: Sequence[Set[int]], scores: Sequence[Sequence[float]], n_labels: int) -> float:
    """Return the highest accuracy of all ways to give labels different topics."""
    n_topics = len(scores[0])
    return max(
        accuracy([{topics[label] for label in labels} for labels in y], scores)
        for topics in permutations(range(n_topics), n_labels)
    )


def cross(first: Sequence[int], second: Sequence[int], start: int, end: int) -> list[int]:
    """Return a child: the first parent, but from start to end in the order of the second."""
    inside = sorted(first[start:end], key=list(second).index)
    return [*first[:start], *inside, *first[end:]]


def shift(individual: Sequence[int], origin: int, target: int) -> list[int]:
    """Return an individual whose number at one place was removed and put at another."""
    numbers = list(individual)
    numbers.insert(target, numbers.pop(origin))
    return numbers
