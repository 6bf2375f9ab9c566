"""From anchors to topics: every term's point as a mixture of the anchors' points.

The shares of a mixture are C = p(topic | term). They are those of least squares, which need only products with the
corners; or of least divergence, which looks at every entry, in steps that Newton's method ends; or follow from
inverting the anchors' block of the co-occurrence matrix, which noise upsets. Penalties draw the shares towards a mean,
or towards what a Dirichlet prior on the topics would have them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wayword.errors import WaywordWarning
from wayword.kernels.simplex import solve_simplex_rows
from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.models.word_space import WordSpace

_ROWS_AT_ONCE = 256
_MOST_STEPS = 20_000
_TINY = np.finfo(np.float64).tiny
# What a logarithm takes for a share of zero.
_NONE = 1e-100
# A row of products has settled when its gap is no larger share of an anchor's squared length.
_EXACT = 1e-14
# Under a penalty of logarithms a row has settled when its gap, in nats, is no larger.
_SETTLED = 1e-3
_MOST_ROUNDS = 300
# Without one, Newton's method takes over at this gap; it goes no nearer than rounding lets slopes be told apart.
_NEAR, _ROUNDING = 0.03, 1e-14
_NEWTON_ROUNDS, _NEWTON_MOVES, _MOST_HALVINGS = 50, 1000, 40
# Asked for less, a quadratic of Newton's method goes round in circles.
_NEWTON_SETTLED = 1e-15
# Shares below this, of topics that pay less than the mean, are what steps that cannot reach zero left.
_LEFTOVER = 1e-5
# A step that changes no entry by a larger share goes down as far as its quadratic says, or nearly.
_SMALL_CHANGE = 0.1
# A step must go down by this share of what the slopes promise.
_ENOUGH = 1e-4
# How much of the corners is spread evenly, so that no term is impossible; more would show in topics of few words.
_EVEN = 1e-10
# How much of a start is spread evenly: steps under the divergence cannot leave zero.
_SPREAD = 0.01
# Steps that go on take no share below this part of it, and go no further than so many steps.
_LEAST_LEFT, _LONGEST = 0.1, 1e3
# The Dirichlet prior's rounds stop when the shares of all terms together move less (the thesis' omega).
_MOVED = 0.1
_BETA_ROUNDS = 50
# What a topic of nothing counts for there, so that its words do not cost more than numbers can say.
_LEAST_MASS = 1e-9


@dataclass(frozen=True, slots=True)
class Penalty:
    """What shares cost beside the distance: ``square |c - mean|^2 / 2 - log_weight sum(log c) + costs' c``.

    The distance is the divergence, or half the squared distance over the mean squared length of the anchors' points.

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
    space: WordSpace,
    corners: np.ndarray,
    *,
    penalty: Penalty = FREE,
    settled: float = _EXACT,
    start: np.ndarray | None = None,
) -> Recovered:
    """Return the shares of least Kullback-Leibler divergence from each point to its mixture.

    Parameters
    ----------
    space, corners, penalty, start
        As for `recover_by_squares`; here the penalty may have all its parts, and is in nats. The start is by default
        the shares of least squares.
    settled : float
        Largest gap, in nats; 0.001 under a penalty of logarithms, where steps alone go down.
    """
    start = recover_by_squares(space, corners).shares if start is None else start
    corners = (1.0 - _EVEN) * corners + _EVEN * space.mean_point
    single = corners.astype(np.float32)
    rough = _SETTLED if penalty.log_weight else max(settled, _NEAR)
    # Of a label that only terms without company have, no mixture holds anything.
    possible = single.any(axis=0)

    def solve(piece: slice) -> tuple[np.ndarray, float]:
        points, part = space.rows(np.arange(piece.start, piece.stop)) * possible, penalty.of(piece)
        shares, gap = _descend(points.astype(np.float32), single, part, start[piece], rough)
        if penalty.log_weight or settled >= rough:
            return shares, gap
        return _finish(points, corners, part, shares, settled)

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


