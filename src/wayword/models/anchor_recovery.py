"""From anchors to topics: every term's point as a mixture of the anchors' points.

The shares of a mixture are C = p(topic | term). They are those of least squares, which need only products with the
corners; or of least divergence, which looks at every entry; or follow from inverting the anchors' block of the
co-occurrence matrix, which noise upsets. Penalties draw the shares towards a mean, or towards what a Dirichlet prior
on the topics would have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wayword.kernels.simplex import solve_simplex_rows
from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.models.word_space import WordSpace

_ROWS_AT_ONCE = 256
_MOST_STEPS = 20_000
_TINY = np.finfo(np.float64).tiny
# What a logarithm takes for a share of zero.
_NONE = 1e-100
# A row of products has settled when its gap is no larger share of an anchor's squared length.
_EXACT = 1e-12
# A row under the divergence has settled when its gap, in nats, is no larger.
_SETTLED = 1e-3
_MOST_ROUNDS = 300
# How much of the corners is spread evenly, so that no term is impossible.
_EVEN = 1e-6
# How much of a start is spread evenly: steps under the divergence cannot leave zero.
_SPREAD = 0.01
# Steps that go on take no share below this part of it, and go no further than so many steps.
_LEAST_LEFT, _LONGEST = 0.1, 1e3
# The Dirichlet prior's rounds stop when the shares of all terms together move less (the thesis' omega).
_MOVED = 0.1
_BETA_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Penalty:
    """What shares cost beside the distance: ``square |c - mean|^2 / 2 - log_weight sum(log c) + costs' c``.

    Attributes
    ----------
    square : float
        Weight of the squared distance from the mean.
    mean : array of shape (n_terms, n_topics), or float
    log_weight : float
        Weight of the logarithms, which keep every share above zero.
    costs : array of shape (n_terms, n_topics), or None
    """

    square: float = 0.0
    mean: np.ndarray | float = 0.0
    log_weight: float = 0.0
    costs: np.ndarray | None = None

    def of(self, rows: slice | np.ndarray) -> Penalty:
        """Return the penalty of some terms."""
        mean = self.mean[rows] if isinstance(self.mean, np.ndarray) else self.mean
        return replace(self, mean=mean, costs=None if self.costs is None else self.costs[rows])

    def slopes(self, shares: np.ndarray) -> np.ndarray:
        """Return the slopes at some shares."""
        slopes = self.square * (shares - self.mean)
        if self.log_weight:
            slopes = slopes - self.log_weight / np.maximum(shares, _NONE)
        return slopes if self.costs is None else slopes + self.costs

    def value(self, shares: np.ndarray) -> np.ndarray:
        """Return what the shares of each row cost."""
        value = 0.5 * self.square * np.square(shares - self.mean).sum(axis=1)
        if self.log_weight:
            value = value - self.log_weight * np.log(np.maximum(shares, _NONE)).sum(axis=1)
        return value if self.costs is None else value + (self.costs * shares).sum(axis=1)


FREE = Penalty()


@dataclass(frozen=True, slots=True)
class Recovered:
    """Shares of topics.

    Attributes
    ----------
    shares : array of shape (n_terms, n_topics)
        Rows sum to one.
    gap : float
        How far any row's objective is from its best, at most; under squares as a share of an anchor's squared length.
    moves : tuple of float
        How far the shares moved in each round of a Dirichlet prior.
    """

    shares: np.ndarray
    gap: float
    moves: tuple[float, ...] = ()


def _pieces(n_rows: int) -> list[slice]:
    return [slice(first, min(first + _ROWS_AT_ONCE, n_rows)) for first in range(0, n_rows, _ROWS_AT_ONCE)]


def nearest_corner(gram: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Return shares that are all at the nearest corner."""
    shares = np.zeros_like(products)
    shares[np.arange(len(products)), (products - 0.5 * np.diag(gram)).argmax(axis=1)] = 1.0
    return shares


