"""Whether topics come again: in another run, from another start, in other documents.

Two topics agree as much as their lists of top terms do, by the average Jaccard similarity: of the first term of each,
of the first two, and so on. Two sets of topics are matched one to one so that they agree most, and agree as much as
their pairs do on average (Greene, O'Callaghan and Cunningham, 2014).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wayword.evaluation.matching import match_topics
from wayword.evaluation.term_lists import TermList, check_lists, count_shared, lengths_at


@dataclass(frozen=True, slots=True)
class Stability:
    """How far runs agree on their topics.

    Attributes
    ----------
    mean : float
        Mean agreement of two runs; 1 where all have the same terms in the same order, 0 where no term is shared.
    topics : array of shape (n_topics,)
        For each topic of the first run, how similar its partner in the other runs is, on average.
    runs : array of shape (n_runs, n_runs)
        Agreement of every two runs.
    """

    mean: float
    topics: np.ndarray
    runs: np.ndarray


def _average_jaccard(a: list[list[Hashable]], b: list[list[Hashable]]) -> np.ndarray:
    shared = count_shared(a, b)
    first, second = lengths_at(a, len(shared))[:, :, None], lengths_at(b, len(shared))[:, None, :]
    either = first + second - shared
    similarities = np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)
    # Two lists are compared as deep as the longer of them goes.
    depths = np.arange(1, len(shared) + 1)[:, None, None]
    deep = depths <= np.maximum(first, second)
    return (similarities * deep).sum(axis=0) / np.maximum(deep.sum(axis=0), 1)


def average_jaccard(topics_a: Sequence[TermList], topics_b: Sequence[TermList]) -> np.ndarray:
    """Return how similar the ranked terms of topics are.

    The mean over depths d = 1, 2, ... of the Jaccard similarity of the first d terms, so that high ranks count most.

    Parameters
    ----------
    topics_a, topics_b : sequences of sequence of int or str
        The top terms of each topic, the best first, as columns or words.

    Returns
    -------
    array of shape (n_topics_a, n_topics_b)
        From 0, no term in common, to 1, the same terms in the same order.

    Examples
    --------
    >>> from wayword.evaluation.stability import average_jaccard
    >>> average_jaccard([["bed", "room", "bath"]], [["room", "bed", "bath"], ["desk", "bed", "room"]]).round(2)
    array([[0.67, 0.28]])
    """
    return _average_jaccard(check_lists("topics_a", topics_a), check_lists("topics_b", topics_b))


def _agreements(a: list[list[Hashable]], b: list[list[Hashable]]) -> tuple[float, np.ndarray]:
    """Return how far two runs agree, and for each topic of the first how similar its partner is; 0 without one."""
    match = match_topics(_average_jaccard(a, b))
    topics = np.zeros(len(a))
    topics[match.topics] = match.similarities
    return float(match.similarities.sum()) / max(len(a), len(b)), topics


def topic_stability(topics_a: Sequence[TermList], topics_b: Sequence[TermList], *more: Sequence[TermList]) -> Stability:
    """Return how far two or more runs of a model agree on the top terms of their topics.

    Every two runs are matched one to one so that their topics are most similar, see `average_jaccard`. A topic that
    stays alone, because a run has more of them than the other, counts as 0.

    Parameters
    ----------
    topics_a, topics_b, *more : sequences of sequence of int or str
        The top terms of each topic of each run, the best first, as columns or words; see `top_columns`.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from wayword.evaluation.stability import topic_stability
    >>> first, second = [["bed", "room"], ["desk", "staff"]], [["staff", "desk"], ["bed", "room"]]
    >>> topic_stability(first, second).topics
    array([1. , 0.5])
    >>> topic_stability(first, second).mean
    0.75
    """
    runs = [check_lists(name, run) for name, run in (("topics_a", topics_a), ("topics_b", topics_b))]
    runs += [check_lists("each of more", run) for run in more]
    agreement = np.eye(len(runs))
    of_topics = []
    for i, j in combinations(range(len(runs)), 2):
        agreement[i, j], topics = _agreements(runs[i], runs[j])
        agreement[j, i] = agreement[i, j]
        if i == 0:
            of_topics.append(topics)
    mean = float(agreement[np.triu_indices(len(runs), 1)].mean())
    return Stability(mean, np.mean(of_topics, axis=0), agreement)
