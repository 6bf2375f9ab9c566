"""Fill in the entries of a matrix that are not known.

The model of an entry is  mean + row offset + column offset + w_i . h_j , fitted to the known entries alone, of which
each counts e_ij times. Minimised is

    1/2 sum e_ij (x_ij - model_ij)^2  +  shrinkage/2 (|W|^2 + |H|^2)  +  offset_shrinkage/2 |offsets|^2

The steps: take the known entries; leave out rows and columns of which nothing is known; choose the shrinkage by hiding
entries; descend from a start; put the rows and columns that were left out back, with zeros.

Both methods minimise the same, because the least 1/2 (|W|^2 + |H|^2) of all W H' = M is the nuclear norm of M.
"factors" improves one factor, then the other, coordinate by coordinate, and goes on a little beyond each step.
"nuclear" is soft-impute (Mazumder, Hastie and Tibshirani 2010): fill the unknown entries with the present model, shrink
the singular values of the whole. Between two such steps it improves the factors as well (as Hastie, Mazumder, Lee and
Zadeh 2015), which takes a tenth of the iterations where most is unknown. The filled matrix is sparse plus low rank and
is only ever multiplied, so that no array of rows by columns is made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from wayword.kernels.completion import Moves, update_known_rows
from wayword.models.alternate import Callback, Side
from wayword.models.entries import Entries, compress, each_piece, join_offsets, multiply_entries, multiply_pairs

# The first coordinate that is no offset.
FIRST = 2
# How far to go on beyond a step at most, and how that grows and shrinks.
_MOST_DARE, _BOLDER, _SHYER = 1.0, 1.1, 0.5
# Sweeps over a row, and the share of the first one's gain at which it is done.
_SWEEPS, _SETTLED = 4, 0.01
_OFFSET_PASSES = 5
_POWER_STEPS = 8
# The shrinkage is halved so often, and no more once the errors on hidden entries rose so often in a row.
_HALVINGS, _RISES = 16, 2
_FOLDS = 10
# With fewer entries a fold says nothing; with more, one says enough.
_FEW_ENTRIES, _MANY_ENTRIES = 20, 10_000
# The share of the largest shrinkage where there are too few entries to choose it.
_SHARE_FOR_FEW = 0.1
# How far the descents for larger shrinkages settle that only lead to the last one.
_TOL_ON_THE_WAY = 1e-3


@dataclass(frozen=True, slots=True)
class Settings:
    """How to complete."""

    n_components: int
    non_negative: bool
    offsets: bool
    offset_shrinkage: float
    max_iter: int
    tol: float


@dataclass(frozen=True, slots=True)
class Point:
    """Where a descent is.

    The first two coordinates of a row are its offset and 1, and those of a column are 1 and its offset, so that the
    product of a row and a column holds both. The basis spans the row space of the model and a little more: that is
    where soft-impute looks.
    """

    left: np.ndarray
    right: np.ndarray
    basis: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class Imputation(ABC):
    """Known entries, with the mean taken off, seen from both sides."""

    # How far to go on beyond the first step.
    first_dare: ClassVar[float]
    # Whether the point for one shrinkage is a start for a smaller one.
    resumes: ClassVar[bool]

    entries: Entries
    by_row: Side
    by_column: Side
    # Where the entries of `by_column` are among those of `by_row`, and how much they count.
    order: np.ndarray
    column_counts: np.ndarray
    mean: float
    settings: Settings
    shrinkage: float = 0.0

    @classmethod
    def of(cls, entries: Entries, settings: Settings) -> Self:
        """Sort the entries by rows and by columns."""
        mean = float(np.average(entries.values, weights=entries.counts)) if settings.offsets else 0.0
        entries = replace(entries, values=entries.values - mean)
        order = np.argsort(entries.columns, kind="stable")
        turned = entries.pick(order)
        by_row = compress(entries.rows, entries.columns, entries.values, entries.shape)
        by_column = compress(turned.columns, turned.rows, turned.values, entries.shape[::-1])
        return cls(entries, by_row, by_column, order, turned.counts, mean, settings)

    def residuals(self, point: Point) -> np.ndarray:
        """Return what the model leaves of each known entry."""
        return self.entries.values - multiply_pairs(self.entries.rows, self.entries.columns, point.left, point.right)

    def objective(self, point: Point) -> float:
        """Return what is minimised."""
        loss = (self.entries.counts * np.square(self.residuals(point))).sum()
        factors = sum(np.square(factor[:, FIRST:]).sum() for factor in (point.left, point.right))
        offsets = np.square(point.left[:, 0]).sum() + np.square(point.right[:, 1]).sum()
        return 0.5 * float(loss + self.shrinkage * factors + self.settings.offset_shrinkage * offsets)

    def _moves(self, offset: int, n_coordinates: int) -> Moves:
        """Let an offset move, if there are any, and all coordinates after the offsets."""
        offsets = [offset] if self.settings.offsets else []
        moving = np.array([*offsets, *range(FIRST, n_coordinates)], dtype=np.int64)
        penalties = np.where(moving < FIRST, self.settings.offset_shrinkage, self.shrinkage)
        return Moves(moving, penalties, 0.0 if self.settings.non_negative else -np.inf, _SWEEPS, _SETTLED)

    def update_rows(self, point: Point) -> None:
        """Improve the rows and their offsets in place."""
        rest = (self.entries.counts, point.right, self._moves(0, point.left.shape[1]), point.left)
        each_piece(lambda piece: update_known_rows(*piece, *self.by_row.arrays(), *rest), self.by_row.pieces)

    def update_columns(self, point: Point) -> None:
        """Improve the columns and their offsets in place."""
        rest = (self.column_counts, point.left, self._moves(1, point.right.shape[1]), point.right)
        each_piece(lambda piece: update_known_rows(*piece, *self.by_column.arrays(), *rest), self.by_column.pieces)

    def fit_offsets(self) -> Point:
        """Return the model that has offsets alone."""
        left, right = np.zeros((self.entries.shape[0], FIRST)), np.zeros((self.entries.shape[1], FIRST))
        left[:, 1], right[:, 0] = 1.0, 1.0
        point = Point(left, right)
        for _ in range(_OFFSET_PASSES):
            self.update_rows(point)
            self.update_columns(point)
        return point

    @abstractmethod
    def start(self, draw: np.ndarray) -> Point:
        """Return where to start from; `draw` has a row of random numbers for each column."""

    @abstractmethod
    def step(self, point: Point) -> Point:
        """Return a point that is no worse."""


class FactorImputation(Imputation):
    """Improve one factor, then the other.

    Factors that were shrunk to nothing do not come back, so that each shrinkage starts anew.
    """

    first_dare, resumes = 0.5, False

    def start(self, draw: np.ndarray) -> Point:
        """Draw the columns, about as large as they will be, and fit the rows to them."""
        n_rows, n_columns = self.entries.shape
        offsets = self.fit_offsets()
        columns = draw[:, : self.settings.n_components]
        size = np.sqrt(np.square(self.residuals(offsets)).mean() / columns.shape[1])
        columns = columns * np.sqrt(size * np.sqrt(n_rows / n_columns))
        columns = np.abs(columns) if self.settings.non_negative else columns
        rows = np.zeros((n_rows, columns.shape[1]))
        point = Point(join_offsets(offsets.left, rows), join_offsets(offsets.right, columns))
        self.update_rows(point)
        return point

    def step(self, point: Point) -> Point:
        """Improve the rows, then the columns."""
        better = Point(point.left.copy(), point.right.copy())
        self.update_rows(better)
        self.update_columns(better)
        return better


@dataclass(frozen=True, slots=True)
class _Filled:
    """The factors of a point plus entries at the known places: a matrix that can only be multiplied."""

    problem: Imputation
    left: np.ndarray
    right: np.ndarray
    entries: np.ndarray

    @classmethod
    def of(cls, problem: Imputation, point: Point, entries: np.ndarray) -> _Filled:
        """Leave the offsets of the point out."""
        return cls(problem, point.left[:, FIRST:], point.right[:, FIRST:], entries)

    def multiply(self, block: np.ndarray) -> np.ndarray:
        """Return the product with a dense matrix."""
        return multiply_entries(self.problem.by_row, self.entries, block) + self.left @ (self.right.T @ block)

    def multiply_transposed(self, block: np.ndarray) -> np.ndarray:
        """Return the product of the transpose with a dense matrix."""
        entries = self.entries[self.problem.order]
        return multiply_entries(self.problem.by_column, entries, block) + self.right @ (self.left.T @ block)


def _balance(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors of the same product that cost least: its singular vectors times roots of singular values."""
    (Q_left, R_left), (Q_right, R_right) = np.linalg.qr(left), np.linalg.qr(right)
    U, values, Vt = np.linalg.svd(R_left @ R_right.T)
    return Q_left @ U * np.sqrt(values), Q_right @ Vt.T * np.sqrt(values)


