"""Rows of a non-negative factorisation, one factor at a time.

With one factor fixed, the rows of the other are independent problems. All models come down to these: both factors of
NMF, documents folded into known topics, topics recovered from anchors. Each kernel works on a range of rows of a
sparse matrix X, with `other` the fixed factor (columns of X by topics) and `factor` the one to improve in place
(rows of X by topics). A row may be allowed only some topics: then only these are visited.

Kullback-Leibler, row x with weights a: minimise  s.a - sum_j x_j log(a.b_j)  over a >= 0, where b_j is row j of
`other` and s holds the column sums of `other`. One pass along the rows of `other` gives the gradient of all topics.
The multiplicative step needs no more, and never raises the objective. The Newton sweep then visits the topics that
can move, those in use and those with a falling slope; on the way down a Newton step can go too far, so a row that
got worse takes the multiplicative step instead.

Least squares, row x with weights a: minimise  |x - a B'|^2 / 2  over a >= 0, where the rows of B are those of `other`.
The products p = x B and the Gram matrix G = B' B are all it takes, so X is touched once and the cheap sweeps over
topics, each step the minimum along its topic, may be repeated while they still move.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Keeps quotients and logarithms finite where a model explains nothing of an entry.
TINY = 1e-30
# A model below this explains nothing.
_NOTHING = 4 * TINY
_WORST = 1e300
# A sweep has settled when the square of its move is this share of the first one's.
_SETTLED = 0.01
_FAST = {"reassoc", "contract", "nsz", "arcp"}


@njit(nogil=True, cache=True)
def _list_allowed(mask, row, topics):
    """Write the topics that a row may use; an empty mask allows all. Return their number."""
    n_topics = 0
    for topic in range(topics.shape[0]):
        if mask.shape[0] == 0 or mask[row, topic]:
            topics[n_topics] = topic
            n_topics += 1
    return n_topics


@njit(nogil=True, cache=True)
def _gather(indices, start, size, other, topics, n_topics, block):
    """Copy some columns of the rows of `other` that a row of X touches, topic by topic."""
    for t in range(size):
        row = other[indices[start + t]]
        for m in range(n_topics):
            block[m * size + t] = row[topics[m]]


@njit(nogil=True, cache=True, fastmath=_FAST)
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


@njit(nogil=True, cache=True, fastmath=_FAST)
def _mix(block, size, topics, n_topics, weights, mixed):
    """Write the model of each non-zero from gathered columns."""
    mixed[:size] = TINY
    for m in range(n_topics):
        weight = weights[topics[m]]
        if weight > 0.0:
            for t in range(size):
                mixed[t] += weight * block[m * size + t]


@njit(nogil=True, cache=True, fastmath=_FAST)
def _look_at_some(x, block, size, topics, n_topics, weights, mixed, asked):
    """Do the same from gathered columns, where a row may use only some topics."""
    _mix(block, size, topics, n_topics, weights, mixed)
    for m in range(n_topics):
        total = 0.0
        for t in range(size):
            total += x[t] / mixed[t] * block[m * size + t]
        asked[topics[m]] = total


@njit(nogil=True, cache=True, fastmath=_FAST)
def _sweep(x, block, size, topics, n_topics, sums, l1, l2, weights, mixed, inverse, share):
    """Take a Newton step along each of some topics, one after the other; the model follows."""
    for t in range(size):
        inverse[t] = 1.0 / mixed[t]
        share[t] = x[t] * inverse[t]
    for m in range(n_topics):
        column = block[m * size : (m + 1) * size]
        topic = topics[m]
        asked = 0.0
        curvature = l2
        for t in range(size):
            part = share[t] * column[t]
            asked += part
            curvature += part * inverse[t] * column[t]
        slope = sums[topic] + l1 + l2 * weights[topic] - asked
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


@njit(nogil=True, cache=True)
def _multiply(topics, n_topics, asked, sums, l1, l2, weights):
    """Take the multiplicative step: the minimum of a bound that touches the objective at the present weights."""
    for m in range(n_topics):
        topic = topics[m]
        gain = weights[topic] * asked[topic]
        cost = sums[topic] + l1
        if l2 > 0.0:
            weights[topic] = (np.sqrt(cost * cost + 4.0 * l2 * gain) - cost) / (2.0 * l2)
        else:
            weights[topic] = gain / cost if cost > 0.0 else 0.0


@njit(nogil=True, cache=True, fastmath=_FAST)
def _log_gain(x, before, after, size):
    """Return the sum of x log(after / before); nothing is worse than to explain an entry no longer."""
    gain = 0.0
    for t in range(size):
        if after[t] < _NOTHING <= before[t]:
            return -_WORST
        gain += x[t] * np.log(after[t] / before[t])
    return gain


@njit(nogil=True, cache=True)
def _cost(weights, sums, l1, l2):
    """Return the part of the objective that is a sum over topics."""
    total = 0.0
    for topic in range(weights.shape[0]):
        total += (sums[topic] + l1) * weights[topic] + 0.5 * l2 * weights[topic] * weights[topic]
    return total


@njit(nogil=True, cache=True)
def _keep_active(topics, n_topics, asked, sums, l1, weights, active):
    """Write the topics that a Newton step can move: those in use, and those whose slope falls."""
    n_active = 0
    for m in range(n_topics):
        topic = topics[m]
        if weights[topic] > 0.0 or sums[topic] + l1 < asked[topic]:
            active[n_active] = topic
            n_active += 1
    return n_active


@njit(nogil=True, cache=True)
def update_kl_rows(first, last, indptr, indices, data, other, sums, mask, newton, l1, l2, factor):
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
    mask : bool array of shape (n_rows, n_topics), or of shape (0, 0)
        Topics that each row may use; the empty one allows all.
    newton : bool
        Newton steps rather than multiplicative ones.
    l1, l2 : float
        Penalties on the weights of a row: l1 sum(a) + l2 sum(a^2) / 2.
    factor : array of shape (n_rows, n_topics)
        Improved in place; topics that are not allowed are set to zero.
    """
    n_topics = factor.shape[1]
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    x, before, mixed = np.empty(longest), np.empty(longest), np.empty(longest)
    inverse, share = np.empty(longest), np.empty(longest)
    block = np.empty(n_topics * longest)
    weights, old, asked = np.empty(n_topics), np.empty(n_topics), np.zeros(n_topics)
    topics, active = np.empty(n_topics, np.int64), np.empty(n_topics, np.int64)
    for row in range(first, last):
        start, size = indptr[row], indptr[row + 1] - indptr[row]
        n_allowed = _list_allowed(mask, row, topics)
        weights[:] = 0.0
        for m in range(n_allowed):
            weights[topics[m]] = factor[row, topics[m]]
        old[:] = weights
        x[:size] = data[start : start + size]
        if n_allowed == n_topics:
            _look_at_all(x, indices, start, size, other, weights, before, asked)
        else:
            _gather(indices, start, size, other, topics, n_allowed, block)
            _look_at_some(x, block, size, topics, n_allowed, weights, before, asked)
        worse = True
        if newton:
            n_active = _keep_active(topics, n_allowed, asked, sums, l1, weights, active)
            _gather(indices, start, size, other, active, n_active, block)
            mixed[:size] = before[:size]
            _sweep(x, block, size, active, n_active, sums, l1, l2, weights, mixed, inverse, share)
            # Anew, because what is left of a model that went to zero step by step is rounding.
            _mix(block, size, active, n_active, weights, mixed)
            fell = _log_gain(x, before, mixed, size) + _cost(old, sums, l1, l2) - _cost(weights, sums, l1, l2)
            worse = not fell >= 0.0
        if worse:
            weights[:] = old
            _multiply(topics, n_allowed, asked, sums, l1, l2, weights)
        factor[row] = weights


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


