"""Factorise a matrix by improving one factor, then the other, until both settle.

The steps of an iteration: improve the document weights with the topics fixed; go on a little further in the same
direction; improve the topics with these weights fixed; go on a little further. If the objective fell, keep both and
dare more next time; if not, go back to the best so far and dare less. What is kept never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy import sparse

from wayword.kernels.factor import multiply_rows, sum_kl_rows, update_kl_rows, update_square_rows
from wayword.kernels.threads import map_in_order

Loss = Literal["kl", "frobenius"]
# Told the iteration and the objective; returns True to stop.
Callback = Callable[[int, float], bool | None]
NO_MASK = np.zeros((0, 0), dtype=bool)
_ENTRIES_AT_ONCE = 2**15
# How far to go on beyond a step, at first, and how that grows and shrinks (Ang and Gillis).
_FIRST_DARE, _BOLDER, _SHYER = 0.5, 1.1, 0.75
_MOST_DARE = 1.0
_SQUARE_SWEEPS = 4


@dataclass(frozen=True, slots=True)
class Penalty:
    """What weights of a factor cost: l1 times their sum, and l2 times half the sum of their squares."""

    l1: float = 0.0
    l2: float = 0.0

    def of(self, factor: np.ndarray) -> float:
        """Return the cost of a factor."""
        return self.l1 * float(factor.sum()) + 0.5 * self.l2 * float(np.vdot(factor, factor))


@dataclass(frozen=True, slots=True)
class Side:
    """The matrix seen from one factor: its rows, cut into pieces by the data alone."""

    matrix: sparse.csr_matrix
    pieces: Sequence[tuple[int, int]]
    mask: np.ndarray
    penalty: Penalty

    @classmethod
    def of(cls, matrix: sparse.csr_matrix, mask: np.ndarray = NO_MASK, penalty: Penalty | None = None) -> Side:
        """Cut the rows of a matrix into pieces of about the same number of entries."""
        borders = [0]
        while borders[-1] < matrix.shape[0]:
            full = matrix.indptr[borders[-1]] + _ENTRIES_AT_ONCE
            border = int(np.searchsorted(matrix.indptr, full, side="right")) - 1
            borders.append(min(max(border, borders[-1] + 1), matrix.shape[0]))
        return cls(matrix, list(pairwise(borders)), mask, penalty or Penalty())

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the compressed rows."""
        return self.matrix.indptr, self.matrix.indices, self.matrix.data


