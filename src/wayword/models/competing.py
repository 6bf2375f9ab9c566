"""Themes that compete for unlabelled documents.

Rounds: how likely is each theme for each unlabelled document, by its themes and by linear support vectors together;
fit the themes again, an unlabelled document counting for each by half its chance. What labels are told says how many
documents each theme should have in all; the chances are shifted until they agree.

What an unlabelled document itself brings of a word to a theme says nothing about the document, but would make it ever
surer of the themes it was first taken for. So topics keep of each word what would be left without one such document.
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


def discount_own_words(
    topics: np.ndarray, membership: Membership, counts: sparse.csr_matrix, labelled: np.ndarray
) -> np.ndarray:
    """Return topics with what is left of each term in each theme if one unlabelled document is taken away.

    Of n documents of the theme that hold the term, labelled ones counted twice, for they count twice as much, that is
    (n - 1) / n; all of it, if no unlabelled document holds it.

    Parameters
    ----------
    topics : array of shape (n_themes, n_topics, n_terms)
        The topics of each theme.
    membership : Membership
        The documents of each theme.
    counts : sparse matrix of shape (n_documents, n_terms)
        What the topics were found from.
    labelled : bool array of shape (n_documents,)
        Which documents are labelled.
    """
    held = sparse.csr_matrix((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
    members = membership.members

    def count(told: float, untold: float) -> sparse.csr_matrix:
        data = np.where(labelled[members.indices], told, untold)
        return sparse.csr_matrix(sparse.csr_matrix((data, members.indices, members.indptr), shape=members.shape) @ held)

    counted, own = count(1.0 / UNLABELLED_WEIGHT, 1.0), count(0.0, 1.0)
    left, total = topics.copy(), np.zeros(counts.shape[1])
    for theme in range(len(topics)):
        all_terms, own_terms = (slice(*each.indptr[theme : theme + 2]) for each in (counted, own))
        total[counted.indices[all_terms]] = counted.data[all_terms]
        terms = own.indices[own_terms][own.data[own_terms] > 0.0]
        left[theme][:, terms] *= (total[terms] - 1.0) / total[terms]
    return left
