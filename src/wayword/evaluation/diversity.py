"""How much topics differ from each other, by their top terms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from wayword.errors import InputError
from wayword.evaluation.term_lists import TermList, check_lists, count_shared
from wayword.models.inputs import check_number


def topic_diversity(topics: Sequence[TermList]) -> float:
    """Return the share of distinct terms among the top terms of all topics.

    Parameters
    ----------
    topics : sequence of sequence of int or str
        The top terms of each topic, as columns or words.

    Returns
    -------
    float
        1 where no two topics share a term, 1 / n_topics where all are the same.

    Examples
    --------
    >>> from wayword.evaluation.diversity import topic_diversity
    >>> topic_diversity([["bed", "room"], ["room", "desk"]])
    0.75
    """
    lists = check_lists("topics", topics)
    n_listed = sum(map(len, lists))
    if not n_listed:
        raise InputError("topics must list at least one term, got none; the topics are empty")
    return len({term for terms in lists for term in terms}) / n_listed


def _overlap(shared: np.ndarray, lengths: tuple[int, int], persistence: float) -> float:
    """Return the extrapolated rank-biased overlap of two lists, equation 32 of Webber, Moffat and Zobel (2010)."""
    short, long = min(lengths), max(lengths)
    if short == 0:
        return 0.0
    depths = np.arange(1, long + 1)
    weights = (1.0 - persistence) / persistence * persistence**depths
    at_short, at_long = shared[short - 1], shared[long - 1]
    # Beyond its end, the short list is taken to agree as much as it did.
    beyond = at_short * np.maximum(depths - short, 0) / short
    tail = ((at_long - at_short) / long + at_short / short) * persistence**long
    return float((weights * (shared[:long] + beyond) / depths).sum() + tail)


def _mean_overlap(lists: list[list[Hashable]], persistence: float) -> float:
    shared = count_shared(lists, lists)
    pairs = zip(*np.triu_indices(len(lists), 1), strict=True)
    return float(np.mean([_overlap(shared[:, i, j], (len(lists[i]), len(lists[j])), persistence) for i, j in pairs]))


def inverted_rbo(topics: Sequence[TermList], *, persistence: float = 0.9) -> float:
    """Return how different the ranked terms of topics are: one less the mean rank-biased overlap of two topics.

    Unlike `topic_diversity`, a shared term counts the more the higher it ranks in both.

    Parameters
    ----------
    topics : sequence of sequence of int or str
        The top terms of each topic, the best first.
    persistence : float
        Above 0 and below 1: how likely a reader who has seen a term goes on to the next. The lower, the more the first
        ranks count.

    Returns
    -------
    float
        1 where no two topics share a term, or there is one topic only; 0 where all are the same.

    Examples
    --------
    >>> from wayword.evaluation.diversity import inverted_rbo
    >>> topics = [["bed", "room"], ["room", "desk"]]
    >>> round(inverted_rbo(topics), 3), inverted_rbo([["bed", "room"], ["desk", "staff"]])
    (0.55, 1.0)
    """
    check_number("persistence", persistence, most=1.0)
    if persistence in (0, 1):
        raise InputError(f"persistence must lie above 0 and below 1, got {persistence}; 0.9 is usual")
    lists = check_lists("topics", topics)
    # Sums of powers end a hair above one.
    return 1.0 if len(lists) < 2 else min(max(1.0 - _mean_overlap(lists, float(persistence)), 0.0), 1.0)