def _for_all_pieces(side: Side, task: Callable[[tuple[int, int]], float | None]) -> list[float | None]:
    return list(map_in_order(task, side.pieces))


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be factorised, and how.

    Attributes
    ----------
    documents, terms : Side
        X by documents, and X with its rows times their weights by terms.
    weights : float64 array of shape (n_documents,)
        How much each document counts.
    loss : {"kl", "frobenius"}
        Kullback-Leibler divergence, or half the squared Euclidean distance.
    newton : bool
        Newton steps rather than multiplicative ones.
    """

    documents: Side
    terms: Side
    weights: np.ndarray
    loss: Loss
    newton: bool

    @classmethod
    def of(
        cls,
        X: sparse.csr_matrix,
        *,
        loss: Loss,
        newton: bool = True,
        weights: np.ndarray | None = None,
        mask: np.ndarray = NO_MASK,
        penalty_W: Penalty | None = None,
        penalty_H: Penalty | None = None,
    ) -> Problem:
        """Set a problem up from a matrix of documents by terms."""
        weights = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        weighted = X.copy()
        weighted.data = X.data * np.repeat(weights, np.diff(X.indptr)).astype(X.dtype)
        terms = sparse.csr_matrix(weighted.T)
        return cls(Side.of(X, mask, penalty_W), Side.of(terms, NO_MASK, penalty_H), weights, loss, newton)

    def improve_weights(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better document weights for topics H of shape (n_terms, n_topics)."""
        return self._improve(self.documents, W, H, H)

    def improve_topics(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better topics for document weights W."""
        return self._improve(self.terms, H, W, self.weights[:, None].astype(W.dtype) * W)

    def _improve(self, side: Side, factor: np.ndarray, other: np.ndarray, weighted: np.ndarray) -> np.ndarray:
        better = factor.copy()
        if self.loss == "kl":
            sums = weighted.sum(axis=0, dtype=np.float64)
            _for_all_pieces(
                side,
                lambda piece: update_kl_rows(
                    *piece,
                    *side.arrays(),
                    other,
                    sums,
                    side.mask,
                    self.newton,
                    side.penalty.l1,
                    side.penalty.l2,
                    better,
                ),
            )
            return better
        gram = other.astype(np.float64).T @ weighted.astype(np.float64)
        products = np.empty_like(better)

        def update(piece: tuple[int, int]) -> None:
            # The terms' side of X holds the weights of documents already.
            multiply_rows(*piece, *side.arrays(), other, products)
            sweeps = _SQUARE_SWEEPS if self.newton else 1
            l1, l2 = side.penalty.l1, side.penalty.l2
            update_square_rows(*piece, products, gram, side.mask, self.newton, sweeps, l1, l2, better)

        _for_all_pieces(side, update)
        return better

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return what is minimised; for the divergence, without the part that only depends on X."""
        penalties = self.documents.penalty.of(W) + self.terms.penalty.of(H)
        if self.loss == "kl":
            return self._divergence(W, H) + penalties
        X = self.documents.matrix
        weighted = (self.weights[:, None] * W).astype(np.float64)
        length = float(np.repeat(self.weights, np.diff(X.indptr)) @ np.square(X.data, dtype=np.float64))
        fit = float(np.vdot(weighted, X @ H.astype(np.float64)))
        model = float(np.vdot(W.astype(np.float64).T @ weighted, H.astype(np.float64).T @ H.astype(np.float64)))
        return 0.5 * (length - 2.0 * fit + model) + penalties

    def _divergence(self, W: np.ndarray, H: np.ndarray) -> float:
        sums = H.sum(axis=0, dtype=np.float64)
        parts = _for_all_pieces(
            self.documents,
            lambda piece: sum_kl_rows(*piece, *self.documents.arrays(), H, sums, self.weights, W),
        )
        return float(sum(part for part in parts if part is not None))


@dataclass(frozen=True, slots=True)
class Factors:
    """The result of a factorisation.

    Attributes
    ----------
    W : array of shape (n_documents, n_topics)
    H : array of shape (n_terms, n_topics)
    path : tuple of float
        The objective at the start and after each iteration; it never rises.
    converged : bool
        Whether it settled before the iterations ran out.
    """

    W: np.ndarray
    H: np.ndarray
    path: tuple[float, ...]
    converged: bool


def _go_on(better: np.ndarray, before: np.ndarray, dare: float) -> np.ndarray:
    """Go on in the direction of a step; weights that were or became zero stay so."""
    further = better + better.dtype.type(dare) * (better - before)
    further[(further < 0) | (better == 0)] = 0
    return further


def factorize(
    problem: Problem,
    W: np.ndarray,
    H: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    extrapolate: bool = True,
    callback: Callback | None = None,
) -> Factors:
    """Improve both factors from a start.

    Parameters
    ----------
    problem : Problem
        What is to be factorised.
    W, H : arrays of shapes (n_documents, n_topics) and (n_terms, n_topics)
        Where to start; left as they are.
    max_iter : int
        Most iterations.
    tol : float
        Settled when an iteration lowers the objective by less than this share of what all have lowered it by.
    extrapolate : bool
        Whether to go on beyond each step.
    callback : callable, optional
        Told the iteration and the objective after each; returns True to stop.
    """
    path = [problem.objective(W, H)]
    dare = _FIRST_DARE if extrapolate else 0.0
    W_ahead, H_ahead = W, H
    converged = False
    for iteration in range(1, max_iter + 1):
        W_new = problem.improve_weights(W_ahead, H_ahead)
        W_further = _go_on(W_new, W, dare) if dare else W_new
        H_new = problem.improve_topics(W_further, H_ahead)
        reached = problem.objective(W_further, H_new)
        if not reached <= path[-1] and dare:
            # Too far: go back to the best so far and take plain steps from there.
            dare *= _SHYER
            W_further = problem.improve_weights(W, H)
            H_new = problem.improve_topics(W_further, H)
            reached = problem.objective(W_further, H_new)
            H_ahead = H_new
        else:
            H_ahead = _go_on(H_new, H, dare) if dare else H_new
            dare = min(_MOST_DARE, dare * _BOLDER)
        if not reached <= path[-1]:
            converged = True  # nothing but rounding is left to gain
            break
        W, H, W_ahead = W_further, H_new, W_further
        path.append(reached)
        if callback is not None and callback(iteration, reached):
            break
        if path[-2] - reached <= tol * (path[0] - reached):
            converged = True
            break
    return Factors(W, H, tuple(path), converged)
