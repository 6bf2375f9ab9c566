"""Slow, obvious twins of active learning, straight from equations 5.1 to 5.5 of the fifth seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

Rows = Sequence[Sequence[float]]


def sets_of(chances: Sequence[float]) -> list[float]:
    """Return the chance of every set of labels, labels being independent."""
    return [
        math.prod(chance if has else 1.0 - chance for has, chance in zip(having, chances, strict=True))
        for having in product([False, True], repeat=len(chances))
    ]


def answers(chances: Sequence[float], multilabel: bool) -> list[float]:
    return sets_of(chances) if multilabel else list(chances)


def entropy_of(distribution: Sequence[float]) -> float:
    """Return H = - sum p log p."""
    return -sum(chance * math.log(chance) for chance in distribution if chance > 0)


def margin_of(distribution: Sequence[float]) -> float:
    if not any(distribution):
        return 0.0
    first, second, *_ = [*sorted(distribution, reverse=True), 0.0]
    return 1.0 - (first - second)


def doubt_of(distribution: Sequence[float]) -> float:
    return 1.0 - max(distribution) if any(distribution) else 0.0


def by_answers(measure: Callable[[Sequence[float]], float], chances: Rows, multilabel: bool) -> list[float]:
    """Return a measure of the chances of all answers, for each document."""
    return [measure(answers(row, multilabel)) for row in chances]


def normalise(weights: Sequence[float]) -> list[float]:
    total = sum(weights)
    return [weight / total if total > 0 else 0.0 for weight in weights]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths > 0 else 0.0


def similarities(theta: Rows) -> np.ndarray:
    """Return the whole matrix of documents by documents."""
    return np.array([[cosine(one, other) for other in theta] for one in theta])


def density(chances: Rows, theta: Rows, p: float) -> list[float]:
    """Return equation 5.1."""
    return [
        entropy_of(row) * mean**p for row, mean in zip(chances, similarities(theta).mean(axis=1).tolist(), strict=True)
    ]


def alto(chances: Rows, theta: Rows) -> list[float]:
    """Return equation 5.2."""
    return [entropy_of(row) * max(normalise(topics)) for row, topics in zip(chances, theta, strict=True)]


def alto_ent(chances: Rows, theta: Rows) -> list[float]:
    """Return equation 5.3."""
    return [entropy_of(row) * entropy_of(normalise(topics)) for row, topics in zip(chances, theta, strict=True)]


def representative(scores: Sequence[float], theta: Rows, p: float) -> list[float]:
    """Return equations 5.4 and 5.5 from 5.2 and 5.3."""
    means = similarities(theta).mean(axis=1).tolist()
    return [score * mean**p for score, mean in zip(scores, means, strict=True)]


def votes_of(members: Rows) -> list[float]:
    """Return the share of votes of each label; a model without an opinion does not vote."""
    votes = [0.0] * len(members[0])
    for chances in members:
        if any(chances):
            votes[list(chances).index(max(chances))] += 1.0
    return normalise(votes)


def divergence_of(members: Rows) -> float:
    """Return the mean of the Kullback-Leibler divergences of the models from their mean."""
    members = [chances for chances in members if any(chances)]
    if not members:
        return 0.0
    mean = [sum(column) / len(members) for column in zip(*members, strict=True)]
    return sum(
        chance * math.log(chance / centre) / len(members)
        for chances in members
        for chance, centre in zip(chances, mean, strict=True)
        if chance > 0
    )


def choose(scores: Sequence[float], candidates: Sequence[bool], n: int, theta: Rows, damping: float) -> list[int]:
    """Return rows, each the best by score x (1 - damping x similarity to the nearest chosen)."""
    found: list[int] = []
    while len(found) < n:
        left = [row for row, may in enumerate(candidates) if may and row not in found]
        if not left:
            break
        nearest = {row: max((cosine(theta[row], theta[other]) for other in found), default=0.0) for row in left}
        found.append(max(left, key=lambda row: scores[row] * (1.0 - damping * nearest[row])))
    return found


def cold_start(theta: Rows, labelled: Sequence[bool], n: int) -> list[int]:
    """Return rows: of the topic asked about least, and among these the heaviest, the most typical document."""
    shares = [normalise(row) for row in theta]
    main = [row.index(max(row)) if any(row) else None for row in shares]
    asked = {row for row, is_ in enumerate(labelled) if is_}
    found: list[int] = []
    while len(found) < n and len(asked) < len(shares):
        row = next_cold(shares, main, asked)
        found.append(row)
        asked.add(row)
    return found


def next_cold(shares: Rows, main: Sequence[int | None], asked: set[int]) -> int:
    left = [row for row in range(len(shares)) if row not in asked]
    topics = {main[row] for row in left if main[row] is not None}
    if not topics:
        return left[0]
    topic = min(topics, key=lambda k: (sum(main[row] == k for row in asked), -sum(shares[row][k] for row in left), k))
    members = [row for row in range(len(shares)) if main[row] == topic]

    def typical(row: int) -> float:
        mean = sum(cosine(shares[row], shares[other]) for other in members) / len(members)
        nearest = max((cosine(shares[row], shares[other]) for other in asked), default=0.0)
        return round(mean * (1.0 - nearest), 12)

    return max((row for row in members if row not in asked), key=typical)
