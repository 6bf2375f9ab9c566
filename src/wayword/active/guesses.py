"""What the labels of all documents are likely to be, from those of a few.

Two opinions, and their product. `Spreading`: labels walk along the neighbours of labelled documents, and what arrives
of each label, on average over its documents, speaks for it. `fit_logistic`: a logistic regression on the features of
documents, which counts for more the more labels there are. Both depend on which documents have which labels and on
nothing else: not on the order of answers, and not on what was answered and taken back.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from wayword.active.space import DocumentSpace
from wayword.kernels.threads import one_blas_thread

# How much of a label goes on at each step, and how many steps it walks.
_GO_ON, _STEPS = 0.9, 25
# What each label has everywhere, as a share of the most that any document has of it.
_FLOOR = 1e-3
# Features are multiplied by the root of this, and weights cost this much.
_SHARPNESS, _WEIGHT_COST = 10.0, 0.05
_MOST_ROUNDS, _SETTLED = 60, 1e-3
# With so many labelled documents for each label, the regression counts for half.
_DISTRUST = 0.5
_DISTILL_COST = 1.0


class Spreading:
    """What reaches every document from each labelled one; kept, because it does not depend on labels."""

    def __init__(self, space: DocumentSpace) -> None:
        roots = sparse.diags(1.0 / np.sqrt(space.degrees))
        self._step = sparse.csr_matrix(roots @ space.nearness @ roots, dtype=np.float32)
        self._reached: dict[int, np.ndarray] = {}

    def from_row(self, row: int) -> np.ndarray:
        """Return what reaches every document from one."""
        if row not in self._reached:
            source = np.zeros(self._step.shape[0], dtype=np.float32)
            source[row] = 1.0 - _GO_ON
            reached = source.copy()
            for _ in range(_STEPS):
                reached = np.float32(_GO_ON) * (self._step @ reached) + source
            self._reached[row] = reached
        return self._reached[row]

    def forget(self, rows: set[int]) -> None:
        """Keep nothing of other rows than these."""
        self._reached = {row: reached for row, reached in self._reached.items() if row in rows}

    def spread(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return how likely each label is in each document, by its neighbours.

        Parameters
        ----------
        rows : int array of shape (n_labelled,)
            Labelled documents, in order.
        targets : array of shape (n_labelled, n_labels)
            Their labels; rows sum to one.

        Returns
        -------
        array of shape (n_documents, n_labels)
            Rows sum to one.
        """
        reached = np.zeros((self._step.shape[0], targets.shape[1]))
        for row, target in zip(rows, targets, strict=True):
            for label in np.flatnonzero(target):
                reached[:, label] += target[label] * self.from_row(int(row))
        reached /= np.maximum(targets.sum(axis=0), np.finfo(np.float64).tiny)
        reached += _FLOOR * max(float(reached.max(initial=0.0)), np.finfo(np.float32).tiny)
        return reached / reached.sum(axis=1, keepdims=True)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return chances in proportion to the exponentials of scores."""
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def fit_logistic(features: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression, by steps that never raise its objective (Boehning 1992).

    Parameters
    ----------
    features : array of shape (n_labelled, n_features)
    targets : array of shape (n_labelled, n_labels)
        Rows sum to one.

    Returns
    -------
    array of shape (n_features, n_labels)
    """
    Z = features.astype(np.float64) * np.sqrt(_SHARPNESS)
    # Weights are mixtures of documents, so that with fewer documents than features it is less work to find these.
    mixed = len(Z) < Z.shape[1]
    base = Z @ Z.T if mixed else Z.T @ Z
    inverse = np.linalg.inv(0.5 * base + _WEIGHT_COST * np.eye(len(base)))
    found = np.zeros((len(base), targets.shape[1]))
    for _ in range(_MOST_ROUNDS):
        wrong = softmax((base if mixed else Z) @ found) - targets
        step = inverse @ ((wrong if mixed else Z.T @ wrong) + _WEIGHT_COST * found)
        found -= step
        if np.abs(step).max() <= _SETTLED * np.abs(found).max():
            break
    return (Z.T @ found if mixed else found) * np.sqrt(_SHARPNESS)


class Guesser:
    """Guesses of the labels of all documents of a space, and of others."""

    def __init__(self, space: DocumentSpace) -> None:
        self.space = space
        self.spreading = Spreading(space)
        self._wide = space.features.astype(np.float64)
        self._distil: np.ndarray | None = None

    def guess(self, rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return how likely each label is in each document.

        Parameters
        ----------
        rows : int array of shape (n_labelled,)
            Labelled documents, in order.
        targets : array of shape (n_labelled, n_labels)
            Their labels; rows sum to one, and every label has a document.

        Returns
        -------
        array of shape (n_documents, n_labels)
            Rows sum to one; those of labelled documents are their labels.
        """
        n_labelled, n_labels = targets.shape
        with one_blas_thread():
            near = self.spreading.spread(rows, targets)
            weights = fit_logistic(self._wide[rows], targets)
            scores = self._wide @ weights
            # Chances times chances, in logarithms.
            scores *= n_labelled / (n_labelled + _DISTRUST * n_labels)
            scores += np.log(near)
            chances = softmax(scores)
        chances[rows] = targets
        return chances

    def distil(self, chances: np.ndarray) -> np.ndarray:
        """Return weights of features that say of any document what was guessed of these: shape (n_features, n_labels)."""
        with one_blas_thread():
            if self._distil is None:
                gram = self._wide.T @ self._wide
                gram[np.diag_indices_from(gram)] += _DISTILL_COST
                self._distil = cho_solve(cho_factor(gram, overwrite_a=True), self._wide.T)
            return self._distil @ chances

    def guess_others(self, features: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return how likely each label is in other documents, given the guesses for these; rows sum to one."""
        with one_blas_thread():
            scores = np.maximum(features.astype(np.float64) @ self.distil(chances), np.finfo(np.float32).tiny)
        return scores / scores.sum(axis=1, keepdims=True)
