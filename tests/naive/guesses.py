"""Slow, obvious twins of what guesses labels from a few."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def spread(nearness: np.ndarray, rows: np.ndarray, targets: np.ndarray, go_on: float) -> np.ndarray:
    """Where labels end up that walk for ever, each with the same weight in all."""
    sums = nearness.sum(axis=1)
    roots = np.sqrt(np.where(sums > 0, sums, 1.0))
    step = nearness / roots[:, None] / roots
    source = np.zeros((len(nearness), targets.shape[1]))
    source[rows] = targets / targets.sum(axis=0)
    return (1 - go_on) * np.linalg.solve(np.eye(len(step)) - go_on * step, source)


def gather(nearness: np.ndarray, given: np.ndarray, go_on: float) -> np.ndarray:
    """What walks meet, one step after the other; a document near none goes nowhere."""
    sums = nearness.sum(axis=1, keepdims=True)
    steps = nearness / np.where(sums > 0, sums, 1.0)
    met, going = np.zeros(len(given)), given
    for _ in range(400):
        going = go_on * steps @ going
        met = met + going
    return met


def compare(nearness: np.ndarray, rows: np.ndarray, targets: np.ndarray, go_on: float, floor: float) -> np.ndarray:
    """Walk from documents with a label and from those without, one label after the other."""
    found = np.zeros((len(nearness), targets.shape[1]))
    reached = [spread(nearness, rows, np.eye(len(rows)), go_on)[:, place] for place in range(len(rows))]
    nothing = np.zeros(len(nearness))
    least = 0.0
    for label in range(targets.shape[1]):
        having = [reached[place] for place in range(len(rows)) if targets[place, label]]
        least = max(least, floor * np.mean(having, axis=0).max())
    for label in range(targets.shape[1]):
        having = [reached[place] for place in range(len(rows)) if targets[place, label]]
        lacking = [reached[place] for place in range(len(rows)) if not targets[place, label]]
        against = np.mean(lacking, axis=0) if lacking else nothing
        found[:, label] = np.log((np.mean(having, axis=0) + least) / (against + least))
    return found


def logistic_objective(weights: np.ndarray, features: np.ndarray, targets: np.ndarray, cost: float) -> float:
    """Cross-entropy plus half the cost of squared weights."""
    scores = features @ weights
    logs = scores - np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
    logs -= scores.max(axis=1, keepdims=True)
    return float(-(targets * logs).sum() + 0.5 * cost * (weights**2).sum())


def step_logistic(features: np.ndarray, targets: np.ndarray, cost: float, rounds: int) -> np.ndarray:
    """Steps on a bound of the curvature (Boehning 1992), one like the other."""
    bound = 0.5 * features.T @ features + cost * np.eye(features.shape[1])
    weights = np.zeros((features.shape[1], targets.shape[1]))
    for _ in range(rounds):
        scores = features @ weights
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        weights -= np.linalg.solve(bound, features.T @ (chances - targets) + cost * weights)
    return weights


def fit_logistic(features: np.ndarray, targets: np.ndarray, cost: float) -> np.ndarray:
    """The best weights, by a general-purpose method."""
    shape = features.shape[1], targets.shape[1]
    found = minimize(
        lambda flat: logistic_objective(flat.reshape(shape), features, targets, cost),
        np.zeros(shape[0] * shape[1]),
        method="L-BFGS-B",
        options={"maxiter": 2000, "maxfun": 10**6, "ftol": 1e-14, "gtol": 1e-9},
    )
    return found.x.reshape(shape)
