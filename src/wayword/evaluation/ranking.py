"""How near the top the labels of documents are ranked, and which topic to call by which label for that.

Themes are ranked in each document by their scores, the highest first. Log rank accuracy (section 7.3.1 of the first
seed) is the sum over the labels of a document of ln P - ln r, where P is the number of themes and r the rank of the
label, over the most that this sum can be. Being second rather than first costs more than being last rather than last
but one.

Topics without names are matched with labels so that this accuracy is highest. What a label gains by a topic does not
depend on the other labels, so the accuracy is a sum over pairs and the best matching is a linear assignment problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError, shorten
from wayword.evaluation.genetic import Callback, evolve
from wayword.models.inputs import check_number, check_sample_weight, check_whole
from wayword.models.labels import Labels, read_labels


@dataclass(frozen=True, slots=True)
class RankMatch:
    """Labels and topics, paired one to one by log rank accuracy.

    Attributes
    ----------
    labels : array of shape (n_labels,)
        The labels, sorted; for a matrix of labels without names, the numbers of its columns.
    topics : int array of shape (n_labels,)
        The topic of each label: a column of the scores.
    n_topics : int
        How many topics there are, matched or not.
    accuracy : float
        Log rank accuracy of the documents that were matched on.
    """

    labels: np.ndarray
    topics: np.ndarray
    n_topics: int
    accuracy: float

    @property
    def themes(self) -> list[Any]:
        """Label of each topic, None where it has none; what `log_rank_accuracy` takes as `themes`."""
        names: list[Any] = [None] * self.n_topics
        for name, topic in zip(self.labels.tolist(), self.topics.tolist(), strict=True):
            names[topic] = name
        return names


def _check_scores(scores: Any) -> np.ndarray:
    try:
        values = np.asarray(scores.toarray() if sparse.issparse(scores) else scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"scores must be a matrix of numbers, documents by themes, got {shorten(scores)}") from None
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(f"scores must be a matrix of documents by themes, got shape {values.shape}")
    if np.isnan(values).any():
        raise InputError("scores must not be NaN; write -inf for a theme that comes last")
    return values


def log_ranks(scores: Any) -> np.ndarray:
    """Return the logarithm of the rank of each theme in each document; the highest score has rank 1.

    Themes with equal scores share the mean of the logarithms of the ranks that they occupy: what each would have on
    average over all orders of them.

    Parameters
    ----------
    scores : array of shape (n_documents, n_themes)
        Higher is better; may be infinite but not NaN.

    Returns
    -------
    array of shape (n_documents, n_themes)
    """
    values = _check_scores(scores)
    order = np.argsort(-values, axis=1)
    ranked = np.take_along_axis(values, order, axis=1)
    # Groups of equal scores, numbered through all documents: one begins with each document and each lower score.
    begins = np.ones(values.shape, dtype=bool)
    begins[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    groups = np.cumsum(begins) - 1
    sums = np.bincount(groups, weights=np.tile(np.log(np.arange(1, values.shape[1] + 1)), len(values)))
    means = sums / np.bincount(groups)
    result = np.empty_like(values)
    np.put_along_axis(result, order, means[groups].reshape(values.shape), axis=1)
    return result


def _read_some_labels(y: Any, n_documents: int) -> Labels:
    labels = read_labels(y, n_documents)
    if not labels.indicator.any():
        raise InputError("no document of y has a label, so there is nothing to rank")
    return labels


def _find_columns(names: Sequence[Any], themes: Sequence[Any] | np.ndarray | None, n_themes: int) -> list[int]:
    """Return the column of the scores that belongs to each label."""
    if themes is None:
        if len(names) != n_themes:
            raise InputError(
                f"y has {len(names)} labels but scores {n_themes} columns; give themes, the names of these columns"
            )
        return list(range(n_themes))
    if isinstance(themes, str) or len(themes) != n_themes:
        raise InputError(f"themes must be a list of names of the {n_themes} columns of scores, got {shorten(themes)}")
    columns = {name: column for column, name in enumerate(themes) if name is not None}
    if len(columns) < sum(name is not None for name in themes):
        raise InputError(f"themes must differ from each other, got {shorten(list(themes))}")
    if strange := [name for name in names if name not in columns]:
        raise InputError(f"labels of y must be among themes; these are not: {shorten(strange)}")
    return [columns[name] for name in names]


def _share_scores(ranks: np.ndarray, n_labels: np.ndarray) -> np.ndarray:
    """Return the part of the best possible score of each document that each theme brings if it is a label of it."""
    n_themes = ranks.shape[1]
    if n_themes == 1:
        return np.ones_like(ranks)  # the only theme is first; its score, ln 1 - ln 1, says nothing
    best = np.cumsum(np.log(n_themes) - np.log(np.arange(1, n_themes + 1)))
    return (np.log(n_themes) - ranks) / np.append(np.inf, best)[n_labels][:, None]


def log_rank_accuracies(y: Any, scores: Any, *, themes: Sequence[Any] | np.ndarray | None = None) -> np.ndarray:
    """Return the log rank accuracy of each document, NaN where it has no label; see `log_rank_accuracy`."""
    ranks = log_ranks(scores)
    labels = _read_some_labels(y, len(ranks))
    if themes is None and set(labels.names.tolist()) <= set(getattr(scores, "columns", ())):
        themes = list(scores.columns)
    columns = _find_columns(labels.names.tolist(), themes, ranks.shape[1])
    n_labels = labels.indicator.sum(axis=1)
    shares = _share_scores(ranks, n_labels)[:, columns]
    # The sum of all shares is 1 but for rounding.
    accuracies = np.minimum((shares * labels.indicator).sum(axis=1), 1.0)
    return np.where(n_labels > 0, accuracies, np.nan)


def log_rank_accuracy(
    y: Any, scores: Any, *, themes: Sequence[Any] | np.ndarray | None = None, sample_weight: Any = None
) -> float:
    """Return how near the top the labels of documents are ranked: 1 when nothing is above them, 0 when all else is.

    For a document with the ranks R of its labels among P themes, the sum over R of ln P - ln r, over the same sum for
    the ranks 1 to the number of labels; then the mean over the documents that have a label. One theme only gives 1.
    Themes with equal scores count as on average over all orders of them, so the result is exact and does not depend
    on the order of the columns.

    Parameters
    ----------
    y : names, lists of names, or matrix of documents by labels
        The labels of each document. Those without one do not count; of a matrix, only entries of 1 are labels.
    scores : array of shape (n_documents, n_themes)
        Score of each theme in each document, higher is better; may be infinite but not NaN.
    themes : list of length n_themes, optional
        Names of the columns of `scores`, None for those that are no label; by default those of a frame that names all
        labels, or the sorted names, or the columns, of `y`. The columns of a matrix without names are known by their numbers.
    sample_weight : array of shape (n_documents,), optional
        How much each document counts.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    The only label has the second of 20 ranks.

    >>> from wayword import log_rank_accuracy
    >>> round(log_rank_accuracy(["b"], [range(20, 0, -1)], themes=list("abcdefghijklmnopqrst")), 3)
    0.769
    """
    accuracies = log_rank_accuracies(y, scores, themes=themes)
    weights = check_sample_weight(sample_weight, len(accuracies))
    counts = ~np.isnan(accuracies)
    if weights is None:
        return float(accuracies[counts].mean())
    if not weights[counts].any():
        raise InputError("sample_weight is 0 for every document that has a label; give one of them a weight")
    return float(np.average(accuracies[counts], weights=weights[counts]))


def _find_gains(y: Any, scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels, and the part of the accuracy that each of them (row) brings by each topic (column)."""
    ranks = log_ranks(scores)
    labels = _read_some_labels(y, len(ranks))
    if len(labels.names) > ranks.shape[1]:
        raise InputError(
            f"{len(labels.names)} labels need as many topics or more, got {ranks.shape[1]} columns of scores"
        )
    n_labels = labels.indicator.sum(axis=1)
    documents_of = sparse.csr_matrix(labels.indicator.T, dtype=np.float64)
    return labels.names, documents_of @ _share_scores(ranks, n_labels) / np.count_nonzero(n_labels)


