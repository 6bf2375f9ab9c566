"""Quadratic problems over shares that sum to one, one for each row.

A row moves mass from one share to another, the best pair first, until it is nearly there; then it solves for all its
shares above zero at once, drops those that would fall below, takes in one that pays, and is done after a few rounds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# The gap at which moving pairs gives way to solving at once, as a share of the mean diagonal.
_ROUGH = 1e-4
# A pivot below this share of its diagonal is rounding: two corners are one.
_SINGULAR = 1e-11
# What is solved for at once sums to one but for rounding, unless corners beside much longer ones leave nothing but that.
_OFF = 1e-9
_ROUNDS_A_TOPIC = 4


@njit(nogil=True, cache=True)
def _find_slopes(gram, products, shares, slopes):
    for topic in range(len(slopes)):
        slopes[topic] = -products[topic]
    for other in range(len(slopes)):
        if shares[other] != 0.0:
            for topic in range(len(slopes)):
                slopes[topic] += shares[other] * gram[other, topic]


@njit(
    nogil=True, cache=True, forceinline=True, fastmath={"reassoc"}
)  # several sums at once; only a gap follows from it
def _find_mean(slopes, shares):
    mean = 0.0
    for topic in range(len(slopes)):
        mean += shares[topic] * slopes[topic]
    return mean


@njit(nogil=True, cache=True, forceinline=True)
def _find_gap(slopes, shares):
    """Return the share of the lowest slope, and the gap: what all mass moved there would gain at most."""
    low = 0
    for topic in range(1, len(slopes)):
        if slopes[topic] < slopes[low]:
            low = topic
    return low, _find_mean(slopes, shares) - slopes[low]


@njit(nogil=True, cache=True)
def _move_pair(gram, low, slopes, shares):
    """Move mass to the share of the lowest slope from the one that pays most; return whether any did."""
    high, most, best = low, 0.0, 0.0
    for topic in range(len(slopes)):
        difference = slopes[topic] - slopes[low]
        if shares[topic] > 0.0 and difference > 0.0:
            curvature = gram[low, low] + gram[topic, topic] - 2.0 * gram[low, topic]
            step = shares[topic]
            if curvature * step > difference:
                step = difference / curvature
            if difference * step > most:
                high, most, best = topic, difference * step, step
    if high == low:
        return False
    shares[high] = 0.0 if best == shares[high] else shares[high] - best
    shares[low] += best
    for topic in range(len(slopes)):
        slopes[topic] += best * (gram[low, topic] - gram[high, topic])
    return True


@njit(nogil=True, cache=True)
def _factor(gram, support, n_support, lower):
    """Write the Cholesky factor of the support's part of `gram`, one over its diagonal; return whether it has one."""
    for i in range(n_support):
        row = gram[support[i]]
        for j in range(i):
            total = row[support[j]]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = total * lower[j, j]
        total = row[support[i]]
        for k in range(i):
            total -= lower[i, k] * lower[i, k]
        if total <= _SINGULAR * row[support[i]]:
            return False
        lower[i, i] = 1.0 / np.sqrt(total)
    return True


@njit(nogil=True, cache=True)
def _solve_factored(lower, size, values, others):
    """Solve for two right-hand sides in place."""
    for i in range(size):
        value, other = values[i], others[i]
        for k in range(i):
            value -= lower[i, k] * values[k]
            other -= lower[i, k] * others[k]
        values[i], others[i] = value * lower[i, i], other * lower[i, i]
    for i in range(size - 1, -1, -1):
        values[i] *= lower[i, i]
        others[i] *= lower[i, i]
        for k in range(i):
            values[k] -= lower[i, k] * values[i]
            others[k] -= lower[i, k] * others[i]


