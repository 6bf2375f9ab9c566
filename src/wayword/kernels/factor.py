"""Rows of a non-negative factorisation, one factor at a time.

With one factor fixed, the rows of the other are independent problems. All models come down to these: both factors of
NMF, documents folded into known topics, topics recovered from anchors. Each kernel works on a range of rows of a
sparse matrix X, with `other` the fixed factor (columns of X by topics) and `factor` the one to improve in place
(rows of X by topics). A row may be allowed only some topics: then only these are visited.

Kullback-Leibler, row x with weights a: minimise  s.a - sum_j x_j log(a.b_j)  over a >= 0, where b_j is row j of
`other` and s holds the column sums of `other`. One pass along the rows of `other` gives the gradient of all topics.
The multiplicative step needs no more, and never raises the objective. The Newton sweep then visits the topics that
can move, those in use and those with a falling slope; on the way down a Newton step can go too far, so a row that
got worse takes the multiplicative step instead. A quadratic  a.G.a / 2 - p.a  may be added: that is how a row
answers to two matrices under two losses.

Least squares, row x with weights a: minimise  |x - a B'|^2 / 2  over a >= 0, where the rows of B are those of `other`.
The products p = x B and the Gram matrix G = B' B are all it takes, so X is touched once and the cheap sweeps over
topics, each step the minimum along its topic, may be repeated while they still move.

All of it stands in one file, because the cache of compiled kernels notices changes only in a kernel's own file. What
adds in any order (`_FAST`) is put into the kernels that call it (`forceinline`): compiled on its own as well, it would add
in another order there, and which of the two is called would depend on what was called before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# Keeps quotients and logarithms finite where a model explains nothing of an entry.
TINY = 1e-30
# A model below this explains nothing.
_NOTHING = 4 * TINY
_WORST = 1e300
# Themes whose topics are looked up together: as many as a few lines of the cache hold.
_THEMES_AT_ONCE = 8
# An entry depends on topics without which less than this share of its model is left.
_DEPENDS = 0.05
_FAST = {"reassoc", "contract", "nsz", "arcp"}
_NO_MATRIX = np.zeros((0, 0))


class Limits(NamedTuple):
    """What the weights of a factor may be, and what they cost.

    Attributes
    ----------
    mask : bool array of shape (n_rows, n_topics), or of shape (0, 0)
        Topics that each row may use, the others are set to zero, fixed or not; the empty one allows all.
    fixed_rows : bool array of shape (n_rows,), or of shape (0,)
        Rows that stay as they are; the empty one fixes none.
    fixed_topics : bool array of shape (n_topics,), or of shape (0,)
        Topics whose weights stay as they are; the empty one fixes none.
    l1, l2 : float
        Penalties on the weights a of a row: l1 sum(a) + l2 sum(a^2) / 2.
    """

    mask: np.ndarray = np.zeros((0, 0), dtype=bool)
    fixed_rows: np.ndarray = np.zeros(0, dtype=bool)
    fixed_topics: np.ndarray = np.zeros(0, dtype=bool)
    l1: float = 0.0
    l2: float = 0.0


class Quadratic(NamedTuple):
    """A quadratic in the weights a of each row: a.gram.a / 2 - products[row].a; the empty one is zero.

    No entry of the Gram matrix is negative; the bound of the multiplicative step needs that.

    Attributes
    ----------
    products : array of shape (n_rows, n_topics), or of shape (0, 0)
    gram : float64 array of shape (n_topics, n_topics), or of shape (0, 0)
    """

    products: np.ndarray = _NO_MATRIX
    gram: np.ndarray = _NO_MATRIX


class _Room(NamedTuple):
    """Where a row is worked on: by its entries, by topics, and the block of both."""

    x: np.ndarray
    before: np.ndarray
    mixed: np.ndarray
    inverse: np.ndarray
    share: np.ndarray
    block: np.ndarray
    weights: np.ndarray
    old: np.ndarray
    asked: np.ndarray
    product: np.ndarray
    topics: np.ndarray
    active: np.ndarray


@njit(nogil=True, cache=True)
def _make_room(longest, n_topics):
    return _Room(
        np.empty(longest),
        np.empty(longest),
        np.empty(longest),
        np.empty(longest),
        np.empty(longest),
        np.empty(n_topics * longest),
        np.empty(n_topics),
        np.empty(n_topics),
        np.zeros(n_topics),
        np.zeros(n_topics),
        np.empty(n_topics, np.int64),
        np.empty(n_topics, np.int64),
    )


@njit(nogil=True, cache=True)
def _list_allowed(mask, row, topics):
    """Write the topics that a row may use. Return their number."""
    n_topics = 0
    for topic in range(topics.shape[0]):
        if mask.shape[0] == 0 or mask[row, topic]:
            topics[n_topics] = topic
            n_topics += 1
    return n_topics


@njit(nogil=True, cache=True)
def _load(factor, row, topics, n_topics, weights):
    """Copy the allowed weights of a row; the others are zero."""
    weights[:] = 0.0
    for m in range(n_topics):
        weights[topics[m]] = factor[row, topics[m]]


@njit(nogil=True, cache=True)
def _is_fixed(flags, place):
    return flags.shape[0] > 0 and flags[place]


@njit(nogil=True, cache=True)
def _gather(indices, start, size, other, topics, n_topics, block):
    """Copy some columns of the rows of `other` that a row of X touches, topic by topic."""
    for t in range(size):
        row = other[indices[start + t]]
        for m in range(n_topics):
            block[m * size + t] = row[topics[m]]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _look_at_all(x, indices, start, size, other, weights, mixed, asked):
    """Write the model of each non-zero, and for each topic the sum of x b / model."""
    asked[:] = 0.0
    for t in range(size):
        row = other[indices[start + t]]
        model = TINY
        for topic in range(weights.shape[0]):
            model += weights[topic] * row[topic]
        mixed[t] = model
        share = x[t] / model
        for topic in range(weights.shape[0]):
            asked[topic] += share * row[topic]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _mix(block, size, topics, n_topics, weights, mixed):
    """Write the model of each non-zero from gathered columns."""
    mixed[:size] = TINY
    for m in range(n_topics):
        weight = weights[topics[m]]
        if weight > 0.0:
            for t in range(size):
                mixed[t] += weight * block[m * size + t]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _look_at_some(x, block, size, topics, n_topics, weights, mixed, asked):
    """Do the same as `_look_at_all` from gathered columns."""
    _mix(block, size, topics, n_topics, weights, mixed)
    for m in range(n_topics):
        total = 0.0
        for t in range(size):
            total += x[t] / mixed[t] * block[m * size + t]
        asked[topics[m]] = total


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _times(gram, weights, topic):
    total = 0.0
    for k in range(weights.shape[0]):
        total += gram[topic, k] * weights[k]
    return total


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _pull(gram, product, weights, topic):
    """Return the slope of the quadratic along a topic."""
    return _times(gram, weights, topic) - product[topic]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _sweep(room, size, n_active, sums, limits, gram, rouse):
    """Take a Newton step along each active topic, one after the other; the model follows.

    Unless it is to rouse them, a sweep passes over topics that are not in use.
    """
    x, mixed, inverse, share, weights = room.x, room.mixed, room.inverse, room.share, room.weights
    for t in range(size):
        inverse[t] = 1.0 / mixed[t]
        share[t] = x[t] * inverse[t]
    for m in range(n_active):
        topic = room.active[m]
        if _is_fixed(limits.fixed_topics, topic) or not (rouse or weights[topic] > 0.0):
            continue
        column = room.block[m * size : (m + 1) * size]
        asked = 0.0
        curvature = limits.l2
        for t in range(size):
            part = share[t] * column[t]
            asked += part
            curvature += part * inverse[t] * column[t]
        slope = sums[topic] + limits.l1 + limits.l2 * weights[topic] - asked
        if gram.shape[0] > 0:
            slope += _pull(gram, room.product, weights, topic)
            curvature += gram[topic, topic]
        if curvature > 0.0:
            moved = max(0.0, weights[topic] - slope / curvature)
        else:
            moved = 0.0 if slope > 0.0 else weights[topic]
        change = moved - weights[topic]
        if change != 0.0:
            weights[topic] = moved
            for t in range(size):
                mixed[t] = max(mixed[t] + change * column[t], TINY)
                inverse[t] = 1.0 / mixed[t]
                share[t] = x[t] * inverse[t]


@njit(nogil=True, cache=True, forceinline=True)
def _multiply(room, topics, n_topics, sums, limits, gram):
    """Take the multiplicative step: the minimum of a bound that touches the objective at the present weights."""
    old, weights = room.old, room.weights
    old[:] = weights
    for m in range(n_topics):
        topic = topics[m]
        if _is_fixed(limits.fixed_topics, topic) or old[topic] == 0.0:
            continue
        asked = room.asked[topic]
        cost = sums[topic] + limits.l1
        rising = limits.l2 * old[topic]
        if gram.shape[0] > 0:
            rising += _times(gram, old, topic)
            cost -= room.product[topic]
        # The positive root r of rising r^2 + cost r - asked, the factor of the step, in the form that cancels nothing.
        root = np.sqrt(cost * cost + 4.0 * rising * asked)
        if cost > 0.0:
            weights[topic] = old[topic] * 2.0 * asked / (root + cost)
        else:
            weights[topic] = old[topic] * (root - cost) / (2.0 * rising) if rising > 0.0 else 0.0


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _log_gain(x, before, after, size):
    """Return the sum of x log(after / before); nothing is worse than to explain an entry no longer."""
    gain = 0.0
    for t in range(size):
        if x[t] == 0.0:
            continue
        if after[t] < _NOTHING <= before[t]:
            return -_WORST
        gain += x[t] * np.log(after[t] / before[t])
    return gain


@njit(nogil=True, cache=True, forceinline=True)
def _cost(weights, sums, limits, gram, product):
    """Return the part of the objective that is a sum over topics."""
    total = 0.0
    for topic in range(weights.shape[0]):
        weight = weights[topic]
        total += (sums[topic] + limits.l1) * weight + 0.5 * limits.l2 * weight * weight
        if gram.shape[0] > 0 and weight > 0.0:
            total += 0.5 * weight * (_pull(gram, product, weights, topic) - product[topic])
    return total


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _log_slopes(x, before, after, size):
    """Return the slopes of sum x log(model) along the way from one model to another, at its start and its end."""
    first = last = 0.0
    for t in range(size):
        part = x[t] * (after[t] - before[t])
        first += part / before[t]
        last += part / after[t]
    return first, last


@njit(nogil=True, cache=True, forceinline=True)
def _cost_slope(at, old, weights, sums, limits, gram, product):
    """Return the slope of `_cost` along the way from the old weights, at some weights."""
    slope = 0.0
    for topic in range(weights.shape[0]):
        change = weights[topic] - old[topic]
        if change != 0.0:
            part = sums[topic] + limits.l1 + limits.l2 * at[topic]
            if gram.shape[0] > 0:
                part += _pull(gram, product, at, topic)
            slope += part * change
    return slope


@njit(nogil=True, cache=True, forceinline=True)
def _fall(room, size, sums, limits, gram):
    """Return how far the objective of a row fell at most; below zero where it rose.

    The objective is convex, so it has not risen if it still falls at the end of the way, and then its slope at the
    start bounds how far it fell. That saves the logarithms of nearly all rows.
    """
    old, weights, product = room.old, room.weights, room.product
    first, last = _log_slopes(room.x, room.before, room.mixed, size)
    if _cost_slope(weights, old, weights, sums, limits, gram, product) <= last:
        return max(0.0, first - _cost_slope(old, old, weights, sums, limits, gram, product))
    costs = _cost(old, sums, limits, gram, product) - _cost(weights, sums, limits, gram, product)
    return _log_gain(room.x, room.before, room.mixed, size) + costs


@njit(nogil=True, cache=True, forceinline=True)
def _keep_active(room, n_allowed, sums, limits, gram, steep):
    """Write the topics that Newton steps can move: those in use, and those whose slope falls steeper than a share."""
    n_active = n_roused = 0
    for m in range(n_allowed):
        topic = room.topics[m]
        active = room.weights[topic] > 0.0
        if not active:
            slope = sums[topic] + limits.l1 - room.asked[topic]
            if gram.shape[0] > 0:
                slope += _pull(gram, room.product, room.weights, topic)
            active = slope < -steep * sums[topic]
            n_roused += active
        if active:
            room.active[n_active] = topic
            n_active += 1
    return n_active, n_roused


@njit(nogil=True, cache=True, forceinline=True)
def _descend(room, size, n_active, sums, limits, gram, looked):
    """Sweep once, or multiply where that made the row worse. Return how far the objective fell at most.

    The topics whose slopes were just looked at are roused.
    """
    room.old[:] = room.weights
    room.mixed[:size] = room.before[:size]
    _sweep(room, size, n_active, sums, limits, gram, looked)
    # Anew, because what is left of a model that went to zero step by step is rounding.
    _mix(room.block, size, room.active, n_active, room.weights, room.mixed)
    fell = _fall(room, size, sums, limits, gram)
    if fell >= 0.0:
        return fell
    room.weights[:] = room.old
    if not looked:
        _look_at_some(room.x, room.block, size, room.active, n_active, room.weights, room.before, room.asked)
    _multiply(room, room.active, n_active, sums, limits, gram)
    _mix(room.block, size, room.active, n_active, room.weights, room.mixed)
    return _fall(room, size, sums, limits, gram)


@njit(nogil=True, cache=True)
def _longest(indptr, first, last):
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    return longest


@njit(nogil=True, cache=True, forceinline=True)
def _look(row, indptr, indices, data, other, quadratic, limits, factor, room):
    """Set a row up: its entries, its allowed weights, the model and what each topic is asked for."""
    start, size = indptr[row], indptr[row + 1] - indptr[row]
    n_allowed = _list_allowed(limits.mask, row, room.topics)
    _load(factor, row, room.topics, n_allowed, room.weights)
    room.x[:size] = data[start : start + size]
    if quadratic.gram.shape[0] > 0:
        room.product[:] = quadratic.products[row]
    if n_allowed == factor.shape[1]:
        _look_at_all(room.x, indices, start, size, other, room.weights, room.before, room.asked)
    else:
        _gather(indices, start, size, other, room.topics, n_allowed, room.block)
        _look_at_some(room.x, room.block, size, room.topics, n_allowed, room.weights, room.before, room.asked)
    return n_allowed


@njit(nogil=True, cache=True, forceinline=True)
def update_kl_rows(first, last, indptr, indices, data, other, sums, limits, quadratic, newton, factor):
    """Improve rows `first` to `last` of `factor` by one sweep under the Kullback-Leibler divergence.

    Whatever the type of the arrays, a row is worked on in float64.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    other : array of shape (n_columns, n_topics)
        The fixed factor.
    sums : float64 array of shape (n_topics,)
        Column sums of `other`, weighted where the columns of X have weights.
    limits : Limits
        Topics that each row may use, what is fixed, penalties.
    quadratic : Quadratic
        What is added to the objective of each row.
    newton : bool
        Newton steps rather than multiplicative ones.
    factor : array of shape (n_rows, n_topics)
        Improved in place; topics that are not allowed are set to zero.
    """
    room = _make_room(_longest(indptr, first, last), factor.shape[1])
    for row in range(first, last):
        if _is_fixed(limits.fixed_rows, row):
            continue
        n_allowed = _look(row, indptr, indices, data, other, quadratic, limits, factor, room)
        if newton:
            start, size = indptr[row], indptr[row + 1] - indptr[row]
            n_active, _ = _keep_active(room, n_allowed, sums, limits, quadratic.gram, 0.0)
            _gather(indices, start, size, other, room.active, n_active, room.block)
            _descend(room, size, n_active, sums, limits, quadratic.gram, True)
        else:
            _multiply(room, room.topics, n_allowed, sums, limits, quadratic.gram)
        factor[row] = room.weights


@njit(nogil=True, cache=True, fastmath=_FAST)
def step_kl_rows(first, last, indptr, indices, data, other, sums, steps, factor):
    """Take some multiplicative steps of rows `first` to `last` of `factor` under the Kullback-Leibler divergence.

    The same as so many calls of `update_kl_rows` without limits, but a row is gathered once for all its steps.

    Parameters
    ----------
    indptr, indices, data, other, sums
        As for `update_kl_rows`.
    steps : int
        How many.
    factor : array of shape (n_rows, n_topics)
        Improved in place.
    """
    n_topics = factor.shape[1]
    room = _make_room(_longest(indptr, first, last), n_topics)
    topics = np.arange(n_topics)
    for row in range(first, last):
        start, size = indptr[row], indptr[row + 1] - indptr[row]
        room.x[:size] = data[start : start + size]
        room.weights[:] = factor[row]
        _gather(indices, start, size, other, topics, n_topics, room.block)
        for _ in range(steps):
            _mix(room.block, size, topics, n_topics, room.weights, room.mixed)
            for t in range(size):
                room.share[t] = room.x[t] / room.mixed[t]
            for topic in range(n_topics):
                asked = 0.0
                for t in range(size):
                    asked += room.share[t] * room.block[topic * size + t]
                room.weights[topic] *= asked / sums[topic] if sums[topic] > 0.0 else 0.0
        factor[row] = room.weights


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _ask(x, indices, start, size, other, models, asked):
    """Write for each topic the sum of x b / model."""
    asked[:] = 0.0
    for t in range(size):
        row = other[indices[start + t]]
        share = x[t] / models[t]
        for topic in range(asked.shape[0]):
            asked[topic] += share * row[topic]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _dot(a, b):
    total = TINY
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@njit(nogil=True, cache=True)
def _keep_largest(room, n_allowed, sums):
    """Set all weights to zero but those above the average share of the row; the old ones stay at hand."""
    weights, old = room.weights, room.old
    old[:] = weights
    total = 0.0
    for m in range(n_allowed):
        total += weights[room.topics[m]] * sums[room.topics[m]]
    for m in range(n_allowed):
        topic = room.topics[m]
        if weights[topic] * sums[topic] * n_allowed < total:
            weights[topic] = 0.0


@njit(nogil=True, cache=True, forceinline=True)
def _cover(room, indices, start, size, other):
    """Write the model of each entry to `before`, and take back the best topic of an entry that has next to none.

    `mixed` holds what the entries had from all topics alike.
    """
    for t in range(size):
        row = other[indices[start + t]]
        room.before[t] = _dot(room.weights, row)
        if room.before[t] < _DEPENDS * room.mixed[t]:
            best = np.argmax(room.old * row)
            gained = room.old[best] - room.weights[best]
            room.weights[best] = room.old[best]
            for u in range(t + 1):
                room.before[u] += gained * other[indices[start + u], best]


@njit(nogil=True, cache=True, forceinline=True)
def _start_row(room, row, indptr, indices, data, other, row_sums, sums, limits):
    """Set a row up with weights from one multiplicative step off even ones, all but the largest dropped."""
    start, size = indptr[row], indptr[row + 1] - indptr[row]
    n_allowed = _list_allowed(limits.mask, row, room.topics)
    room.x[:size] = data[start : start + size]
    even = room.x[:size].sum() / max(sums.sum(), TINY)
    for t in range(size):
        room.mixed[t] = max(even * row_sums[indices[start + t]], TINY)
    _ask(room.x, indices, start, size, other, room.mixed, room.asked)
    room.weights[:] = 0.0
    for m in range(n_allowed):
        topic = room.topics[m]
        if sums[topic] > 0.0:
            room.weights[topic] = even * room.asked[topic] / sums[topic]
    _keep_largest(room, n_allowed, sums)
    _cover(room, indices, start, size, other)
    _ask(room.x, indices, start, size, other, room.before, room.asked)
    return n_allowed


@njit(nogil=True, cache=True)
def solve_kl_rows(first, last, indptr, indices, data, other, row_sums, sums, limits, sweeps, settled, factor):
    """Find the best rows `first` to `last` of `factor` under the Kullback-Leibler divergence.

    A row starts from the topics that explain most of it, settles among those, and looks whether another topic's
    slope still falls; if so, that one comes in and the row settles again.

    Parameters
    ----------
    indptr, indices, data, other, sums, limits
        As for `update_kl_rows`; nothing is fixed.
    row_sums : float64 array of shape (n_columns,)
        Sums of the rows of `other`.
    sweeps : int
        Most sweeps over a row.
    settled : float
        A row has settled when a sweep lowers its objective by no more than this share of the sum of its entries.
    factor : array of shape (n_rows, n_topics)
        Written.
    """
    no_gram = sums[:0].reshape(0, 0)
    room = _make_room(_longest(indptr, first, last), factor.shape[1])
    for row in range(first, last):
        start, size = indptr[row], indptr[row + 1] - indptr[row]
        n_allowed = _start_row(room, row, indptr, indices, data, other, row_sums, sums, limits)
        enough = settled * room.x[:size].sum()
        taken = 0
        while taken < sweeps:
            n_active, n_roused = _keep_active(room, n_allowed, sums, limits, no_gram, np.sqrt(settled))
            if taken > 0 and n_roused == 0:
                break
            _gather(indices, start, size, other, room.active, n_active, room.block)
            looked = True
            fell = _WORST
            while taken < sweeps and fell > enough:
                fell = _descend(room, size, n_active, sums, limits, no_gram, looked)
                room.before[:size] = room.mixed[:size]
                looked = False
                taken += 1
            _ask(room.x, indices, start, size, other, room.before, room.asked)
        factor[row] = room.weights


@njit(nogil=True, cache=True)
def residual_kl_rows(first, last, indptr, indices, data, other, sums, limits, quadratic, factor, row_weights=None):
    """Return how far rows `first` to `last` are from the conditions of a minimum, each times its weight.

    The mass, weights times column sums of `other`, that a projected gradient step would move, each weight scaled by
    itself plus the mean of its row, and no row more than its mass and its entries. Zero if and only if every slope is
    zero, or positive at a weight of zero.
    """
    room = _make_room(_longest(indptr, first, last), factor.shape[1])
    moved = 0.0
    for row in range(first, last):
        if _is_fixed(limits.fixed_rows, row):
            continue
        n_allowed = _look(row, indptr, indices, data, other, quadratic, limits, factor, room)
        mean = room.weights.sum() / max(n_allowed, 1)
        total = room.x[: indptr[row + 1] - indptr[row]].sum()
        mass = step_mass = 0.0
        for m in range(n_allowed):
            topic = room.topics[m]
            if _is_fixed(limits.fixed_topics, topic) or sums[topic] <= 0.0:
                continue
            weight = room.weights[topic]
            slope = sums[topic] + limits.l1 + limits.l2 * weight - room.asked[topic]
            if quadratic.gram.shape[0] > 0:
                slope += _pull(quadratic.gram, room.product, room.weights, topic)
            step = (weight + mean) * slope / sums[topic]
            mass += weight * sums[topic]
            step_mass += abs(weight - max(0.0, weight - step)) * sums[topic]
            if mean == 0.0 and slope < 0.0:  # a row that uses nothing of what it could
                step_mass = total
        # An entry that nothing explains asks for more than there is.
        moved += (1.0 if row_weights is None else row_weights[row]) * min(step_mass, mass + total)
    return moved


@njit(nogil=True, cache=True, fastmath=_FAST)
def multiply_rows(first, last, indptr, indices, data, other, products):
    """Write rows `first` to `last` of ``X @ other`` to `products`."""
    for row in range(first, last):
        products[row] = 0.0
        for place in range(indptr[row], indptr[row + 1]):
            entry = data[place]
            column = other[indices[place]]
            for topic in range(other.shape[1]):
                products[row, topic] += entry * column[topic]


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _step_along_topics(product, gram, topics, n_topics, limits, weights):
    """Go to the minimum along each topic in turn; return the sum of squares of the moves."""
    moved = 0.0
    for m in range(n_topics):
        topic = topics[m]
        if _is_fixed(limits.fixed_topics, topic):
            continue
        slope = limits.l1 + limits.l2 * weights[topic] + _pull(gram, product, weights, topic)
        curvature = gram[topic, topic] + limits.l2
        if curvature > 0.0:
            better = max(0.0, weights[topic] - slope / curvature)
        else:
            better = 0.0 if slope > 0.0 else weights[topic]
        moved += (better - weights[topic]) ** 2
        weights[topic] = better
    return moved


@njit(nogil=True, cache=True, forceinline=True)
def _multiply_squares(product, gram, topics, n_topics, limits, weights, old):
    """Take the multiplicative step of least squares."""
    old[:] = weights
    for m in range(n_topics):
        topic = topics[m]
        if _is_fixed(limits.fixed_topics, topic):
            continue
        cost = limits.l1 + limits.l2 * old[topic] + _times(gram, old, topic)
        asked = max(product[topic], 0.0)
        weights[topic] = old[topic] * asked / cost if cost > 0.0 else 0.0


@njit(nogil=True, cache=True)
def update_square_rows(first, last, products, gram, limits, newton, sweeps, settled, factor):
    """Improve rows `first` to `last` of `factor` under the squared Euclidean distance.

    Parameters
    ----------
    products : array of shape (n_rows, n_topics)
        ``X @ other``.
    gram : float64 array of shape (n_topics, n_topics)
        ``other.T @ other``, weighted where the columns of X have weights.
    limits : Limits
        Topics that each row may use, what is fixed, penalties.
    newton : bool
        Steps to the minimum along each topic, rather than multiplicative ones.
    sweeps : int
        Most sweeps of a row.
    settled : float
        A row is done when the squared move of a sweep is no more than this share of the first one's.
    factor : array of shape (n_rows, n_topics)
        Improved in place; topics that are not allowed are set to zero.
    """
    n_topics = factor.shape[1]
    weights, old, product = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    topics = np.empty(n_topics, np.int64)
    for row in range(first, last):
        if _is_fixed(limits.fixed_rows, row):
            continue
        n_allowed = _list_allowed(limits.mask, row, topics)
        _load(factor, row, topics, n_allowed, weights)
        product[:] = products[row]
        if newton:
            most = _step_along_topics(product, gram, topics, n_allowed, limits, weights)
            for _ in range(1, sweeps):
                if _step_along_topics(product, gram, topics, n_allowed, limits, weights) <= settled * most:
                    break
        else:
            for _ in range(sweeps):
                _multiply_squares(product, gram, topics, n_allowed, limits, weights, old)
        factor[row] = weights


@njit(nogil=True, cache=True)
def residual_square_rows(first, last, products, gram, sums, limits, factor, row_weights=None):
    """Return how far rows `first` to `last` are from the conditions of a minimum, each times its weight.

    The mass, weights times `sums`, that steps to the minimum along each topic would move.
    """
    n_topics = factor.shape[1]
    weights, product, topics = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics, np.int64)
    moved = 0.0
    for row in range(first, last):
        if _is_fixed(limits.fixed_rows, row):
            continue
        n_allowed = _list_allowed(limits.mask, row, topics)
        _load(factor, row, topics, n_allowed, weights)
        product[:] = products[row]
        for m in range(n_allowed):
            topic = topics[m]
            curvature = gram[topic, topic] + limits.l2
            if _is_fixed(limits.fixed_topics, topic) or curvature <= 0.0:
                continue
            slope = limits.l1 + limits.l2 * weights[topic] + _pull(gram, product, weights, topic)
            counted = 1.0 if row_weights is None else row_weights[row]
            moved += counted * abs(weights[topic] - max(0.0, weights[topic] - slope / curvature)) * sums[topic]
    return moved


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def sum_kl_rows(first, last, indptr, indices, data, other, sums, row_weights, factor):
    """Return the Kullback-Leibler objective of rows `first` to `last`: weights times (s.a - sum x log(a.b))."""
    total = 0.0
    for row in range(first, last):
        value = 0.0
        for topic in range(factor.shape[1]):
            value += sums[topic] * factor[row, topic]
        for place in range(indptr[row], indptr[row + 1]):
            column = other[indices[place]]
            model = TINY
            for topic in range(factor.shape[1]):
                model += factor[row, topic] * column[topic]
            value -= data[place] * np.log(model)
        total += row_weights[row] * value
    return total


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _mix_evenly(x, block, size, n_topics, sweeps, settled, weights, mixed, share):
    """Find the mixture of topics that best explains a row, weights that sum to one, by expectation and maximisation."""
    total = 0.0
    for t in range(size):
        total += x[t]
    weights[:] = 1.0 / n_topics
    for sweep in range(sweeps + 1):
        for t in range(size):
            mixed[t] = TINY
        for topic in range(n_topics):
            for t in range(size):
                mixed[t] += weights[topic] * block[topic * size + t]
        if sweep == sweeps or n_topics == 1 or total == 0.0:
            break
        for t in range(size):
            share[t] = x[t] / mixed[t]
        moved = 0.0
        for topic in range(n_topics):
            asked = 0.0
            for t in range(size):
                asked += share[t] * block[topic * size + t]
            better = weights[topic] * asked / total
            moved = max(moved, abs(better - weights[topic]))
            weights[topic] = better
        if moved < settled:
            sweeps = sweep + 1


@njit(nogil=True, cache=True, fastmath=_FAST)
def mix_rows_by_theme(first, last, indptr, indices, data, other, sweeps, settled, mixtures, likelihoods):
    """Write the best mixture of each theme's topics for rows `first` to `last`, and how well it explains them.

    Themes are looked at a few at a time: their topics stand side by side, so that a look at a term serves all of them.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    other : array of shape (n_columns, n_themes * n_topics)
        The topics, theme by theme; above zero.
    sweeps, settled
        Most steps, and the move of a weight at which a mixture has settled.
    mixtures : float64 array of shape (n_themes, n_rows, n_topics)
        Written: the weights of each mixture; they sum to one.
    likelihoods : float64 array of shape (n_themes, n_rows)
        Written: the sum of x log(mixture).
    """
    longest, (n_themes, _, n_topics) = _longest(indptr, first, last), mixtures.shape
    x, mixed, share = np.empty(longest), np.empty(longest), np.empty(longest)
    block, weights = np.empty(longest * n_topics * _THEMES_AT_ONCE), np.empty(n_topics)
    for row in range(first, last):
        start, size = indptr[row], indptr[row + 1] - indptr[row]
        for t in range(size):
            x[t] = data[start + t]
        for theme in range(0, n_themes, _THEMES_AT_ONCE):
            end = min(theme + _THEMES_AT_ONCE, n_themes)
            for t in range(size):
                topics = other[indices[start + t], theme * n_topics : end * n_topics]
                for topic in range(len(topics)):
                    block[topic * size + t] = topics[topic]
            for each in range(theme, end):
                own = block[(each - theme) * n_topics * size : (each + 1 - theme) * n_topics * size]
                _mix_evenly(x, own, size, n_topics, sweeps, settled, weights, mixed, share)
                total = 0.0
                for t in range(size):
                    total += x[t] * np.log(mixed[t])
                mixtures[each, row] = weights
                likelihoods[each, row] = total


@njit(nogil=True, cache=True)
def _weighted_sums(factor, first, last, row_weights):
    """Return the column sums of some rows, each times its weight."""
    sums = np.zeros(factor.shape[1])
    for row in range(first, last):
        for topic in range(factor.shape[1]):
            sums[topic] += row_weights[row] * factor[row, topic]
    return sums


@njit(nogil=True, cache=True)
def _even_sums(factor, first, last):
    """Return the column sums of some rows."""
    sums = np.zeros(factor.shape[1])
    for row in range(first, last):
        for topic in range(factor.shape[1]):
            sums[topic] += factor[row, topic]
    return sums


@njit(nogil=True, cache=True)
def _go_on(better, before, first, last, dare, further):
    """Write where a step leads if it goes on, to no less than a tenth of where it led."""
    for row in range(first, last):
        for topic in range(better.shape[1]):
            step = better[row, topic]
            further[row, topic] = max(step + dare * (step - before[row, topic]), 0.1 * step)


class Block(NamedTuple):
    """Factorisations that stand side by side, as compressed rows of one matrix.

    Attributes
    ----------
    row_ends, column_ends : int arrays of shape (n_blocks + 1,)
        The rows and columns of block b are those from ``ends[b]`` to ``ends[b + 1]``.
    indptr, indices, data : arrays
        The matrix by documents.
    weights : float64 array of shape (n_rows,)
        How much each document counts.
    limits : Limits
        What the weights of documents may be.
    """

    row_ends: np.ndarray
    column_ends: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    weights: np.ndarray
    limits: Limits


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _multiply_terms(parts, block, W, H, H_new):
    """Write the multiplicative step of all topics of a block from a pass over its documents.

    Most terms stand in a handful of documents, so that a step of Newton for each costs far more than it gains.
    """
    first, last = parts.row_ends[block], parts.row_ends[block + 1]
    left, right = parts.column_ends[block], parts.column_ends[block + 1]
    n_topics = W.shape[1]
    sums = _weighted_sums(W, first, last, parts.weights)
    asked = np.zeros((right - left, n_topics))
    for row in range(first, last):
        weights = W[row]
        for place in range(parts.indptr[row], parts.indptr[row + 1]):
            column = parts.indices[place]
            topics = H[column]
            model = TINY
            for topic in range(n_topics):
                model += weights[topic] * topics[topic]
            share = parts.weights[row] * parts.data[place] / model
            for topic in range(n_topics):
                asked[column - left, topic] += share * weights[topic]
    for column in range(left, right):
        for topic in range(n_topics):
            better = H[column, topic] * asked[column - left, topic]
            H_new[column, topic] = better / sums[topic] if sums[topic] > 0.0 else 0.0


@njit(nogil=True, cache=True, forceinline=True)
def _improve_block(parts, block, newton, W, H, no_quadratic, dare, W_new, H_new):
    """Write better weights, then better topics for these, starting from W and H. Return the objective."""
    first, last = parts.row_ends[block], parts.row_ends[block + 1]
    left, right = parts.column_ends[block], parts.column_ends[block + 1]
    indptr, indices, data = parts.indptr, parts.indices, parts.data
    W_new[first:last] = W[first:last]
    sums = _even_sums(H, left, right)
    update_kl_rows(first, last, indptr, indices, data, H, sums, parts.limits, no_quadratic, newton, W_new)
    if dare > 0.0:
        _go_on(W_new, W, first, last, dare, W_new)
    _multiply_terms(parts, block, W_new, H, H_new)
    sums = _even_sums(H_new, left, right)
    return sum_kl_rows(first, last, indptr, indices, data, H_new, sums, parts.weights, W_new)


@njit(nogil=True, cache=True)
def fit_kl_blocks(first, last, parts, newton, extrapolate, max_iter, tol, W, H, paths):
    """Factorise blocks `first` to `last`, each to its own end, as `models.alternate` does one matrix.

    A block is small: all its iterations in one go keep it in the cache and the interpreter out.

    Parameters
    ----------
    parts : Block
        The matrices.
    newton, extrapolate : bool
        Newton steps of the documents rather than multiplicative ones; whether to go on beyond each step.
    max_iter, tol
        Most iterations; settled when one lowers the objective by less than this share of what all have.
    W, H : arrays of shapes (n_rows, n_topics) and (n_columns, n_topics)
        Where to start; improved in place.
    paths : array of shape (n_blocks, max_iter + 1)
        Written: the objective of each block at the start and after each iteration, NaN after its last.
    """
    no_quadratic = Quadratic(np.zeros((0, 0)), np.zeros((0, 0)))
    W_new, H_new, H_ahead = np.empty_like(W), np.empty_like(H), np.empty_like(H)
    for block in range(first, last):
        rows = slice(parts.row_ends[block], parts.row_ends[block + 1])
        columns = slice(parts.column_ends[block], parts.column_ends[block + 1])
        sums = _even_sums(H, columns.start, columns.stop)
        path = paths[block]
        path[:] = np.nan
        reached = sum_kl_rows(rows.start, rows.stop, parts.indptr, parts.indices, parts.data, H, sums, parts.weights, W)
        path[0] = reached
        dare = 0.5 if extrapolate else 0.0
        H_ahead[columns] = H[columns]
        for iteration in range(1, max_iter + 1):
            before = reached
            reached = _improve_block(parts, block, newton, W, H_ahead, no_quadratic, dare, W_new, H_new)
            too_far = dare > 0.0 and not reached <= before
            if too_far:  # go back to the best so far and take plain steps from there
                dare *= 0.75
                reached = _improve_block(parts, block, newton, W, H, no_quadratic, 0.0, W_new, H_new)
            if not reached <= before:
                break
            if dare > 0.0 and not too_far:
                _go_on(H_new, H, columns.start, columns.stop, dare, H_ahead)
                dare = min(1.0, dare * 1.1)
            else:
                H_ahead[columns] = H_new[columns]
            W[rows], H[columns] = W_new[rows], H_new[columns]
            path[iteration] = reached
            if before - reached <= tol * (path[0] - reached):
                break