def _descend(
    points: np.ndarray, corners: np.ndarray, penalty: Penalty, start: np.ndarray, settled: float
) -> tuple[np.ndarray, float]:
    """Return shares whose divergence plus penalty is within a gap of the least, and the largest gap.

    Two steps, then one that goes on where they lead; a row that it made worse goes back to the second step.
    """
    found, gaps = start.copy(), np.zeros(len(start))
    left = np.flatnonzero(points.sum(axis=1) > 0)
    gaps[left] = _step(points[left], corners, penalty.of(left), start[left])[2]
    left = left[gaps[left] > settled]
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
        going = gaps[left] > settled
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


def _finish(
    points: np.ndarray, corners: np.ndarray, penalty: Penalty, shares: np.ndarray, settled: float
) -> tuple[np.ndarray, float]:
    """Return shares of least divergence plus penalty from those nearby, and the largest gap."""
    found, gaps = shares.copy(), np.zeros(len(shares))
    for row in np.flatnonzero(points.sum(axis=1) > 0):
        held = np.flatnonzero(points[row])
        problem = _Row(points[row, held], corners.take(held, axis=1), penalty.of(slice(row, row + 1)))
        found[row], gaps[row] = problem.solve(shares[row], max(settled, _ROUNDING))
    return found, float(gaps.max(initial=0.0))


@dataclass(frozen=True, slots=True)
class _Row:
    """One point as a mixture of corners, by Newton's method on the topics that it may use (Kim and others' mixsqp).

    Attributes
    ----------
    point : array of shape (n_held,)
        The entries above zero, for no other counts.
    corners : array of shape (n_topics, n_held)
    penalty : Penalty
        Of one row, without logarithms.
    """

    point: np.ndarray
    corners: np.ndarray
    penalty: Penalty

    def slopes(self, shares: np.ndarray, mixed: np.ndarray) -> np.ndarray:
        """Return slopes, beside their mean: zero for topics that have a share, once all is settled."""
        slopes = self.penalty.slopes(shares[None])[0] - self.corners @ (self.point / mixed)
        return slopes - shares @ slopes

    def solve(self, start: np.ndarray, settled: float) -> tuple[np.ndarray, float]:
        """Return the best shares, and their gap."""
        shares, gap = self._without_leftovers(start), np.inf
        for _ in range(_NEWTON_ROUNDS):
            mixed = shares @ self.corners
            slopes = self.slopes(shares, mixed)
            gap = -float(slopes.min())
            if gap <= settled:
                break
            used = np.flatnonzero((shares > 0) | (slopes < 0))
            better = self._move(used, shares[used], slopes[used], mixed, settled)
            if better is None:  # rounding hides what is left to gain
                break
            shares[used] = better
        return shares, gap

    def _without_leftovers(self, shares: np.ndarray) -> np.ndarray:
        slopes = self.slopes(shares, shares @ self.corners)
        kept = np.where((shares < _LEFTOVER) & (slopes > 0), 0.0, shares)
        return kept / kept.sum()

    def _move(
        self, used: np.ndarray, shares: np.ndarray, slopes: np.ndarray, mixed: np.ndarray, settled: float
    ) -> np.ndarray | None:
        """Return the shares where the quadratic at the old ones is least, or as far that way as the objective falls."""
        corners = self.corners[used]
        scaled = corners * (np.sqrt(self.point) / mixed)
        curvature = scaled @ scaled.T
        curvature.flat[:: len(used) + 1] += self.penalty.square
        best, gap = shares[None].copy(), np.zeros(1)
        products = (curvature @ shares - slopes)[None]
        solve_simplex_rows(0, 1, curvature, products, max(0.01 * settled, _NEWTON_SETTLED), _NEWTON_MOVES, best, gap)
        step = best[0] - shares
        changes, downhill = (step @ corners) / mixed, float(slopes @ step)
        if np.abs(changes).max() <= _SMALL_CHANGE:
            return best[0] if downhill < 0 else None
        length = 1.0
        for _ in range(_MOST_HALVINGS):
            if self._rise(length * changes, length * step, length * downhill) <= 0.0:
                return shares + length * step
            length *= 0.5
        return None

    def _rise(self, changes: np.ndarray, step: np.ndarray, downhill: float) -> float:
        """Return by how much a step, given as well as shares of the entries, raises the objective, and a little more.

        Summed from what the slopes say and what they leave, so that rounding is small beside a small rise.
        """
        if changes.min() <= -1.0:
            return np.inf
        bent = self.point @ (changes - np.log1p(changes)) + 0.5 * self.penalty.square * (step @ step)
        return float(bent + (1.0 - _ENOUGH) * downhill)


