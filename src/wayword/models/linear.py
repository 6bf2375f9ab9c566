"""Linear support vectors on sublinear tf-idf: one plane for each label, all in one matrix.

Terms count the more for a label's plane the better they tell its documents from others, as in naive Bayes: of words that
are as frequent, those that come with a label now and then had better not have the same say as those that always do.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from wayword.matrix.weighting import inverse_document_frequencies
from wayword.models.calibration import choose_clearly, hold_out, rank_labels
from wayword.models.labels import Labels

# Errors cost one, and less and less with more labelled documents a label than `_ENOUGH`, down to `_LEAST_COST`.
_ENOUGH, _LEAST_COST = 50, 0.3
# Terms that tell a label from others by the logarithm r of how much likelier they are with it count for |r| to this
# power; a term is taken to have occurred so often with the label, and without it, before it was ever seen.
_PREFERENCE, _USUAL_PSEUDO_COUNT = 0.5, 0.1
# Below this, what terms tell is rounding.
_ROUNDING = 1e-6
# What else both may be where there are at least so many documents a label, by how many standard errors it must be better,
# and how many documents times labels, but no fewer documents than these, are looked at to find out. Few occurrences say
# much about facts and little about opinions; without pseudo-counts all terms count alike. A few documents tell costs
# apart, where texts are short or labels vague, but not pseudo-counts.
_COSTS, _PSEUDO_COUNTS = (0.03, 0.1, 0.3, 1.0, 3.0), (1.0, None)
_FEWEST_FOR_COSTS, _FEWEST_FOR_COUNTS = 5, 30
_CLEARLY_CHEAPER, _CLEARLY_PREFERRED = 1.0, 0.5
_LOOKED_AT, _FEWEST_LOOKED_AT = 40_000, 2_000
# Documents of a label count for more than the others by the ratio of their numbers, to this power: 0 would leave a rare
# label to its offset, 1 would take all labels for alike.
_EVENNESS = 0.5
# All of liblinear draws from one generator, so that planes fitted at the same time would change each other.
_ONE_AFTER_THE_OTHER = threading.Lock()


@dataclass(frozen=True, slots=True)
class Manner:
    """How planes are fitted.

    Attributes
    ----------
    cost : float
        How much errors cost: planes that follow labels closely where it is high.
    pseudo_count : float or None
        How often each term is taken to have occurred with a label, and without it, before it was seen: where it is low,
        terms of few documents may tell much. None for terms that all count alike.
    """

    cost: float
    pseudo_count: float | None = _USUAL_PSEUDO_COUNT


@dataclass(frozen=True, slots=True)
class Linear:
    """Planes that tell the documents of labels from all others.

    Attributes
    ----------
    idf : array of shape (n_terms,)
        Inverse document frequencies; zero for a term of no document.
    planes : array of shape (n_terms, n_labels)
    offsets : array of shape (n_labels,)
    """

    idf: np.ndarray
    planes: np.ndarray
    offsets: np.ndarray

    def weigh(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return counts as rows of length one, of (1 + log n) times the inverse document frequency."""
        return weigh(X, self.idf)

    def score(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return how far each document is on a label's side: array of shape (n_documents, n_labels)."""
        return self.weigh(X) @ self.planes + self.offsets


def weigh(X: sparse.csr_matrix, idf: np.ndarray) -> sparse.csr_matrix:
    """Return rows of length one; counts below one, as weighted matrices have, grow as log(1 + x) does."""
    data = np.where(X.data >= 1.0, 1.0 + np.log(np.maximum(X.data, 1.0)), np.log2(1.0 + X.data))
    weighted = sparse.csr_matrix((data * idf[X.indices], X.indices, X.indptr), shape=X.shape)
    return normalize(weighted, copy=False)


def find_idf(X: sparse.csr_matrix) -> np.ndarray:
    """Return inverse document frequencies; zero for a term of no document."""
    frequencies = np.bincount(X.indices, minlength=X.shape[1])
    return np.where(frequencies > 0, inverse_document_frequencies(frequencies, X.shape[0]), 0.0)


def usual_manner(indicator: np.ndarray) -> Manner:
    """Return how planes are fitted to so many documents of so many labels."""
    return Manner(float(np.clip(_ENOUGH / max(_documents_a_label(indicator), 1.0), _LEAST_COST, 1.0)))


def _documents_a_label(indicator: np.ndarray) -> float:
    return indicator.sum() / indicator.shape[1]


def _even_out(applies: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return weights that count documents of a rare label for more, with the same sum."""
    share = weights[applies].sum() / weights.sum()
    evened = weights * np.where(applies, ((1.0 - share) / share) ** _EVENNESS, 1.0)
    return evened * (weights.sum() / evened.sum())


def prefer_terms(
    rows: sparse.csr_matrix, applies: np.ndarray, weights: np.ndarray, pseudo_count: float | None
) -> np.ndarray:
    """Return what each term counts for a label: more, the better it tells documents of the label from others.

    Rows that are multiplied by it keep a mean squared length of one.

    Parameters
    ----------
    rows : sparse matrix of shape (n_documents, n_terms)
        Rows of length one.
    applies : bool array of shape (n_documents,)
        Whether the label applies.
    weights : array of shape (n_documents,)
        How much each document counts.
    pseudo_count : float or None
        As for `Manner`.
    """
    if pseudo_count is None:
        return np.ones(rows.shape[1])
    weights = weights / weights.mean()
    among, outside = (rows.T @ (weights * told) + pseudo_count for told in (applies, ~applies))
    ratios = np.log(among / among.sum()) - np.log(outside / outside.sum())
    preference = np.abs(ratios) ** _PREFERENCE
    squares = np.bincount(rows.indices, weights=rows.data**2, minlength=rows.shape[1])
    length = np.sqrt(squares @ preference**2 / len(applies))
    return preference / length if length > _ROUNDING else np.ones(rows.shape[1])


def multiply_columns(rows: sparse.csr_matrix, factors: np.ndarray) -> sparse.csr_matrix:
    """Return rows with each column multiplied by a factor."""
    return sparse.csr_matrix((rows.data * factors[rows.indices], rows.indices, rows.indptr), shape=rows.shape)


def fit_linear(
    X: sparse.csr_matrix,
    indicator: np.ndarray,
    weights: np.ndarray,
    *,
    known: np.ndarray | None = None,
    manner: Manner | None = None,
) -> Linear:
    """Fit a plane for each label.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts of labelled documents.
    indicator : bool array of shape (n_documents, n_labels)
        Which labels apply.
    weights : array of shape (n_documents,)
        How much each document counts.
    known : bool array of shape (n_documents, n_labels), optional
        Where it is known whether a label applies: what is not known teaches its plane nothing. All by default.
    manner : Manner, optional
        How to fit; as usual for so many documents and labels if not given.
    """
    manner = usual_manner(indicator) if manner is None else manner
    idf = find_idf(X)
    rows = weigh(X, idf)

    def fit(label: int) -> tuple[np.ndarray, float]:
        told = slice(None) if known is None or known[:, label].all() else known[:, label]
        some, applies = rows if isinstance(told, slice) else rows[told], indicator[told, label]
        if applies.all() or not applies.any():  # nothing to tell apart
            return np.zeros(X.shape[1]), 1.0 if applies.all() else -1.0
        machine, evened = LinearSVC(C=manner.cost, random_state=0, dual=True), _even_out(applies, weights[told])
        preference = prefer_terms(some, applies, evened, manner.pseudo_count)
        machine.fit(multiply_columns(some, preference), applies, sample_weight=evened)
        return machine.coef_[0] * preference, float(machine.intercept_[0])

    with _ONE_AFTER_THE_OTHER, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        planes = [fit(label) for label in range(indicator.shape[1])]
    return Linear(idf, np.column_stack([plane for plane, _ in planes]), np.array([offset for _, offset in planes]))


def cross_fit(
    X: sparse.csr_matrix,
    indicator: np.ndarray,
    weights: np.ndarray,
    parts: list[np.ndarray],
    *,
    known: np.ndarray | None = None,
    manner: Manner | None = None,
) -> np.ndarray:
    """Return how far documents are on each label's side of planes that were fitted without them, part by part.

    Parameters
    ----------
    X, indicator, weights, known, manner
        As for `fit_linear`.
    parts : list of int arrays
        The documents to leave out, some at a time.
    """
    found = [np.zeros((0, indicator.shape[1]))]
    for held in parts:
        rest = np.setdiff1d(np.arange(X.shape[0]), held)
        told = None if known is None else known[rest]
        found.append(fit_linear(X[rest], indicator[rest], weights[rest], known=told, manner=manner).score(X[held]))
    return np.concatenate(found)


def choose_manner(X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, seed: int) -> Manner:
    """Return how planes are fitted: as usual, unless held-out documents are ranked clearly better.

    Where labels are opinions, as stars are, planes had better not follow them closely, nor terms of few documents; where
    they are facts, they had.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts of labelled documents.
    labels : Labels
        What is told about them.
    weights : array of shape (n_documents,)
        How much each document counts.
    seed : int
        Draws the documents to look at, and those that are held out.
    """
    usual = usual_manner(labels.indicator)
    n_a_label = _documents_a_label(labels.indicator)
    if n_a_label < _FEWEST_FOR_COSTS:
        return usual
    most = max(_FEWEST_LOOKED_AT, _LOOKED_AT // len(labels.names))
    some = np.sort(np.random.RandomState(seed).permutation(X.shape[0])[:most])
    X, labels, weights = X[some], labels.of(some), weights[some]
    folds = hold_out(labels, seed, at_once=len(some))
    if not folds:
        return usual
    truth = labels.indicator[np.concatenate(folds)]

    @cache
    def rank(manner: Manner) -> np.ndarray:
        return rank_labels(cross_fit(X, labels.indicator, weights, folds, known=labels.known, manner=manner), truth)

    counts = _PSEUDO_COUNTS if n_a_label >= _FEWEST_FOR_COUNTS else ()
    by_count = [usual, *(replace(usual, pseudo_count=count) for count in counts)]
    best = choose_clearly({manner: rank(manner) for manner in by_count}, usual, _CLEARLY_PREFERRED)
    by_cost = [best, *(replace(best, cost=cost) for cost in _COSTS if cost != usual.cost)]
    return choose_clearly({manner: rank(manner) for manner in by_cost}, best, _CLEARLY_CHEAPER)