def recover_by_squares(
    space: WordSpace,
    corners: np.ndarray,
    *,
    penalty: Penalty = FREE,
    settled: float = _EXACT,
    start: np.ndarray | None = None,
    anchors: Sequence[tuple[int, ...]] | None = None,
) -> Recovered:
    """Return the shares of least squared distance.

    Parameters
    ----------
    space : WordSpace
        The points of terms.
    corners : array of shape (n_topics, n_columns)
        The points of anchors.
    penalty : Penalty
        Its `square` is a share of the mean squared length of the corners; no other part may be set.
    settled : float
        Largest gap, as a share of the mean squared length of the corners.
    start : array of shape (n_terms, n_topics), optional
        Shares from before.
    anchors : sequence of tuple of int, optional
        The terms of the corners: products with corners known from before are not made again.
    """
    with one_blas_thread():
        gram = corners @ corners.T
        products = space.products(corners) if anchors is None else space.products_with(anchors, corners)
    products = np.ascontiguousarray(products)
    length = float(np.diag(gram).mean())
    strength = penalty.square * length
    gram += strength * np.eye(len(gram))
    products += strength * penalty.mean
    shares = nearest_corner(gram, products) if start is None else start.copy()
    gaps = np.zeros(len(shares))
    rest = (gram, products, settled * length, _MOST_STEPS, shares, gaps)
    for _ in map_in_order(lambda piece: solve_simplex_rows(piece.start, piece.stop, *rest), _pieces(len(shares))):
        pass
    return Recovered(shares, float(gaps.max(initial=0.0)) / max(length, _TINY))


def recover_by_divergence(
    space: WordSpace, corners: np.ndarray, *, penalty: Penalty = FREE, start: np.ndarray | None = None
) -> Recovered:
    """Return the shares of least Kullback-Leibler divergence from each point to its mixture.

    Parameters
    ----------
    space, corners, penalty, start
        As for `recover_by_squares`; here the penalty may have all its parts, and is in nats. The start is by default
        the shares of least squares.
    """
    start = recover_by_squares(space, corners).shares if start is None else start
    corners = ((1.0 - _EVEN) * corners + _EVEN * space.mean_point).astype(np.float32)

    def solve(piece: slice) -> tuple[np.ndarray, float]:
        points = space.rows(np.arange(piece.start, piece.stop)).astype(np.float32)
        return _descend(points, corners, penalty.of(piece), start[piece])

    with one_blas_thread():
        parts = list(map_in_order(solve, _pieces(space.n_terms)))
    return Recovered(np.vstack([shares for shares, _ in parts]), max(gap for _, gap in parts))


