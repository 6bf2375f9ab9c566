"""Slow, obvious twins of the agreement of topics, straight from Greene, O'Callaghan and Cunningham (2014)."""

from __future__ import annotations

from itertools import permutations


def average_jaccard(a, b):
    """The mean over depths of the Jaccard similarity of the first terms."""
    depth = max(len(a), len(b))
    total = 0.0
    for d in range(1, depth + 1):
        both, either = set(a[:d]) & set(b[:d]), set(a[:d]) | set(b[:d])
        total += len(both) / len(either)
    return total / depth if depth else 0.0


def agreement(topics_a, topics_b):
    """The best of all ways to pair topics one to one; those that stay alone count 0."""
    few, many = sorted((topics_a, topics_b), key=len)
    totals = [
        sum(average_jaccard(a, b) for a, b in zip(few, chosen, strict=True)) for chosen in permutations(many, len(few))
    ]
    return max(totals) / len(many)
