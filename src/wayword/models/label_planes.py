"""Planes that tell labels apart by tf-idf and topics: the log odds of each label as a sum over both."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from wayword.models.labels import Labels
from wayword.models.linear import multiply_columns, prefer_terms

# How much errors may cost the predictor (scikit-learn's C); a share of the documents of the most frequent labels
# chooses, if there are enough of them.
_ERROR_COSTS = (1.0, 10.0)
_HELD_SHARE, _FEWEST_HELD, _MOST_TO_CHOOSE_BY, _LABELS_TO_CHOOSE_BY = 0.2, 20, 4000, 3
# By how many standard errors a higher cost must be better.
_CLEARLY = 1.0
# How near planes come that only choose: near enough to tell which cost is better.
_ROUGHLY = 1e-2
# Log odds of a label that all documents have, or none.
_SURE = 10.0
# How often a term is taken to have occurred with a label, and without it, before it was seen, where terms count by how
# well they tell labels apart.
_PSEUDO_OCCURRENCES = 1.0


def prefer_for_any(rows: sparse.csr_matrix, labels: Labels) -> np.ndarray:
    """Return what each term counts: as much as for the label that it tells best from others."""
    best, even = np.zeros(rows.shape[1]), np.ones(rows.shape[0])
    for label in range(_count_planes(labels)):
        some, applies = _rows_of(label, rows, labels)
        if 0 < applies.sum() < len(applies):
            best = np.maximum(best, prefer_terms(some, applies, even[: len(applies)], _PSEUDO_OCCURRENCES))
    squares = np.bincount(rows.indices, weights=rows.data**2, minlength=rows.shape[1]) @ best**2
    return best * np.sqrt(rows.shape[0] / squares) if squares > 0.0 else np.ones(rows.shape[1])


def _count_planes(labels: Labels) -> int:
    """Return how many planes tell labels apart: of two that exclude each other, one serves both."""
    return 1 if labels.kind == "single" and len(labels.names) == 2 else len(labels.names)


def fit_planes(inputs: sparse.csr_matrix, labels: Labels, cost: float) -> tuple[np.ndarray, np.ndarray]:
    """Return weights, of shape (n_inputs, n_labels), and offsets of the log odds of all labels."""
    planes = [_fit_plane(*_rows_of(label, inputs, labels), cost) for label in range(_count_planes(labels))]
    if len(planes) < len(labels.names):
        planes.append((-planes[0][0], -planes[0][1]))
    return np.column_stack([plane for plane, _ in planes]), np.array([offset for _, offset in planes])


def choose_cost(rows: sparse.csr_matrix, labels: Labels) -> float:
    """Return how much errors are to cost: what makes documents that were held out likeliest by their terms alone.

    Neither the topics, which learnt from all labels, nor what terms tell of those held out may have a say: both would
    make costs look good under which planes follow labels too closely.

    Parameters
    ----------
    rows : sparse matrix of shape (n_documents, n_terms)
        Tf-idf, before terms count by what they tell.
    labels : Labels
        What is told of the documents.
    """
    # Every so many-th document: a fair sample in whatever order they come.
    some = np.arange(0, rows.shape[0], 1 + rows.shape[0] // _MOST_TO_CHOOSE_BY)
    held = np.random.RandomState(0).random_sample(len(some)) < _HELD_SHARE
    taught, tried = ((rows[part], labels.of(part)) for part in (some[~held], some[held]))
    preferences = prefer_for_any(*taught)
    taught, tried = ((multiply_columns(each, preferences), told) for each, told in (taught, tried))
    counts = labels.indicator.sum(axis=0)
    rarer = np.minimum(counts, labels.known.sum(axis=0) - counts)[: _count_planes(labels)]
    losses = [np.zeros((len(_ERROR_COSTS), 0))]
    for label in np.argsort(-rarer, kind="stable")[:_LABELS_TO_CHOOSE_BY]:
        (inputs, applies), (held_inputs, held_applies) = (_rows_of(label, *part) for part in (taught, tried))
        if len(held_applies) < _FEWEST_HELD or not 0 < applies.sum() < len(applies):
            continue
        planes = [_fit_plane(inputs, applies, cost, tol=_ROUGHLY) for cost in _ERROR_COSTS]
        odds = np.array([held_inputs @ weights + offset for weights, offset in planes])
        losses.append(np.logaddexp(0.0, np.where(held_applies, -odds, odds)))
    return _least_cost(np.hstack(losses))


def _least_cost(losses: np.ndarray) -> float:
    """Return the least cost that loses no more than chance would, on documents held out, against the best one.

    Parameters
    ----------
    losses : array of shape (n_costs, n_documents)
        How unlikely each cost makes each document.
    """
    if not losses.size:
        return _ERROR_COSTS[-1]
    excess = losses - losses[losses.mean(axis=1).argmin()]
    noise = excess.std(axis=1) / np.sqrt(losses.shape[1])
    return _ERROR_COSTS[int(np.flatnonzero(excess.mean(axis=1) <= _CLEARLY * noise)[0])]


def _rows_of(label: int, inputs: sparse.csr_matrix, labels: Labels) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return the rows of documents of which it is known whether a label applies, and whether it does."""
    known, applies = labels.known[:, label], labels.indicator[:, label]
    return (inputs, applies) if known.all() else (inputs[known], applies[known])


def _fit_plane(
    inputs: sparse.csr_matrix, applies: np.ndarray, cost: float, *, tol: float = 1e-4
) -> tuple[np.ndarray, float]:
    """Return weights and offset of the log odds that a label applies."""
    if applies.all() or not applies.any():  # nothing to tell apart
        return np.zeros(inputs.shape[1]), _SURE if applies.any() else -_SURE
    machine = LogisticRegression(C=cost, solver="liblinear", tol=tol)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(inputs, applies)
    return machine.coef_[0], float(machine.intercept_[0])


def join(*parts: Any) -> sparse.csr_matrix:
    """Return matrices side by side, those that are not sparse with every entry stored."""
    return sparse.csr_matrix(sparse.hstack([part if sparse.issparse(part) else _as_full_rows(part) for part in parts]))


def _as_full_rows(values: np.ndarray) -> sparse.csr_matrix:
    """Return a sparse matrix that stores every entry, which takes no look for zeros."""
    n_rows, n_columns = values.shape
    ends = np.arange(0, values.size + 1, max(n_columns, 1))
    return sparse.csr_matrix((values.ravel(), np.tile(np.arange(n_columns), n_rows), ends), shape=values.shape)
