"""Lists of top terms, the best first, and how far two such lists agree."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_whole
from wayword.models.theme_scores import check_weights

TermList = Sequence[Hashable] | np.ndarray


def top_columns(components: Any, n: int = 10) -> list[list[int]]:
    """Return the columns of the top terms of topics.

    Parameters
    ----------
    components : array of shape (n_topics, n_terms)
        Weights of 0 or more, such as `components_` of a model.
    n : int
        The most terms of a topic.

    Returns
    -------
    list of list of int
        For each topic its columns, the best first. Of equal weights the first column is first, and terms without
        weight are left out.

    Examples
    --------
    >>> from wayword.evaluation.term_lists import top_columns
    >>> top_columns([[0.1, 0.6, 0.3], [0.0, 0.0, 1.0]], n=2)
    [[1, 2], [2]]
    """
    check_whole("n", n)
    weights = check_weights("components", components, n_topics=None, n_terms=None)
    return [best_columns(row, n).tolist() for row in weights]


def best_columns(weights: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the largest weights above zero of one topic, the best first; of equal ones the first.

    Parameters
    ----------
    weights : array of shape (n_terms,)
    n : int
        The most columns.
    """
    held = np.flatnonzero(weights > 0)
    values = weights[held]
    if len(held) > n:
        # All that reach the n-th best: which of equal ones a partition puts first is its own affair.
        reached = values >= np.partition(values, len(values) - n)[len(values) - n]
        held, values = held[reached], values[reached]
    return held[np.argsort(-values, kind="stable")[:n]]


def check_lists(name: str, topics: Any) -> list[list[Hashable]]:
    """Return the terms of each topic as lists; there must be a topic, and no term twice in one."""
    if isinstance(topics, str) or not isinstance(topics, Iterable):
        raise InputError(f"{name} must be lists of terms, one for each topic, got {shorten(topics)}")
    lists = []
    for topic in topics:
        if isinstance(topic, str) or not isinstance(topic, Iterable):
            raise InputError(f"each topic of {name} must be a list of its top terms, got {shorten(topic)}")
        lists.append(topic.tolist() if isinstance(topic, np.ndarray) else list(topic))
    if not lists:
        raise InputError(f"{name} must hold at least one topic, got none")
    for terms in lists:
        if any(isinstance(term, float) for term in terms):
            raise InputError(f"{name} must name terms, got weights; top_columns finds the top terms of weights")
        if len(set(terms)) < len(terms):
            raise InputError(f"a topic of {name} must name a term once, got {shorten(terms)}")
    return lists


def _as_codes(lists: list[list[Hashable]], codes: dict[Hashable, int], depth: int, empty: int) -> np.ndarray:
    """Return lists as rows of numbers; `empty` fills the short ones."""
    rows = np.full((len(lists), depth), empty)
    for row, terms in zip(rows, lists, strict=True):
        row[: len(terms)] = [codes.setdefault(term, len(codes)) for term in terms]
    return rows


def count_shared(a: list[list[Hashable]], b: list[list[Hashable]]) -> np.ndarray:
    """Return how many terms the first 1, 2, ... terms of each list of `a` and each of `b` share.

    Returns
    -------
    array of shape (depth, n_a, n_b)
        The depth is the length of the longest list.
    """
    depth = max(map(len, a + b))
    codes: dict[Hashable, int] = {}
    left, right = _as_codes(a, codes, depth, -1), _as_codes(b, codes, depth, -2)
    shared = np.zeros((depth, len(a), len(b)))
    for i, j in product(range(depth), repeat=2):
        # A term of rank i here and j there is shared from the deeper of the two ranks on.
        shared[max(i, j)] += left[:, i, None] == right[None, :, j]
    return shared.cumsum(axis=0)


def lengths_at(lists: list[list[Hashable]], depth: int) -> np.ndarray:
    """Return how many terms of each list are among the first 1, 2, ...: shape (depth, n_lists)."""
    return np.minimum(np.arange(1, depth + 1)[:, None], [len(terms) for terms in lists])