@njit(nogil=True, cache=True)
def _solve_support(gram, products, shares, support, lower, wanted, even):
    """Move the shares above zero to their best, or as far that way as the first to become zero; return how it went.

    Returns
    -------
    int
        1 if the best was reached, 0 if a share became zero, -1 if two corners are one, or nothing beside others.
    """
    size = 0
    for topic in range(len(shares)):
        if shares[topic] > 0.0:
            support[size] = topic
            wanted[size] = products[topic]
            even[size] = 1.0
            size += 1
    if not _factor(gram, support, size, lower):
        return -1
    _solve_factored(lower, size, wanted, even)
    multiplier = (wanted[:size].sum() - 1.0) / even[:size].sum()
    for i in range(size):
        wanted[i] -= multiplier * even[i]
    if not abs(wanted[:size].sum() - 1.0) <= _OFF:
        return -1
    far, first = 1.0, -1
    for i in range(size):
        share = shares[support[i]]
        if wanted[i] <= 0.0 and share < far * (share - wanted[i]):
            far, first = share / (share - wanted[i]), i
    if first < 0:  # what is written follows from the support alone, to the last bit
        for i in range(size):
            shares[support[i]] = max(0.0, wanted[i])
        return 1
    for i in range(size):
        shares[support[i]] = max(0.0, shares[support[i]] + far * (wanted[i] - shares[support[i]]))
    shares[support[first]] = 0.0
    return 0


@njit(nogil=True, cache=True)
def solve_simplex_rows(first, last, gram, products, settled, most_steps, shares, gaps):
    """Minimise ``c' gram c / 2 - products[row]' c`` over shares c that sum to one, for rows `first` to `last`.

    Parameters
    ----------
    gram : float64 array of shape (n_topics, n_topics)
        Positive semidefinite.
    products : float64 array of shape (n_rows, n_topics)
    settled : float
        A row has settled when its gap is no larger.
    most_steps : int
        Most moves of a row.
    shares : float64 array of shape (n_rows, n_topics)
        Where to start, each row summing to one; written, with exact zeros.
    gaps : float64 array of shape (n_rows,)
        Written: how far the objective of each row is from the best, at most.
    """
    n_topics = len(gram)
    slopes, wanted, even = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    support, lower = np.empty(n_topics, np.int64), np.empty((n_topics, n_topics))
    rough = max(settled, _ROUGH * np.trace(gram) / n_topics)
    for row in range(first, last):
        _find_slopes(gram, products[row], shares[row], slopes)
        low, gap = _find_gap(slopes, shares[row])
        steps, rounds = 0, 0
        while gap > settled and steps < most_steps:
            if gap > rough or rounds == _ROUNDS_A_TOPIC * n_topics:
                if not _move_pair(gram, low, slopes, shares[row]):
                    break
                steps += 1
            else:
                rounds += 1
                reached = _solve_support(gram, products[row], shares[row], support, lower, wanted, even)
                _find_slopes(gram, products[row], shares[row], slopes)
                if reached < 0:  # a pair at a time may leave what is too little out; four such rounds, then pairs alone
                    rounds = min(rounds + n_topics, _ROUNDS_A_TOPIC * n_topics)
                if reached != 0:
                    low, gap = _find_gap(slopes, shares[row])
                    if gap > settled and not _move_pair(gram, low, slopes, shares[row]):
                        break
            low, gap = _find_gap(slopes, shares[row])
        gaps[row] = gap


@njit(nogil=True, cache=True)
def update_simplex_rows(first, last, gram, products, settled, shares, gaps):
    """Do the same from shares that are nearly there; what is found does not depend, to the last bit, on the start.

    A row is done when the best shares on its support are best of all. Two starts could end on two supports only where
    a share, or what a share would gain, is zero but for rounding. Parameters as for `solve_simplex_rows`.
    """
    n_topics = len(gram)
    slopes, wanted, even = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    support, lower = np.empty(n_topics, np.int64), np.empty((n_topics, n_topics))
    for row in range(first, last):
        for _ in range(_ROUNDS_A_TOPIC * n_topics):
            reached = _solve_support(gram, products[row], shares[row], support, lower, wanted, even)
            if reached == 0:
                continue
            _find_slopes(gram, products[row], shares[row], slopes)
            low, gaps[row] = _find_gap(slopes, shares[row])
            if gaps[row] <= settled or not _move_pair(gram, low, slopes, shares[row]):
                break
