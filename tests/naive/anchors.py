"""Slow, obvious twins of anchor words, straight from the equations, and the model they assume, to draw from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from scipy import optimize

IN_HULL = 1e-8


def plant_topics(n_topics: int, n_terms: int, seed: int, *, copies: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Separable topics A, (n_terms, n_topics), and how likely topics meet, R.

    The first terms are anchors, `copies` for each topic, and of those each topic has only its own.
    """
    rng = np.random.default_rng(seed)
    A = rng.dirichlet(np.full(n_terms, 0.5), size=n_topics).T + 0.1 / n_terms  # no term is too rare to be drawn
    A[: copies * n_topics] = np.tile(np.diag(rng.uniform(0.05, 0.15, n_topics)), (copies, 1))
    W = rng.dirichlet(np.full(n_topics, 0.3), size=200)
    return A / A.sum(axis=0), W.T @ W / len(W)


def draw_documents(A: np.ndarray, n_documents: int, length: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of documents, and the proportions of topics that they were drawn with."""
    rng = np.random.default_rng(seed)
    W = rng.dirichlet(np.full(A.shape[1], 0.3), size=n_documents)
    return rng.multinomial(length, W @ A.T).astype(float), W


def match_columns(found: np.ndarray, planted: np.ndarray) -> np.ndarray:
    """The order of the columns found that brings them nearest to those planted."""
    return optimize.linear_sum_assignment(np.abs(planted[:, :, None] - found[:, None]).sum(axis=0))[1]


def distance_from_flat(point: np.ndarray, corners: np.ndarray) -> float:
    """Distance of a point from the flat through some corners, by least squares."""
    along = (corners[1:] - corners[0]).T
    outside = point - corners[0]
    return float(np.linalg.norm(outside - along @ np.linalg.lstsq(along, outside, rcond=None)[0]))


def find_anchors(points: np.ndarray, n_anchors: int, given: Sequence[np.ndarray] = (), *, clean: bool) -> list[int]:
    """Algorithm 5, with the flat through the anchors for their span."""
    found: list[int] = []
    while len(found) < n_anchors:
        corners = [*given, *points[found]]
        if not corners:
            distances = [float(np.linalg.norm(point)) for point in points]
        else:
            distances = [distance_from_flat(point, np.array(corners)) for point in points]
        found.append(int(np.argmax(distances)))
    for place in range(n_anchors if clean else 0):
        others = [*given, *points[found[:place] + found[place + 1 :]]]
        if others:
            found[place] = int(np.argmax([distance_from_flat(point, np.array(others)) for point in points]))
    return found


def volume(corners: np.ndarray) -> float:
    """Volume of the simplex of some corners, but for a factor of their number."""
    sides = corners[1:] - corners[0]
    return float(np.sqrt(max(np.linalg.det(sides @ sides.T), 0.0)))


def is_mixture(point: np.ndarray, corners: np.ndarray) -> bool:
    """Whether a point lies in the hull of some corners, by non-negative least squares."""
    return optimize.nnls(np.vstack([corners.T, np.ones(len(corners))]), np.append(point, 1.0))[1] <= IN_HULL


def hull(points: np.ndarray) -> list[int]:
    """Algorithm 1 of the lecture notes."""
    kept = list(range(len(points)))
    for row in range(len(points)):
        others = [other for other in kept if other != row]
        if others and is_mixture(points[row], points[others]):
            kept.remove(row)
    return kept


def quadratic(gram: np.ndarray, p: np.ndarray, c: np.ndarray) -> float:
    """What the kernel minimises: c' gram c / 2 - p' c."""
    return float(0.5 * c @ gram @ c - p @ c)


def best_shares(gram: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The minimum over shares that sum to one: the best of the stationary points of all choices of non-zeros."""
    n_topics = len(p)
    best = np.eye(n_topics)[0]
    for size in range(1, n_topics + 1):
        for chosen in map(list, combinations(range(n_topics), size)):
            system = np.ones((size + 1, size + 1))
            system[:size, :size] = gram[np.ix_(chosen, chosen)]
            system[size, size] = 0.0
            c = np.zeros(n_topics)
            c[chosen] = np.linalg.lstsq(system, np.append(p[chosen], 1.0), rcond=None)[0][:size]
            feasible = (c >= -1e-12).all() and abs(c.sum() - 1.0) < 1e-9
            if feasible and quadratic(gram, p, c) < quadratic(gram, p, best):
                best = np.maximum(c, 0.0) / np.maximum(c, 0.0).sum()
    return best


def square_objective(q: np.ndarray, U: np.ndarray, c: np.ndarray, mean: np.ndarray | float, xi: float) -> float:
    """Half the squared distance, and half the squared distance from the mean, in units of an anchor's length."""
    length = np.mean([corner @ corner for corner in U])
    return float(0.5 * ((q - c @ U) ** 2).sum() + 0.5 * xi * length * ((c - mean) ** 2).sum())


def square_shares(q: np.ndarray, U: np.ndarray, mean: np.ndarray | float = 0.0, xi: float = 0.0) -> np.ndarray:
    """The shares of the lowest `square_objective`."""
    strength = xi * np.mean([corner @ corner for corner in U])
    return best_shares(U @ U.T + strength * np.eye(len(U)), U @ q + strength * mean)


def divergence(q: np.ndarray, U: np.ndarray, c: np.ndarray) -> float:
    """Equation 2.29."""
    held = q > 0
    return float((q[held] * np.log(q[held] / (c @ U)[held])).sum())


def divergence_slopes(q: np.ndarray, U: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Equation A.3 without its penalty."""
    return -U @ (q / np.maximum(c @ U, 1e-300))


def l2_objective(q: np.ndarray, U: np.ndarray, c: np.ndarray, mean: np.ndarray | float, xi: float) -> float:
    """Equation 3.1, with half the square of the norm in place of the norm."""
    return divergence(q, U, c) + 0.5 * xi * float(((c - mean) ** 2).sum())


def beta_parameters(x: float, n_terms: int) -> tuple[float, float]:
    """Equation 3.3."""
    return x / n_terms + 1.0, (n_terms - 1) * x / n_terms + 1.0


def log_beta(T: np.ndarray, C: np.ndarray, i: int, a: float, b: float) -> float:
    """Equation A.6 for one term, without its constant."""
    A = T[:, None] * C / (T @ C)
    return float(((a - 1.0) * np.log(A[i]) + (b - 1.0) * np.log(1.0 - A[i])).sum())


def log_beta_slopes(c: np.ndarray, T_i: float, TC: np.ndarray, a: float, b: float) -> np.ndarray:
    """The derivative of equation A.6, as in equation A.7."""
    return (a - 1.0) / c + T_i * (2.0 - a - b) / TC


def beta_objective(q: np.ndarray, U: np.ndarray, c: np.ndarray, T_i: float, TC: np.ndarray, xi_x: float) -> float:
    """What equation A.7 is the derivative of, if [TC] is that of the round before; xi x is one strength."""
    a, b = beta_parameters(1.0, U.shape[1])
    return divergence(q, U, c) - xi_x * float(((a - 1.0) * np.log(c) + (2.0 - a - b) * T_i * c / TC).sum())


def exponentiated_gradient(
    objective: Callable[[np.ndarray], float], slopes: Callable[[np.ndarray], np.ndarray], n_topics: int, steps: int
) -> np.ndarray:
    """Shares of the lowest objective, from even ones, with steps that shrink until it falls, and until none pays."""
    c, step = np.full(n_topics, 1.0 / n_topics), 1.0
    lowest = objective(c)
    for _ in range(steps):
        downhill = slopes(c)
        if c @ downhill - downhill.min() < 1e-6:
            break
        step *= 2.0
        while step > 1e-12:
            trial = c * np.exp(-step * (downhill - downhill.min()))
            trial = np.maximum(trial / trial.sum(), 1e-12)
            trial = trial / trial.sum()
            if objective(trial) <= lowest:
                c, lowest = trial, objective(trial)
                break
            step *= 0.5
    return c


def divergence_shares(q: np.ndarray, U: np.ndarray, steps: int = 200) -> np.ndarray:
    """RecoverKL."""
    return exponentiated_gradient(lambda c: divergence(q, U, c), lambda c: divergence_slopes(q, U, c), len(U), steps)


def l2_shares(q: np.ndarray, U: np.ndarray, mean: np.ndarray | float, xi: float, steps: int = 200) -> np.ndarray:
    """The shares of the lowest `l2_objective`."""
    return exponentiated_gradient(
        lambda c: l2_objective(q, U, c, mean, xi),
        lambda c: divergence_slopes(q, U, c) + xi * (c - mean),
        len(U),
        steps,
    )


def beta_shares(q: np.ndarray, U: np.ndarray, T_i: float, TC: np.ndarray, xi_x: float, steps: int = 200) -> np.ndarray:
    """The shares of the lowest `beta_objective`."""
    a, b = beta_parameters(1.0, U.shape[1])
    return exponentiated_gradient(
        lambda c: beta_objective(q, U, c, T_i, TC, xi_x),
        lambda c: divergence_slopes(q, U, c) - xi_x * log_beta_slopes(c, T_i, TC, a, b),
        len(U),
        steps,
    )


def topics_by_bayes(C: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Equation 2.28: A, a column for each topic."""
    A = np.zeros_like(C)
    for i in range(C.shape[0]):
        for k in range(C.shape[1]):
            A[i, k] = C[i, k] * Q[i].sum()
    return A / A.sum(axis=0)


def invert_block(Q: np.ndarray, anchors: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 2 of the lecture notes: A and R."""
    block = Q[np.ix_(anchors, anchors)]
    z = np.linalg.inv(block) @ Q[list(anchors)].sum(axis=1)
    A = (np.linalg.inv(block @ np.diag(z)) @ Q[list(anchors)]).T
    return A, np.diag(z) @ block @ np.diag(z)


def harmonic_mean(rows: np.ndarray) -> np.ndarray:
    """A tandem anchor's point: the harmonic mean of its words' rows, summing to one."""
    means = np.array([len(column) / sum(1.0 / (value + 1e-10) for value in column) for column in rows.T]) - 1e-10
    return means / means.sum()


def assign_lexicon(Q: np.ndarray, anchors: Sequence[int], categories: Sequence[Sequence[int]]) -> list[int | None]:
    """Section 3.6: the highest score of a category and an anchor that have none yet, as long as there are both."""
    assigned: dict[int, int] = {}
    used: set[int] = set()
    while len(assigned) < len(anchors) and len(used) < len(categories):
        scores = {
            (place, category): sum(Q[anchor, word] for word in words)
            for place, anchor in enumerate(anchors)
            for category, words in enumerate(categories)
            if place not in assigned and category not in used
        }
        place, category = max(scores, key=lambda pair: scores[pair])
        assigned[place] = category
        used.add(category)
    return [assigned.get(place) for place in range(len(anchors))]


def lexicon_mean(assigned: Sequence[int | None], categories: Sequence[Sequence[int]], n_terms: int) -> np.ndarray:
    """Section 3.6: 1 / L_i for the L_i anchors whose category has word i, and zero for the others."""
    mean = np.zeros((n_terms, len(assigned)))
    for i in range(n_terms):
        tied = [place for place, category in enumerate(assigned) if category is not None and i in categories[category]]
        for place in tied:
            mean[i, place] = 1.0 / len(tied)
    return mean


def label_chances(X: np.ndarray, y: Sequence[str | None], names: Sequence[str]) -> np.ndarray:
    """Equation 4.1, over documents that have a label; the share of all of them for a term of none."""
    told = [d for d in range(len(X)) if y[d] is not None]
    chances = np.zeros((X.shape[1], len(names)))
    for i in range(X.shape[1]):
        holding = [d for d in told if X[d, i] > 0] or told
        for place, name in enumerate(names):
            chances[i, place] = sum(y[d] == name for d in holding) / len(holding)
    return chances


def rectify(Q: np.ndarray, rank: int, rounds: int) -> np.ndarray:
    """Project to the best positive semidefinite part of a rank, to a sum of one, and to what is not negative, in turn."""
    for _ in range(rounds):
        values, vectors = np.linalg.eigh(Q)
        kept = np.where(np.arange(len(Q)) >= len(Q) - rank, np.maximum(values, 0.0), 0.0)
        Q = vectors @ np.diag(kept) @ vectors.T
        Q = Q + (1.0 - Q.sum()) / Q.size
        Q = np.maximum(Q, 0.0)
    return Q / Q.sum()