def _as_chances(correlations: np.ndarray) -> np.ndarray:
    """Return topic correlations that are symmetric, not negative, and sum to one; even ones where nothing is left."""
    found = np.maximum(0.5 * (correlations + correlations.T), 0.0)
    total = float(found.sum())
    return found / total if total > 0.0 else np.full_like(found, 1.0 / found.size)


def recover_by_inversion(space: WordSpace, anchors: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return topics of shape (n_topics, n_terms) and topic correlations from the anchors' block alone.

    Exact where every anchor occurs in one topic only; noise can make entries negative, or the block singular.
    """
    rows = space.pairs.rows(np.array(anchors)).astype(np.float64)
    totals = np.maximum(rows.sum(axis=1), _TINY)
    # Each anchor by how often it is there: else a rare one beside others would be taken for rounding.
    block = rows[:, anchors] / totals[:, None] / totals
    with one_blas_thread():
        # lstsq: a singular block still has a least-squares answer
        scale = np.linalg.lstsq(block, np.ones(len(block)), rcond=None)[0]
        topics = np.linalg.lstsq(block * scale, rows / totals[:, None], rcond=None)[0]
    return topics, scale[:, None] * block * scale


def recover_distributions_by_inversion(space: WordSpace, anchors: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the same without what noise makes negative: rows of topics, and all topic correlations, sum to one.

    A topic of which nothing is left holds its anchor alone.
    """
    topics, correlations = recover_by_inversion(space, anchors)
    topics = np.maximum(topics, 0.0)
    empty = np.flatnonzero(topics.sum(axis=1) <= 0.0)
    if len(empty):
        message = (
            f"noise leaves nothing of {len(empty)} topics, which hold their anchors alone; use recover='l2' or 'kl'"
        )
        warnings.warn(message, WaywordWarning, stacklevel=2)
        topics[empty, np.array(anchors)[empty]] = 1.0
    return topics / topics.sum(axis=1, keepdims=True), _as_chances(correlations)


def recover_with_dirichlet(space: WordSpace, corners: np.ndarray, strength: float, start: np.ndarray) -> Recovered:
    """Return the shares under a Beta prior on every entry of the topics, as a Dirichlet prior has it.

    The prior's mode and mean are even topics. Its share of the objective of a term, with p its frequency and m the
    topics' masses, is ``-strength (sum(log c) / n_terms - sum(p c / m))``; the masses are those of the round before,
    and rounds go on until the shares settle. Only the product of the thesis' two parameters, xi x, matters.
    """
    found, moves = Recovered(start, np.nan), []
    while len(moves) < _BETA_ROUNDS:
        shares = found.shares
        masses = np.maximum(space.frequencies @ shares, _LEAST_MASS)
        costs = strength * space.frequencies[:, None] / masses
        penalty = Penalty(log_weight=strength / space.n_terms, costs=costs)
        found = recover_by_divergence(space, corners, penalty=penalty, start=shares)
        moves.append(float(np.linalg.norm(found.shares - shares)))
        if moves[-1] <= _MOVED:
            break
    return replace(found, moves=tuple(moves))


def topics_of(shares: np.ndarray, frequencies: np.ndarray, anchors: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return topics of shape (n_topics, n_terms), rows summing to one, by Bayes' rule from p(topic | term).

    A topic of which no term has a share holds the words of its anchor alone, as that of two words does between two
    topics that have one of them each.
    """
    joint = shares.T * frequencies
    for topic in np.flatnonzero(joint.sum(axis=1) <= 0.0).tolist():
        joint[topic, list(anchors[topic])] = 1.0
    return joint / joint.sum(axis=1, keepdims=True)


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
    return _as_chances(shares[:, None] * mixtures)
