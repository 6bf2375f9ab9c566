"""Themes that compete for unlabelled documents.

Rounds: how likely is each theme for each unlabelled document, by its themes and by linear support vectors together;
fit the themes again, an unlabelled document counting for each by half its chance. What labels are told says how many
documents each theme should have in all; the chances are shifted until they agree.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import softmax

from wayword.models.theme_blocks import Membership

# How much a unit of distance from a plane speaks for a theme beside a unit of likelihood.
DISTANCE_WEIGHT = 4.0
# What an unlabelled document counts, and the least chance that still counts.
UNLABELLED_WEIGHT, LEAST_CHANCE = 0.5, 0.05
_BALANCING_STEPS, _STEP = 30, 0.7
_TINY = 1e-9


def balance(scores: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return scores shifted theme by theme until the mean chance of each is about its prior."""
    shift = np.zeros(scores.shape[1])
    for _ in range(_BALANCING_STEPS):
        shift += _STEP * (np.log(prior) - np.log(softmax(scores + shift, axis=1).mean(axis=0) + _TINY))
    return scores + shift


def smoothed_prior(indicator: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the share of each label among all that are told, each label counted once more."""
    counts = weights @ indicator + 1.0
    return counts / counts.sum()


def share_out(
    membership: Membership, unlabelled: np.ndarray, scores: np.ndarray, prior: np.ndarray, weights: np.ndarray
) -> Membership:
    """Return who belongs where when unlabelled documents count for each theme by their chances.

    Parameters
    ----------
    membership : Membership
        Of labelled documents alone.
    unlabelled : int array
        The unlabelled documents.
    scores : array of shape (n_unlabelled, n_themes)
        How much speaks for each theme.
    prior : array of shape (n_themes,)
        Shares of the themes among all documents.
    weights : array of shape (n_documents,)
        How much each document counts.
    """
    chances = softmax(balance(scores, prior), axis=1)
    half = UNLABELLED_WEIGHT * weights[unlabelled]
    shares = sparse.csr_matrix(np.where(chances >= LEAST_CHANCE, chances, 0.0).T * half)
    spread = sparse.csr_matrix((shares.data, unlabelled[shares.indices], shares.indptr), shape=membership.members.shape)
    all_weights = membership.weights.copy()
    all_weights[unlabelled] = half
    return Membership(sparse.csr_matrix(membership.members + spread), all_weights, membership.told)