def _as_match(names: np.ndarray, gains: np.ndarray, topics: np.ndarray) -> RankMatch:
    accuracy = gains[np.arange(len(names)), topics].sum()
    return RankMatch(names, topics, gains.shape[1], min(float(accuracy), 1.0))


def match_by_log_rank(y: Any, scores: Any) -> RankMatch:
    """Pair labels and topics one to one so that the log rank accuracy is the highest there is.

    Topics are ranked among all topics, also where there are more of them than labels and some stay without one.

    Parameters
    ----------
    y : names, lists of names, or matrix of documents by labels
        The labels of each document; documents without one do not count.
    scores : array of shape (n_documents, n_topics)
        Score of each topic in each document, for example its weights; as many topics as labels, or more.

    Returns
    -------
    RankMatch
        Its `themes` are the names of the columns, to measure other documents by `log_rank_accuracy`.

    Examples
    --------
    >>> from wayword import match_by_log_rank
    >>> match = match_by_log_rank(["rice", "tea", "tea"], [[0.1, 0.9], [0.6, 0.4], [0.7, 0.2]])
    >>> match.themes, match.accuracy
    (['tea', 'rice'], 1.0)
    """
    names, gains = _find_gains(y, scores)
    _, topics = optimize.linear_sum_assignment(gains, maximize=True)
    return _as_match(names, gains, topics)


def match_by_genetic_algorithm(
    y: Any,
    scores: Any,
    *,
    population: int = 100,
    generations: int = 500,
    crossover: float = 0.9,
    mutation: float = 0.3,
    random_state: Any = 0,
    callback: Callback | None = None,
) -> RankMatch:
    """Pair labels and topics one to one by a genetic algorithm, as the literature does.

    It nears the accuracy of `match_by_log_rank`, which is exact and faster; it is there to compare with results that
    were had in this way. Individuals start greedily, parents are selected by rank, crossed at two points and mutated
    by shifting a topic, and the best of a generation goes on to the next in the place of a random child.

    Parameters
    ----------
    y, scores
        As for `match_by_log_rank`.
    population, generations : int
        How many matchings are kept, and how often they are replaced by others.
    crossover, mutation : float
        Chance that two parents are crossed, and that a child is mutated.
    random_state : int, RandomState or None
        Seed. The same seed gives the same matching; None draws another each time.
    callback : callable, optional
        Called with the generation and the highest accuracy after each generation; returns True to stop.

    Returns
    -------
    RankMatch
    """
    check_whole("population", population)
    check_whole("generations", generations, least=0)
    check_number("crossover", crossover, most=1.0)
    check_number("mutation", mutation, most=1.0)
    names, gains = _find_gains(y, scores)
    # Labels that nobody has stand for topics that stay alone.
    square = np.zeros((gains.shape[1], gains.shape[1]))
    square[: len(names)] = gains
    permutation = evolve(
        square,
        population=int(population),
        generations=int(generations),
        crossover=crossover,
        mutation=mutation,
        rng=check_random_state(random_state),
        callback=callback,
    )
    return _as_match(names, gains, permutation[: len(names)])
