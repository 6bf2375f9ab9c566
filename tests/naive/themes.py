"""Slow, obvious twins of one separated theme (chapter 3 of the first seed) and of where it starts (chapter 4).

X holds documents by terms, W documents by topics, H topics by terms, the background last. Nothing is collapsed: every
document stands for itself, whether it may use the subtopics of the theme or only the background.
"""

from __future__ import annotations

from math import ceil

import numpy as np


def _quotient(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return zero where nothing is below: there nothing is above either, or no topic can explain it."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def multiply_weights(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Equation 3.9: W <- W (X / (W o S) H) H' / 1 H', within S."""
    W = W * S
    return W * _quotient(_quotient(X, W @ H) @ H.T, np.ones_like(X) @ H.T) * S


def multiply_topics(X: np.ndarray, W: np.ndarray, H: np.ndarray, S: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Equation 3.8: H <- H (W o S)' (X / (W o S) H) / (W o S)' 1, each document E times."""
    W = W * S
    return H * _quotient((E * W).T @ _quotient(X, W @ H), (E * W).T @ np.ones_like(X))


def divergence(X: np.ndarray, model: np.ndarray, E: np.ndarray) -> float:
    """Return the Kullback-Leibler divergence, each document E times, but for the logarithms of what nothing explains."""
    explained = (X > 0) & (model > 0)
    logs = np.log(np.where(explained, X, 1.0) / np.where(explained, model, 1.0))
    return float((E * (X * logs - X + model)).sum())


def list_documents(X: np.ndarray, members: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the documents of a theme's model, whether each may use the theme, and how much it counts.

    First come the members, then, for what they and all others count beyond that, documents that may use only the
    background.
    """
    inside = np.flatnonzero(members > 0)
    outside = np.flatnonzero(weights > members)
    rows = np.vstack([X[inside], X[outside]])
    counts = np.concatenate([members[inside], (weights - members)[outside]])
    return rows, np.arange(len(rows)) < len(inside), counts[:, None]


def fit_theme(
    X: np.ndarray, members: np.ndarray, weights: np.ndarray, W: np.ndarray, H: np.ndarray, n_iterations: int
) -> tuple[np.ndarray, list[float]]:
    """Return the topics of one theme and the divergence after each iteration, weights first.

    Parameters
    ----------
    X : array of shape (n_documents, n_terms)
        The documents.
    members, weights : arrays of shape (n_documents,)
        How much each document counts as one of the theme, and in all.
    W : array of shape (n_members, n_topics)
        Weights of the members to start from; those of other documents do not matter after the first step.
    H : array of shape (n_topics, n_terms)
        Topics to start from.
    n_iterations : int
        How many.
    """
    rows, inside, E = list_documents(X, members, weights)
    S = np.ones((len(rows), len(H)))
    S[~inside, :-1] = 0.0
    W = np.vstack([W, np.full((len(rows) - len(W), len(H)), 0.7)])
    path = []
    for _ in range(n_iterations):
        W = multiply_weights(rows, W, H, S)
        H = multiply_topics(rows, W, H, S, E)
        path.append(divergence(rows, W @ H, E))
    return H, path


def sort_by_density(X: np.ndarray, documents: list[int]) -> list[int]:
    """Return documents with the most distinct terms first, as they came where these are equal."""
    return sorted(documents, key=lambda document: -np.count_nonzero(X[document]))


def cut(densities: list[int], n_parts: int) -> list[list[int]]:
    """Walk along; a part ends once all so far hold their share, or when each part to come needs a document left."""
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    place, reached = 0, 0
    for position, density in enumerate(densities):
        parts[place].append(position)
        reached += density
        n_left = len(densities) - position - 1
        full = reached * n_parts >= sum(densities) * (place + 1)
        if place < n_parts - 1 and (full or n_left <= n_parts - 1 - place):
            place += 1
    return parts


def start_bcool(
    X: np.ndarray, groups: list[list[int]], pool: list[int], n_subtopics: list[int], rng: np.random.RandomState
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the subtopics of each theme and the background, by the seven steps of chapter 4."""
    densities = [int(np.count_nonzero(X[document])) for document in range(len(X))]
    themes = []
    for documents, n_parts in zip(groups, n_subtopics, strict=True):  # (i)
        ordered = sort_by_density(X, documents)  # (ii)
        kept = ordered[: max(ceil(len(ordered) / 2), n_parts)]  # (iii), but enough for (iv) where there are
        parts = cut([densities[document] for document in kept], n_parts)  # (iv)
        rows = []
        for part in parts:
            chosen = [kept[position] for position in part]
            if not chosen:  # (v)
                n_chosen = max(1, round(len(pool) / (2 * len(groups) * n_parts)))
                n_chosen = min(n_chosen, sum(densities[d] > 0 for d in pool))
                chances = np.array([densities[document] for document in pool])
                chosen = rng.choice(pool, n_chosen, replace=False, p=chances / chances.sum()).tolist()
            rows.append(X[chosen].mean(axis=0))  # (vi)
        themes.append(np.array(rows))
    common: set[int] = set()  # (vii)
    for documents in groups:
        common |= set(sort_by_density(X, documents)[: ceil(len(documents) / 4)])
    return themes, X[sorted(common)].mean(axis=0)


def mix(x: np.ndarray, topics: np.ndarray, n_steps: int, settled: float = 0.0) -> np.ndarray:
    """Return weights that sum to one by expectation and maximisation from even ones, until none moves much."""
    weights = np.full(len(topics), 1 / len(topics))
    for _ in range(n_steps if x.any() else 0):
        better = np.zeros(len(topics))
        for term in np.flatnonzero(x):
            responsibilities = weights * topics[:, term]
            better += x[term] * responsibilities / responsibilities.sum()
        before, weights = weights, better / x.sum()
        if np.abs(weights - before).max() < settled:
            break
    return weights


def log_ratio(x: np.ndarray, mixture: np.ndarray, background: np.ndarray) -> float:
    """Return the sum of x log(mixture / background) over the root of the sum of x; an empty document has none."""
    terms = np.flatnonzero(x)
    total = sum(x[term] * np.log(mixture[term] / background[term]) for term in terms)
    return float(total / np.sqrt(x.sum())) if len(terms) else 0.0