def _step(
    points: np.ndarray, corners: np.ndarray, penalty: Penalty, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return better shares, and the objective and the gap of each row at the old ones.

    The better ones minimise a bound on the objective that touches it at the old ones, so it never rises.
    """
    mixed = np.maximum(shares.astype(corners.dtype) @ corners, np.finfo(corners.dtype).tiny)
    objective = penalty.value(shares) - np.einsum("ij,ij->i", points, np.log(mixed))
    asked = ((points / mixed) @ corners.T).astype(np.float64)
    slopes = penalty.slopes(shares) - asked
    gaps = np.einsum("ij,ij->i", shares, slopes) - slopes.min(axis=1)
    return _solve_bound(shares * asked + penalty.log_weight, penalty), objective, gaps


def _solve_bound(wanted: np.ndarray, penalty: Penalty) -> np.ndarray:
    """Return the shares that minimise ``square |c - mean|^2 / 2 + costs' c - wanted' log c`` and sum to one.

    Each share falls as one multiplier of its row grows; Newton's method finds where they sum to one.
    """
    if not penalty.square and penalty.costs is None:
        return wanted / wanted.sum(axis=1, keepdims=True)
    costs = (0.0 if penalty.costs is None else penalty.costs) - penalty.square * penalty.mean
    # At this multiplier some share is one or more, so it is too low, and Newton's method stays below the answer.
    multiplier = (wanted - penalty.square - costs).max(axis=1)
    shares = wanted
    for _ in range(_MOST_ROUNDS):
        linear = multiplier[:, None] + costs
        root = np.sqrt(linear**2 + 4.0 * penalty.square * wanted)
        # The positive root, without the difference of nearly equal numbers.
        shares = np.divide(2.0 * wanted, root + linear, out=np.zeros_like(wanted), where=root + linear > 0)
        excess = shares.sum(axis=1) - 1.0
        if (np.abs(excess) <= 1e-9).all():
            break
        slope = np.divide(shares, root, out=np.zeros_like(wanted), where=root > 0).sum(axis=1)
        multiplier = multiplier + excess / np.maximum(slope, _TINY)
    return shares / shares.sum(axis=1, keepdims=True)


def _descend(points: np.ndarray, corners: np.ndarray, penalty: Penalty, start: np.ndarray) -> tuple[np.ndarray, float]:
    """Return shares of least divergence plus penalty, and the largest gap.

    Two steps, then one that goes on where they lead; a row that it made worse goes back to the second step.
    """
    found, gaps = start.copy(), np.zeros(len(start))
    left = np.flatnonzero(points.sum(axis=1) > 0)
    gaps[left] = _step(points[left], corners, penalty.of(left), start[left])[2]
    left = left[gaps[left] > _SETTLED]
    shares = fallback = (1.0 - _SPREAD) * start[left] + _SPREAD / start.shape[1]
    limit = np.full(len(left), np.inf)
    for _ in range(_MOST_ROUNDS):
        if not len(left):
            break
        here, part = points[left], penalty.of(left)
        once, objective, gaps[left] = _step(here, corners, part, shares)
        worse = np.flatnonzero(objective > limit)
        if len(worse):
            shares[worse] = fallback[worse]
            once[worse], _, gaps[left[worse]] = _step(here[worse], corners, part.of(worse), fallback[worse])
        found[left] = shares
        going = gaps[left] > _SETTLED
        left, shares, once = left[going], shares[going], once[going]
        fallback, limit, _ = _step(here[going], corners, part.of(going), once)
        shares = _go_on(shares, once, fallback)
    return found, float(gaps.max(initial=0.0))


def _go_on(before: np.ndarray, once: np.ndarray, twice: np.ndarray) -> np.ndarray:
    """Return where two steps lead if they go on (Varadhan and Roland's squared extrapolation)."""
    first, bend = once - before, twice - 2.0 * once + before
    length = np.linalg.norm(first, axis=1) / np.maximum(np.linalg.norm(bend, axis=1), _TINY)
    length = np.clip(length, 1.0, _LONGEST)[:, None]
    further = np.maximum(before + 2.0 * length * first + length**2 * bend, _LEAST_LEFT * twice)
    return further / further.sum(axis=1, keepdims=True)


def recover_by_inversion(space: WordSpace, anchors: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return topics of shape (n_topics, n_terms) and topic correlations from the anchors' block alone.

    Exact where every anchor occurs in one topic only; noise can make entries negative, or the block singular.
    """
    rows = space.pairs.rows(np.array(anchors)).astype(np.float64)
    block = rows[:, anchors]
    with one_blas_thread():
        # lstsq: a singular block still has a least-squares answer
        scale = np.linalg.lstsq(block, rows.sum(axis=1), rcond=None)[0]
        topics = np.linalg.lstsq(block * scale, rows, rcond=None)[0]
    return topics, scale[:, None] * block * scale


def recover_with_dirichlet(space: WordSpace, corners: np.ndarray, strength: float, start: np.ndarray) -> Recovered:
    """Return the shares under a Beta prior on every entry of the topics, as a Dirichlet prior has it.

    The prior's mode and mean are even topics. Its share of the objective of a term, with p its frequency and m the
    topics' masses, is ``-strength (sum(log c) / n_terms - sum(p c / m))``; the masses are those of the round before,
    and rounds go on until the shares settle. Only the product of the thesis' two parameters, xi x, matters.
    """
    found, moves = Recovered(start, np.nan), []
    while len(moves) < _BETA_ROUNDS:
        shares = found.shares
        masses = np.maximum(space.frequencies @ shares, _TINY)
        costs = strength * space.frequencies[:, None] / masses
        penalty = Penalty(log_weight=strength / space.n_terms, costs=costs)
        found = recover_by_divergence(space, corners, penalty=penalty, start=shares)
        moves.append(float(np.linalg.norm(found.shares - shares)))
        if moves[-1] <= _MOVED:
            break
    return replace(found, moves=tuple(moves))


def topics_of(shares: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """Return topics of shape (n_topics, n_terms), rows summing to one, by Bayes' rule from p(topic | term)."""
    joint = shares.T * frequencies
    return joint / np.maximum(joint.sum(axis=1, keepdims=True), _TINY)


def correlations_of(topics: np.ndarray, shares: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return how likely two words of a document come from topics k and l: R in Q = A R A'.

    An anchor's point is the mixture of topics that the other word of a pair comes from, given that one comes from the
    anchor's topic; so the mixtures of least squares, times how likely each topic is, are R.

    Parameters
    ----------
    topics : array of shape (n_topics, n_terms)
    shares : array of shape (n_topics,)
        How likely a word comes from each topic.
    corners : array of shape (n_topics, n_terms)
        The points of anchors.
    """
    with one_blas_thread():
        mixtures = np.linalg.lstsq(topics @ topics.T, topics @ corners.T, rcond=None)[0].T
    found = shares[:, None] * mixtures
    found = np.maximum(0.5 * (found + found.T), 0.0)
    return found / max(float(found.sum()), _TINY)
