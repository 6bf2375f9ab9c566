"""Whether chances mean what they say: of what is given a chance of 70 %, seven in ten should be so."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayword.errors import InputError
from wayword.models.inputs import check_whole
from wayword.models.labels import read_labels


def _mean_gap(said: np.ndarray, right: np.ndarray, n_bins: int) -> float:
    """Return how far chances are from the shares that were right, in bins of equal size."""
    _, same = np.unique(said, return_inverse=True)
    shares = (np.bincount(same, weights=right) / np.bincount(same))[same]
    order = np.argsort(said, kind="stable")
    bins = np.array_split(order, min(n_bins, len(order)))
    return float(sum(abs(said[part].mean() - shares[part].mean()) * len(part) for part in bins) / len(order))


def expected_calibration_error(y: Any, chances: Any, *, n_bins: int = 10) -> float:
    """Return how far chances are from what happens, on average.

    The predictions are sorted by their chances and cut into bins of equal size; the error is the mean over bins of
    the distance between the mean chance and the share that was right. Where every document has one label, the
    predictions are the likeliest label of each document; otherwise all labels of all documents. Equal chances count as
    on average over all their orders.

    Parameters
    ----------
    y : names, lists of names, or matrix of shape (n_documents, n_labels)
        The labels of documents; what is not known is left out.
    chances : array of shape (n_documents, n_labels)
        How likely each label is, in the order of the sorted names or of the columns of `y`.
    n_bins : int
        How many bins. With few predictions use few: an error of about the root of bins over predictions is noise.

    Returns
    -------
    float
        From 0, where chances mean what they say, to 1.
    """
    check_whole("n_bins", n_bins)
    chances = np.asarray(chances, dtype=np.float64)
    labels = read_labels(y, len(chances))
    if chances.shape != labels.indicator.shape:
        raise InputError(f"chances must have the shape {labels.indicator.shape} of the labels, got {chances.shape}")
    if not ((chances >= 0) & (chances <= 1)).all():
        raise InputError("chances must be numbers from 0 to 1")
    said, right = chances[labels.known], labels.indicator[labels.known]
    if not said.size:
        raise InputError("no document of y has a label, so there is nothing to compare chances with")
    told = labels.labelled
    if (labels.indicator[told].sum(axis=1) == 1).all():
        likeliest = chances[told].argmax(axis=1)
        said, right = chances[told].max(axis=1), labels.indicator[told][np.arange(len(likeliest)), likeliest]
    return _mean_gap(said, right, n_bins)