@njit(nogil=True, cache=True, fastmath=_FAST)
def _step_along_topics(product, gram, topics, n_topics, l1, l2, weights):
    """Go to the minimum along each topic in turn; return the sum of squares of the moves."""
    moved = 0.0
    for m in range(n_topics):
        topic = topics[m]
        slope = l1 + l2 * weights[topic] - product[topic]
        for k in range(weights.shape[0]):
            slope += gram[topic, k] * weights[k]
        curvature = gram[topic, topic] + l2
        if curvature > 0.0:
            better = max(0.0, weights[topic] - slope / curvature)
        else:
            better = 0.0 if slope > 0.0 else weights[topic]
        moved += (better - weights[topic]) ** 2
        weights[topic] = better
    return moved


@njit(nogil=True, cache=True)
def _multiply_squares(product, gram, topics, n_topics, l1, l2, weights, old):
    """Take the multiplicative step of least squares."""
    old[:] = weights
    for m in range(n_topics):
        topic = topics[m]
        cost = l1 + l2 * old[topic]
        for k in range(old.shape[0]):
            cost += gram[topic, k] * old[k]
        asked = max(product[topic], 0.0)
        weights[topic] = old[topic] * asked / cost if cost > 0.0 else 0.0


@njit(nogil=True, cache=True)
def update_square_rows(first, last, products, gram, mask, newton, sweeps, l1, l2, factor):
    """Improve rows `first` to `last` of `factor` under the squared Euclidean distance.

    Parameters
    ----------
    products : array of shape (n_rows, n_topics)
        ``X @ other``.
    gram : float64 array of shape (n_topics, n_topics)
        ``other.T @ other``, weighted where the columns of X have weights.
    mask : bool array of shape (n_rows, n_topics), or of shape (0, 0)
        Topics that each row may use; the empty one allows all.
    newton : bool
        Steps to the minimum along each topic, rather than multiplicative ones.
    sweeps : int
        Most sweeps of a row; it stops when a sweep moves it a tenth as far as the first did.
    l1, l2 : float
        Penalties on the weights of a row: l1 sum(a) + l2 sum(a^2) / 2.
    factor : array of shape (n_rows, n_topics)
        Improved in place; topics that are not allowed are set to zero.
    """
    n_topics = factor.shape[1]
    weights, old, product = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    topics = np.empty(n_topics, np.int64)
    for row in range(first, last):
        n_allowed = _list_allowed(mask, row, topics)
        weights[:] = 0.0
        for m in range(n_allowed):
            weights[topics[m]] = factor[row, topics[m]]
        product[:] = products[row]
        if newton:
            most = _step_along_topics(product, gram, topics, n_allowed, l1, l2, weights)
            for _ in range(1, sweeps):
                if _step_along_topics(product, gram, topics, n_allowed, l1, l2, weights) <= _SETTLED * most:
                    break
        else:
            for _ in range(sweeps):
                _multiply_squares(product, gram, topics, n_allowed, l1, l2, weights, old)
        factor[row] = weights


@njit(nogil=True, cache=True, fastmath=_FAST)
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
