"""Quadratic problems over shares that sum to one, one for each row.

A row moves mass from one share to another, the best pair first, until it is nearly there; then it solves for all its
shares above zero at once, drops those that would fall below, takes in one that pays, and is done after a few rounds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# The gap at which moving pairs gives way to solving at once, as a share of the mean diagonal.
_ROUGH = 1e-5
# A pivot below this share of its diagonal is rounding: two corners are one.
_SINGULAR = 1e-11
_ROUNDS_A_TOPIC = 4


@njit(nogil=True, cache=True)
def _find_slopes(gram, products, shares, slopes):
    for topic in range(len(slopes)):
        slopes[topic] = -products[topic]
    for other in range(len(slopes)):
        if shares[other] != 0.0:
            for topic in range(len(slopes)):
                slopes[topic] += shares[other] * gram[other, topic]


@njit(nogil=True, cache=True)
def _find_gap(slopes, shares):
    """Return the share of the lowest slope, and the gap: what all mass moved there would gain at most."""
    low = 0
    mean = 0.0
    for topic in range(len(slopes)):
        mean += shares[topic] * slopes[topic]
        if slopes[topic] < slopes[low]:
            low = topic
    return low, mean - slopes[low]


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
    """Write the Cholesky factor of the support's part of `gram`; return whether it has one."""
    for i in range(n_support):
        for j in range(i + 1):
            total = gram[support[i], support[j]]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i > j:
                lower[i, j] = total / lower[j, j]
            elif total > _SINGULAR * gram[support[i], support[i]]:
                lower[i, i] = np.sqrt(total)
            else:
                return False
    return True


@njit(nogil=True, cache=True)
def _solve_factored(lower, size, values):
    for i in range(size):
        for k in range(i):
            values[i] -= lower[i, k] * values[k]
        values[i] /= lower[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            values[i] -= lower[k, i] * values[k]
        values[i] /= lower[i, i]


@njit(nogil=True, cache=True)
def _solve_support(gram, products, shares, support, lower, wanted, even):
    """Move the shares above zero to their best, or as far that way as the first to become zero; return how it went.

    Returns
    -------
    int
        1 if the best was reached, 0 if a share became zero, -1 if two corners are one.
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
    _solve_factored(lower, size, wanted)
    _solve_factored(lower, size, even)
    multiplier = (wanted[:size].sum() - 1.0) / even[:size].sum()
    far, first = 1.0, -1
    for i in range(size):
        wanted[i] -= multiplier * even[i]
        share = shares[support[i]]
        if wanted[i] <= 0.0 and share < far * (share - wanted[i]):
            far, first = share / (share - wanted[i]), i
    for i in range(size):
        shares[support[i]] = max(0.0, shares[support[i]] + far * (wanted[i] - shares[support[i]]))
    if first < 0:
        return 1
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
                if reached < 0:
                    rounds = _ROUNDS_A_TOPIC * n_topics
                elif reached > 0:
                    low, gap = _find_gap(slopes, shares[row])
                    if gap > settled and not _move_pair(gram, low, slopes, shares[row]):
                        break
            low, gap = _find_gap(slopes, shares[row])
        gaps[row] = gap
