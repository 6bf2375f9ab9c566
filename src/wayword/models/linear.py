"""Linear support vectors on sublinear tf-idf: one plane for each label, all in one matrix."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from wayword.matrix.weighting import inverse_document_frequencies
from wayword.models.calibration import choose_clearly, hold_out, rank_labels
from wayword.models.labels import Labels

# With fewer labelled documents a label, planes follow them more closely: errors cost more. With more than `_ENOUGH` they
# cost less and less, down to `_LEAST_COST`.
_FEW_DOCUMENTS, _COST_OF_FEW = 30, 10.0
_ENOUGH, _LEAST_COST = 50, 0.3
# What else errors may cost where there are enough documents to tell, by how many standard errors it must be better, and
# how many documents times labels, but no fewer documents than these, are looked at to find out.
_COSTS, _CLEARLY, _LOOKED_AT, _FEWEST_LOOKED_AT = (0.3, 1.0, 3.0, 10.0), 1.0, 40_000, 2_000
# Documents of a label count for more than the others by the ratio of their numbers, to this power: 0 would leave a rare
# label to its offset, 1 would take all labels for alike.
_EVENNESS = 0.5


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


def usual_cost(indicator: np.ndarray) -> float:
    """Return how much errors cost, for so many documents of so many labels."""
    documents = indicator.sum() / indicator.shape[1]
    return _COST_OF_FEW if documents < _FEW_DOCUMENTS else float(np.clip(_ENOUGH / documents, _LEAST_COST, 1.0))


def _even_out(applies: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return weights that count documents of a rare label for more, with the same sum."""
    share = weights[applies].sum() / weights.sum()
    evened = weights * np.where(applies, ((1.0 - share) / share) ** _EVENNESS, 1.0)
    return evened * (weights.sum() / evened.sum())


def fit_linear(
    X: sparse.csr_matrix,
    indicator: np.ndarray,
    weights: np.ndarray,
    *,
    known: np.ndarray | None = None,
    C: float | None = None,
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
    C : float, optional
        How much errors cost; as usual for so many documents and labels if not given.
    """
    C = usual_cost(indicator) if C is None else C
    idf = find_idf(X)
    rows = weigh(X, idf)

    def fit(label: int) -> tuple[np.ndarray, float]:
        told = slice(None) if known is None or known[:, label].all() else known[:, label]
        applies = indicator[told, label]
        if applies.all() or not applies.any():  # nothing to tell apart
            return np.zeros(X.shape[1]), 1.0 if applies.all() else -1.0
        machine = LinearSVC(C=C, random_state=0, dual=True)
        machine.fit(rows[told], applies, sample_weight=_even_out(applies, weights[told]))
        return machine.coef_[0], float(machine.intercept_[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # One after the other: all of liblinear draws from one generator, so threads would change the planes.
        planes = [fit(label) for label in range(indicator.shape[1])]
    return Linear(idf, np.column_stack([plane for plane, _ in planes]), np.array([offset for _, offset in planes]))


def cross_fit(
    X: sparse.csr_matrix,
    indicator: np.ndarray,
    weights: np.ndarray,
    parts: list[np.ndarray],
    *,
    known: np.ndarray | None = None,
    C: float | None = None,
) -> np.ndarray:
    """Return how far documents are on each label's side of planes that were fitted without them, part by part.

    Parameters
    ----------
    X, indicator, weights, known, C
        As for `fit_linear`.
    parts : list of int arrays
        The documents to leave out, some at a time.
    """
    found = [np.zeros((0, indicator.shape[1]))]
    for held in parts:
        rest = np.setdiff1d(np.arange(X.shape[0]), held)
        told = None if known is None else known[rest]
        found.append(fit_linear(X[rest], indicator[rest], weights[rest], known=told, C=C).score(X[held]))
    return np.concatenate(found)


def choose_cost(X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, seed: int) -> float:
    """Return how much errors cost: as usual, unless held-out documents are ranked clearly better.

    Where labels are opinions, as stars are, planes had better not follow them closely; where they are facts, they had.

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
    usual = usual_cost(labels.indicator)
    if usual == _COST_OF_FEW:
        return usual
    most = max(_FEWEST_LOOKED_AT, _LOOKED_AT // len(labels.names))
    some = np.sort(np.random.RandomState(seed).permutation(X.shape[0])[:most])
    X, labels, weights = X[some], labels.of(some), weights[some]
    folds = hold_out(labels, seed, at_once=len(some))
    if not folds:
        return usual
    truth = labels.indicator[np.concatenate(folds)]
    ranked = {
        cost: rank_labels(cross_fit(X, labels.indicator, weights, folds, known=labels.known, C=cost), truth)
        for cost in dict.fromkeys((usual, *_COSTS))
    }
    return choose_clearly(ranked, usual, _CLEARLY)
