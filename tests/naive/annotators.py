"""Slow, obvious twins of agreement between annotators: every pair of answers is looked at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from statistics import fmean
from typing import Any

Distance = Callable[[Any, Any], float]


def nominal(a: Any, b: Any) -> float:
    return float(a != b)


def interval(a: float, b: float) -> float:
    return (a - b) ** 2


def jaccard(a: frozenset[Any], b: frozenset[Any]) -> float:
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def masi(a: frozenset[Any], b: frozenset[Any]) -> float:
    if a == b:
        return 0.0
    if not a & b:
        return 1.0
    nearness = 2 / 3 if a < b or b < a else 1 / 3
    return 1 - nearness * len(a & b) / len(a | b)


def ordinal(documents: Sequence[Sequence[float]]) -> Distance:
    """Return the distance of two ranks: how many answers lie between, the two counting half."""
    counts = Counter(answer for document in documents if len(document) > 1 for answer in document)

    def distance(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(count for answer, count in counts.items() if low <= answer <= high)
        return (between - (counts[a] + counts[b]) / 2) ** 2

    return distance


def alpha(documents: Sequence[Sequence[Any]], distance: Distance) -> float:
    """Return Krippendorff's alpha from all pairs within documents, and all pairs."""
    counted = [document for document in documents if len(document) > 1]
    seen = sum(sum(distance(a, b) for a, b in permutations(said, 2)) / (len(said) - 1) for said in counted)
    everything = [answer for document in counted for answer in document]
    expected = sum(distance(a, b) for a, b in permutations(everything, 2))
    return 1 - seen / (expected / (len(everything) - 1)) if expected > 0 else math.nan


def percent(documents: Sequence[Sequence[Any]]) -> float:
    """Return the mean share of pairs that are the same."""
    shares = [fmean(a == b for a, b in combinations(said, 2)) for said in documents if len(said) > 1]
    return fmean(shares) if shares else math.nan


def fleiss(documents: Sequence[Sequence[Any]]) -> float:
    """Return Fleiss' kappa."""
    everything = [answer for said in documents if len(said) > 1 for answer in said]
    if len(set(everything)) < 2:
        return math.nan
    by_chance = sum((count / len(everything)) ** 2 for count in Counter(everything).values())
    return (percent(documents) - by_chance) / (1 - by_chance)


def cohen(a: Sequence[Any], b: Sequence[Any], distance: Distance) -> float:
    """Return Cohen's kappa, from each document and from any answer of one with any of the other."""
    if not a:
        return math.nan
    expected = fmean(distance(x, y) for x in a for y in b)
    seen = fmean(distance(x, y) for x, y in zip(a, b, strict=True))
    return 1 - seen / expected if expected > 0 else math.nan
