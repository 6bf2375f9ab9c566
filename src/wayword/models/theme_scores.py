"""How much of a theme is in a document, from the weights of its subtopics and its background.

Weights of different themes come from different factorisations and cannot be compared. Against the weight of the
theme's own background they can: a subtopic's score is its share of the two, and a theme's score is that of its best
subtopic (equation 5.1 of Suyunu, 2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayword.errors import InputError
from wayword.models.inputs import LARGEST

# What is beyond a background by less than this share is rounding, which differs by processor.
_ROUNDING = 1e-9


def as_weights(name: str, values: Any) -> np.ndarray:
    """Return numbers of 0 or more, all of them finite, in double precision."""
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a dense array of numbers, got {type(values).__name__}") from None
    odd = weights[~(np.isfinite(weights) & (weights >= 0))]
    if odd.size:
        raise InputError(f"{name} must hold finite numbers of 0 or more, got {odd[0]:g}")
    if (weights > LARGEST).any():
        raise InputError(
            f"{name} must hold numbers up to {LARGEST:g}, got {weights.max():g}; divide all by the largest"
        )
    return weights


def check_weights(name: str, values: Any, **axes: int | None) -> np.ndarray:
    """Return numbers of 0 or more that have these axes, in this order; None is any length."""
    weights = as_weights(name, values)
    fits = weights.ndim == len(axes) and all(
        size in (None, found) for size, found in zip(axes.values(), weights.shape, strict=True)
    )
    if not fits:
        shape = ", ".join(axis if size is None else f"{axis}={size}" for axis, size in axes.items())
        raise InputError(f"{name} must have the shape ({shape}), got {weights.shape}")
    return weights


def normalise_rows(weights: np.ndarray) -> np.ndarray:
    """Return rows that sum to one along the last axis; those without weight stay zero."""
    total = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def share_against(weights: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Return weights / (weights + background), and zero where both are zero."""
    total = weights + background
    return np.divide(weights, total, out=np.zeros_like(total), where=total > 0)


def beyond_background(weights: np.ndarray, pure: np.ndarray) -> np.ndarray:
    """Return what weights have beyond a background: (2 purity - 1) times each, or zero where that is less.

    Parameters
    ----------
    weights, pure : arrays of the same shape
        Weights, and each times its purity, which is its share against that of the background.
    """
    beyond = 2.0 * pure - weights
    return np.where(beyond > _ROUNDING * weights, beyond, 0.0)


def share_of_topics(W: Any) -> np.ndarray:
    """Return the share of each topic in each document.

    Parameters
    ----------
    W : array of shape (n_documents, n_topics)
        Weights of the topics in the documents.

    Returns
    -------
    array of shape (n_documents, n_topics)
        Rows that sum to one; a document without weights has no shares.
    """
    return normalise_rows(check_weights("W", W, n_documents=None, n_topics=None))


def subtopic_scores(W: Any, background: Any) -> np.ndarray:
    """Return how much stronger each subtopic of a theme is than the theme's background.

    Parameters
    ----------
    W : array of shape (n_documents, n_subtopics)
        Weights of the subtopics in the documents.
    background : array of shape (n_documents,)
        Weights of the background topic.

    Returns
    -------
    array of shape (n_documents, n_subtopics)
        The weight over itself plus that of the background: from 0 to 1, and 0 where both are 0.
    """
    weights = check_weights("W", W, n_documents=None, n_subtopics=None)
    against = check_weights("background", background, n_documents=len(weights))
    return share_against(weights, against[:, None])


def theme_scores(W: Any, background: Any) -> np.ndarray:
    """Return the score of a theme in each document, which is that of its best subtopic.

    Parameters
    ----------
    W : array of shape (n_documents, n_subtopics)
        Weights of the subtopics in the documents; at least one subtopic.
    background : array of shape (n_documents,)
        Weights of the background topic.

    Returns
    -------
    array of shape (n_documents,)
        From 0 to 1, to be compared between themes.
    """
    scores = subtopic_scores(W, background)
    if not scores.shape[1]:
        raise InputError("W must have one column or more, got a theme without subtopics")
    return scores.max(axis=1)