class NuclearImputation(Imputation):
    """Fill in the model and shrink the singular values.

    A step turns the factors, so there is no going on in its direction. A small shrinkage on its own takes long to
    tell one fit from another; the way to it is through larger ones.
    """

    first_dare, resumes = 0.0, True

    def start(self, draw: np.ndarray) -> Point:
        """Start without factors, looking in random directions."""
        return replace(self.fit_offsets(), basis=draw)

    def step(self, point: Point) -> Point:
        """Shrink, then improve the factors and their offsets too, which needs fewer steps than shrinking alone."""
        better = self._shrink(point)
        self.update_rows(better)
        self.update_columns(better)
        left, right = _balance(better.left[:, FIRST:], better.right[:, FIRST:])
        better.left[:, FIRST:], better.right[:, FIRST:] = left, right
        return replace(better, basis=np.hstack([right, better.basis[:, right.shape[1] : point.basis.shape[1]]]))

    def _shrink(self, point: Point) -> Point:
        """Shrink the singular values of the filled matrix; the basis holds all the directions seen.

        Seen are the directions in the basis and where the filled matrix turns them. The present model is among them,
        so the best one is no worse, although singular vectors are followed from step to step and never exact.
        """
        most = self.entries.counts.max()
        filled = _Filled.of(self, point, self.entries.counts / most * self.residuals(point))
        turned = filled.multiply_transposed(filled.multiply(point.basis))
        basis = np.linalg.qr(np.hstack([point.basis, turned]))[0]
        U, values, Vt = np.linalg.svd(filled.multiply(basis), full_matrices=False)
        directions = basis @ Vt.T
        kept = values[: self.settings.n_components] - self.shrinkage / most
        roots = np.sqrt(kept[kept > 0.0])
        left, right = U[:, : len(roots)] * roots, directions[:, : len(roots)] * roots
        return Point(join_offsets(point.left, left), join_offsets(point.right, right), directions)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a descent ended."""

    point: Point
    path: tuple[float, ...]
    converged: bool


def _go_on(point: Point, before: Point, dare: float) -> Point:
    """Go on in the direction of a step; should that lead below zero where it may not, the next step leads back."""
    left = point.left + dare * (point.left - before.left)
    return Point(left, point.right + dare * (point.right - before.right))


def descend(problem: Imputation, point: Point, callback: Callback | None = None) -> Fit:
    """Step, and go on beyond each step, while the objective falls; where it rises, go back and dare less."""
    path, ahead, dare = [problem.objective(point)], point, problem.first_dare
    for iteration in range(1, problem.settings.max_iter + 1):
        better = problem.step(ahead)
        reached = problem.objective(better)
        if not reached <= path[-1] and dare:
            better, dare = problem.step(point), dare * _SHYER
            reached = problem.objective(better)
        if not reached <= path[-1]:
            return Fit(point, tuple(path), converged=True)  # nothing but rounding is left to gain
        ahead = _go_on(better, point, dare) if dare else better
        point, dare = better, min(_MOST_DARE, dare * _BOLDER)
        path.append(reached)
        if callback is not None and callback(iteration, reached):
            break
        if path[-2] - reached <= problem.settings.tol * reached:
            return Fit(point, tuple(path), converged=True)
    return Fit(point, tuple(path), converged=False)


def list_shrinkages(problem: Imputation, draw: np.ndarray) -> list[float]:
    """Return shrinkages to try: the least that leaves nothing of the factors, its half, and so on.

    That is the largest singular value of the slope where there are no factors.
    """
    offsets = problem.fit_offsets()
    slope = _Filled.of(problem, offsets, problem.entries.counts * problem.residuals(offsets))
    block = np.linalg.qr(draw)[0]
    for _ in range(_POWER_STEPS):
        block = np.linalg.qr(slope.multiply_transposed(slope.multiply(block)))[0]
    return (np.linalg.norm(slope.multiply(block), 2) * 0.5 ** np.arange(_HALVINGS)).tolist()


def _hidden_errors(
    problem: Imputation, hidden: Entries, shrinkages: Iterable[float], draw: np.ndarray
) -> Iterator[float]:
    """Yield for one shrinkage after another the sum of squared errors on entries that the problem does not hold."""
    point = problem.start(draw)
    for shrinkage in shrinkages:
        problem = replace(problem, shrinkage=shrinkage)
        point = descend(problem, point if problem.resumes else problem.start(draw)).point
        model = problem.mean + multiply_pairs(hidden.rows, hidden.columns, point.left, point.right)
        yield float((hidden.counts * np.square(hidden.values - model)).sum())


def _hide(problem: Imputation, entries: Entries, rng: np.random.RandomState) -> list[tuple[Imputation, Entries]]:
    """Return problems that do not hold a tenth of the entries, and that tenth."""
    fold_of = rng.permutation(len(entries.values)) % _FOLDS
    folds = [fold_of == fold for fold in range(_FOLDS if len(fold_of) <= _MANY_ENTRIES else 1)]
    return [(problem.of(entries.pick(~fold), problem.settings), entries.pick(fold)) for fold in folds]


def choose_shrinkage(
    problem: Imputation, entries: Entries, shrinkages: list[float], draw: np.ndarray, rng: np.random.RandomState
) -> float:
    """Return the shrinkage with the least error on hidden entries."""
    if len(entries.values) < _FEW_ENTRIES:
        return shrinkages[0] * _SHARE_FOR_FEW
    trials = [_hidden_errors(seen, hidden, shrinkages, draw) for seen, hidden in _hide(problem, entries, rng)]
    errors: list[float] = []
    for of_folds in zip(*trials, strict=True):
        errors.append(sum(of_folds))
        if len(errors) - errors.index(min(errors)) > _RISES:
            break
    return shrinkages[errors.index(min(errors))]


def approach(problem: Imputation, shrinkages: list[float], draw: np.ndarray) -> Point:
    """Return where the last descent starts: where those for larger shrinkages ended, if that is a start."""
    point = problem.start(draw)
    on_the_way = replace(problem, settings=replace(problem.settings, tol=max(problem.settings.tol, _TOL_ON_THE_WAY)))
    for shrinkage in shrinkages if problem.resumes else []:
        if shrinkage > problem.shrinkage:
            point = descend(replace(on_the_way, shrinkage=shrinkage), point).point
    return point
