"""Factorise a matrix by improving one factor, then the other, until both settle.

The steps of an iteration: improve the document weights with the topics fixed; go on a little further in the same
direction; improve the topics with these weights fixed; go on a little further. If the objective fell, keep both and
dare more next time; if not, go back to the best so far and dare less. What is kept never rises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np
from scipy import sparse

from wayword.kernels.factor import (
    Limits,
    Quadratic,
    multiply_rows,
    residual_kl_rows,
    residual_square_rows,
    solve_kl_rows,
    step_kl_rows,
    sum_kl_rows,
    update_kl_rows,
    update_square_rows,
)
from wayword.kernels.threads import map_in_order, one_blas_thread

Loss = Literal["kl", "frobenius"]
# Told the iteration and the objective; returns True to stop.
Callback = Callable[[int, float], bool | None]
FREE = Limits()
NO_QUADRATIC = Quadratic()
_ENTRIES_AT_ONCE = 2**15
_ROWS_AT_ONCE = 2**12
# How far to go on beyond a step, at first, and how that grows and shrinks (Ang and Gillis).
_FIRST_DARE, _BOLDER, _SHYER = 0.5, 1.1, 0.75
_MOST_DARE = 1.0
_LEAST_LEFT = 0.1
_TINY = np.finfo(np.float64).tiny
# Sweeps over a row whose products are at hand, and the share of the first squared move at which they settle.
SQUARE_SWEEPS, SQUARE_SETTLED = 2, 0.01


def penalty_of(limits: Limits, factor: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Return what a factor costs, each row times its weight."""
    if not (limits.l1 or limits.l2):
        return 0.0
    rows = limits.l1 * factor.sum(axis=1, dtype=np.float64)
    rows += 0.5 * limits.l2 * np.square(factor, dtype=np.float64).sum(axis=1)
    return float(rows.sum() if weights is None else weights @ rows)


@dataclass(frozen=True, slots=True)
class Side:
    """The matrix seen from one factor: its rows, cut into pieces by the data alone."""

    matrix: sparse.csr_matrix
    pieces: Sequence[tuple[int, int]]
    limits: Limits

    @classmethod
    def of(cls, matrix: sparse.csr_matrix, limits: Limits = FREE) -> Side:
        """Cut the rows of a matrix into pieces of about the same number of entries."""
        borders = [0]
        while borders[-1] < matrix.shape[0]:
            full = matrix.indptr[borders[-1]] + _ENTRIES_AT_ONCE
            border = int(np.searchsorted(matrix.indptr, full, side="right")) - 1
            borders.append(min(max(border, borders[-1] + 1), matrix.shape[0]))
        return cls(matrix, list(pairwise(borders)), limits)

    def admit(self, factor: np.ndarray) -> np.ndarray:
        """Return a factor without the weights that the mask forbids."""
        return factor * self.limits.mask if self.limits.mask.size else factor

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the compressed rows."""
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def each_piece(self, task: Callable[[tuple[int, int]], float | None]) -> float:
        """Run a task on every piece; return the sum of its results, added in order."""
        if len(self.pieces) == 1:  # not worth a pool of threads
            return float(task(self.pieces[0]) or 0.0)
        return float(sum(part or 0.0 for part in map_in_order(task, self.pieces)))

    def multiply(self, other: np.ndarray) -> np.ndarray:
        """Return ``matrix @ other``."""
        products = np.empty((self.matrix.shape[0], other.shape[1]), dtype=other.dtype)
        self.each_piece(lambda piece: multiply_rows(*piece, *self.arrays(), other, products))
        return products

    def update_kl(
        self,
        factor: np.ndarray,
        other: np.ndarray,
        sums: np.ndarray,
        *,
        quadratic: Quadratic = NO_QUADRATIC,
        newton: bool = True,
    ) -> None:
        """Improve a factor in place under the divergence."""
        rest = (other, sums, self.limits, quadratic, newton, factor)
        self.each_piece(lambda piece: update_kl_rows(*piece, *self.arrays(), *rest))

    def step_kl(self, factor: np.ndarray, other: np.ndarray, sums: np.ndarray, *, steps: int) -> None:
        """Take some multiplicative steps of a factor under the divergence, without limits."""
        rest = (other, sums, steps, factor)
        self.each_piece(lambda piece: step_kl_rows(*piece, *self.arrays(), *rest))

    def solve_kl(self, factor: np.ndarray, other: np.ndarray, sums: np.ndarray, *, sweeps: int, settled: float) -> None:
        """Write the best factor under the divergence."""
        rest = (other, other.sum(axis=1, dtype=np.float64), sums, self.limits, sweeps, settled, factor)
        self.each_piece(lambda piece: solve_kl_rows(*piece, *self.arrays(), *rest))

    def update_squares(
        self,
        factor: np.ndarray,
        other: np.ndarray,
        gram: np.ndarray,
        *,
        newton: bool = True,
        sweeps: int = SQUARE_SWEEPS,
        settled: float = SQUARE_SETTLED,
    ) -> None:
        """Improve a factor in place under the squared distance."""
        products = np.empty_like(factor)
        rest = (products, gram, self.limits, newton, sweeps if newton else 1, settled, factor)

        def update(piece: tuple[int, int]) -> None:
            multiply_rows(*piece, *self.arrays(), other, products)
            update_square_rows(*piece, *rest)

        self.each_piece(update)

    def residual_kl(
        self,
        factor: np.ndarray,
        other: np.ndarray,
        sums: np.ndarray,
        *,
        quadratic: Quadratic = NO_QUADRATIC,
        weights: np.ndarray | None = None,
    ) -> float:
        """Return the mass that a gradient step under the divergence would move, each row times its weight."""
        rest = (other, sums, self.limits, quadratic, factor, weights)
        return self.each_piece(lambda piece: residual_kl_rows(*piece, *self.arrays(), *rest))

    def residual_squares(
        self,
        factor: np.ndarray,
        quadratic: Quadratic,
        sums: np.ndarray,
        *,
        weights: np.ndarray | None = None,
    ) -> float:
        """Return the mass that steps under the squared distance would move, each row times its weight."""
        products, gram = quadratic
        rest = (products, gram, sums, self.limits, factor, weights)
        return self.each_piece(lambda piece: residual_square_rows(*piece, *rest))


def gram_of(other: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return ``other.T @ other`` in float64, each row times its weight."""
    other = other.astype(np.float64, copy=False)
    return other.T @ (other if weights is None else weights[:, None] * other)


