"""Which terms to count: words, or words and pairs of words, by labelled documents that are held out.

With few labels words alone often do better, for hardly any pair comes twice; with many labels, or where a "not" turns
a judgement round, pairs do. Planes of each matrix of counts are fitted to some labelled documents and rank the labels of
the others, which takes moments where fitting themes to each would take minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.evaluation.ranking import log_rank_accuracies
from wayword.evaluation.runs import check_counts
from wayword.models.calibration import hold_out
from wayword.models.labels import Labels, read_labels
from wayword.models.linear import cross_fit

# About how many documents to hold out at once: what words and pairs differ by takes many to see, and planes are quick.
_HELD_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class TermSelection:
    """How choices of terms compare, and which one to take.

    Attributes
    ----------
    names : list of str
        The choices, the preferred one first.
    values : array of shape (n_choices, n_held_out)
        The log rank accuracy of each held-out document by each choice; no columns where too few can be held out.
    best : str
        The choice to take.
    reason : str
        Why, in words.
    """

    names: list[str]
    values: np.ndarray
    best: str
    reason: str


def _check_matrices(matrices: Mapping[str, Any]) -> dict[str, sparse.csr_matrix]:
    if not isinstance(matrices, Mapping) or not matrices:
        raise InputError("matrices must be a dict of names and matrices, such as {'pairs': X2, 'words': X1}")
    found = {name: check_counts(X) for name, X in matrices.items()}
    rows = {name: X.shape[0] for name, X in found.items()}
    if len(set(rows.values())) > 1:
        sizes = ", ".join(f"{name} {n}" for name, n in rows.items())
        raise InputError(f"the matrices must have a row for each of the same documents, got {sizes}")
    return found


def _rank_held_out(X: sparse.csr_matrix, labels: Labels, folds: list[np.ndarray]) -> np.ndarray:
    """Return the log rank accuracy of each held-out document, by planes that have not seen it."""
    if not folds:
        return np.zeros(0)
    scores = cross_fit(X, labels.indicator, np.ones(X.shape[0]), folds)
    return log_rank_accuracies(labels.indicator[np.concatenate(folds)].astype(int), scores)


def _choose(names: list[str], values: np.ndarray) -> tuple[str, str]:
    """Return the first choice unless another is better by more than a standard error, and why."""
    first, n_held = names[0], values.shape[1]
    if not n_held:
        return first, f"'{first}': there are too few labelled documents to hold any out."
    gains = values - values[0]
    means, errors = gains.mean(axis=1), gains.std(axis=1) / np.sqrt(n_held)
    best = int(np.where(means > errors, means, 0.0).argmax())
    if best:
        by = f"{100 * means[best]:.1f} ± {100 * errors[best]:.1f} points"
        return names[best], f"'{names[best]}' ranks the labels of {n_held} held-out documents better by {by}."
    return first, f"'{first}': no other ranks the labels of {n_held} held-out documents better beyond doubt."


def select_terms(matrices: Mapping[str, Any], y: Any, *, random_state: Any = 0) -> TermSelection:
    """Compare ways to count the same documents by how well they rank labels.

    Parameters
    ----------
    matrices : dict of str to matrix of shape (n_documents, n_terms)
        Counts of the same documents, such as words, and words and pairs; the first is taken unless another is better by
        more than a standard error.
    y : names, lists of names, or matrix of shape (n_documents, n_labels)
        What is known; unlabelled documents do not count.
    random_state : int, RandomState or None
        Draws the documents that are held out.

    Returns
    -------
    TermSelection

    Examples
    --------
    >>> from wayword import select_terms
    >>> counts = {"useful": [[1, 0], [0, 1]] * 10, "useless": [[1, 1], [1, 1]] * 10}
    >>> select_terms(counts, ["fruit", "ships"] * 10).best
    'useful'
    """
    counts = _check_matrices(matrices)
    labels = read_labels(y, next(iter(counts.values())).shape[0])
    told = np.flatnonzero(labels.indicator.any(axis=1))
    if not len(told):
        raise InputError("no document of y has a label, so there is nothing to rank; label some documents")
    labels = labels.of(told)
    folds = hold_out(labels, int(check_random_state(random_state).randint(2**31 - 1)), _HELD_AT_ONCE)
    values = np.stack([_rank_held_out(X[told], labels, folds) for X in counts.values()])
    return TermSelection(list(counts), values, *_choose(list(counts), values))