def sums_of(other: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the column sums in float64, each row times its weight."""
    return other.sum(axis=0, dtype=np.float64) if weights is None else weights @ other.astype(np.float64, copy=False)


def entropy_constant(X: sparse.csr_matrix, weights: np.ndarray | None = None) -> float:
    """Return what the divergence holds beyond the objective of the kernels: the sum of x log x - x."""
    entries = X.data.astype(np.float64)
    parts = entries * np.log(np.maximum(entries, np.finfo(np.float64).tiny)) - entries
    return float(parts.sum() if weights is None else np.repeat(weights, np.diff(X.indptr)) @ parts)


def transpose(X: sparse.csr_matrix, weights: np.ndarray | None = None) -> sparse.csr_matrix:
    """Return X by terms, each document times its weight."""
    terms = sparse.csr_matrix(X.T)
    if weights is not None:
        terms.data *= weights[terms.indices].astype(terms.dtype)
    return terms


class Alternation(Protocol):
    """What `factorize` needs of a problem; topics are arrays of shape (n_terms, n_topics)."""

    def admit(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a start without what is not allowed."""
        ...

    def improve_weights(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better document weights."""
        ...

    def improve_topics(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better topics."""
        ...

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return what is minimised."""
        ...

    def residual(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return how far from the conditions of a minimum the factors are, as a share of the model."""
        ...


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be factorised, and how.

    Attributes
    ----------
    documents, terms : Side
        X by documents, and X with its rows times their weights by terms.
    weights : float64 array of shape (n_documents,), or None
        How much each document counts; None where all count the same.
    loss : {"kl", "frobenius"}
        Kullback-Leibler divergence, or half the squared Euclidean distance.
    newton : bool
        Newton steps rather than multiplicative ones.
    constant : float
        The part of the objective that depends on X alone.
    sweeps : int
        Sweeps over a row whose products are at hand, for squares.
    """

    documents: Side
    terms: Side
    weights: np.ndarray | None
    loss: Loss
    newton: bool
    constant: float
    sweeps: int

    @classmethod
    def of(
        cls,
        X: sparse.csr_matrix,
        *,
        loss: Loss,
        newton: bool = True,
        weights: np.ndarray | None = None,
        limits_W: Limits = FREE,
        limits_H: Limits = FREE,
        sweeps: int = SQUARE_SWEEPS,
    ) -> Problem:
        """Set a problem up from a matrix of documents by terms."""
        if loss == "kl":
            constant = entropy_constant(X, weights)
        else:
            squares = np.square(X.data, dtype=np.float64)
            constant = 0.5 * float(
                squares.sum() if weights is None else np.repeat(weights, np.diff(X.indptr)) @ squares
            )
        terms = Side.of(transpose(X, weights), limits_H)
        return cls(Side.of(X, limits_W), terms, weights, loss, newton, constant, sweeps)

    def admit(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a start without what the masks forbid."""
        return self.documents.admit(W), self.terms.admit(H)

    def improve_weights(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better document weights for topics H of shape (n_terms, n_topics)."""
        better = W.copy()
        if self.loss == "kl":
            self.documents.update_kl(better, H, sums_of(H), newton=self.newton)
        else:
            self.documents.update_squares(better, H, gram_of(H), newton=self.newton, sweeps=self.sweeps)
        return better

    def improve_topics(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better topics for document weights W."""
        better = H.copy()
        if self.loss == "kl":
            self.terms.update_kl(better, W, sums_of(W, self.weights), newton=self.newton)
        else:
            # The terms' side of X holds the weights of documents already.
            gram = gram_of(W, self.weights)
            self.terms.update_squares(better, W, gram, newton=self.newton, sweeps=self.sweeps)
        return better

    def penalty(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return what the factors cost."""
        return penalty_of(self.documents.limits, W, self.weights) + penalty_of(self.terms.limits, H)

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return what is minimised: the loss and the penalties."""
        penalties = self.penalty(W, H)
        if self.loss == "kl":
            return self.constant + self._divergence(W, H) + penalties
        fit = float(np.vdot(H, self.terms.multiply(W)))
        model = float(np.vdot(gram_of(W, self.weights), gram_of(H)))
        return self.constant - fit + 0.5 * model + penalties

    def _divergence(self, W: np.ndarray, H: np.ndarray) -> float:
        rows = np.ones(len(W)) if self.weights is None else self.weights
        rest = (H, sums_of(H), rows, W)
        return self.documents.each_piece(lambda piece: sum_kl_rows(*piece, *self.documents.arrays(), *rest))

    def residual(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return how far from the conditions of a minimum the factors are.

        The share of the model's mass, the sum of ``W @ H.T``, that one step of all weights or of all topics, each
        as far as its own slope and curvature say, would move.
        """
        sums = sums_of(H)
        if self.loss == "kl":
            moved = self.documents.residual_kl(W, H, sums, weights=self.weights)
        else:
            quadratic = Quadratic(self.documents.multiply(H), gram_of(H))
            moved = self.documents.residual_squares(W, quadratic, sums, weights=self.weights)
        return max(moved / max(float(sums @ sums_of(W, self.weights)), _TINY), self.residual_of_topics(W, H))

    def residual_of_topics(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return the share that a step of all topics would move."""
        sums = sums_of(W, self.weights)
        if self.loss == "kl":
            moved = self.terms.residual_kl(H, W, sums)
        else:
            moved = self.terms.residual_squares(H, Quadratic(self.terms.multiply(W), gram_of(W, self.weights)), sums)
        return moved / max(float(sums @ sums_of(H)), _TINY)


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


def _go_on(better: np.ndarray, before: np.ndarray, dare: float, further: np.ndarray) -> None:
    """Write where a step leads if it goes on; `further` may be `better`.

    A weight that became zero stays so, and no other becomes zero: an entry that only it explains would be lost.
    """
    dare, least = better.dtype.type(dare), better.dtype.type(_LEAST_LEFT)
    for first in range(0, len(better), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        step = better[rows] + dare * (better[rows] - before[rows])
        np.maximum(step, least * better[rows], out=further[rows])


def factorize(
    problem: Alternation,
    W: np.ndarray,
    H: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    extrapolate: bool = True,
    plain_steps: int = 0,
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
        Settled when an iteration lowers the objective by less than this share of what all have lowered it by, and
        the residual is below the square root of it.
    extrapolate : bool
        Whether to go on beyond each step.
    plain_steps : int
        Iterations before that begins.
    callback : callable, optional
        Told the iteration and the objective after each; returns True to stop.
    """
    with one_blas_thread():
        return _alternate(problem, W, H, max_iter, tol, plain_steps if extrapolate else max_iter, callback)


def _alternate(
    problem: Alternation,
    W: np.ndarray,
    H: np.ndarray,
    max_iter: int,
    tol: float,
    plain_steps: int,
    callback: Callback | None,
) -> Factors:
    W, H = problem.admit(W, H)
    path = [problem.objective(W, H)]
    dare = 0.0
    H_ahead = H
    converged = False
    for iteration in range(1, max_iter + 1):
        if iteration == plain_steps + 1:
            dare = _FIRST_DARE
        W_new = problem.improve_weights(W, H_ahead)
        if dare:
            _go_on(W_new, W, dare, W_new)
        H_new = problem.improve_topics(W_new, H_ahead)
        reached = problem.objective(W_new, H_new)
        if not reached <= path[-1] and dare:
            # Too far: go back to the best so far and take plain steps from there.
            dare *= _SHYER
            del W_new, H_new
            W_new = problem.improve_weights(W, H)
            H_new = problem.improve_topics(W_new, H)
            reached = problem.objective(W_new, H_new)
            H_ahead = H_new
        elif dare:
            H_ahead = np.empty_like(H)
            _go_on(H_new, H, dare, H_ahead)
            dare = min(_MOST_DARE, dare * _BOLDER)
        else:
            H_ahead = H_new
        if not reached <= path[-1]:
            converged = not np.isnan(reached)  # nothing but rounding is left to gain
            break
        W, H = W_new, H_new
        path.append(reached)
        if callback is not None and callback(iteration, reached):
            break
        if path[-2] - reached <= tol * (path[0] - reached) and problem.residual(W, H) <= np.sqrt(tol):
            converged = True
            break
    return Factors(W, H, tuple(path), converged)
