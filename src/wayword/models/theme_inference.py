"""Documents folded into the topics of many themes, each theme by itself, in one pass over the documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wayword.kernels.factor import TINY, Limits, mix_rows_by_theme, solve_kl_rows
from wayword.models.alternate import Side
from wayword.models.folding import SETTLED, SWEEPS
from wayword.models.theme_scores import normalise_rows

# How much of every topic is the shares of terms in all documents, at least: no document is ruled out by one term.
LEAST_SMOOTHING = 0.3
# A mixture has settled when a step moves none of its weights by this much; a score feels less than that.
_MIXED, _MIXING_SWEEPS = 1e-2, 12
_TINY = np.finfo(np.float64).tiny


def by_terms(topics: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return topics of shape (n_themes, n_topics, n_terms) with the terms before the topics, as kernels take them."""
    return np.ascontiguousarray(topics.transpose(0, 2, 1), dtype=dtype)


def fold_into_themes(X: sparse.csr_matrix, topics: np.ndarray) -> np.ndarray:
    """Return the best weights of documents for the topics of each theme.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    topics : array of shape (n_themes, n_terms, n_topics)
        The topics of each theme.

    Returns
    -------
    array of shape (n_themes, n_documents, n_topics)
    """
    side = Side.of(X)
    W = np.empty((len(topics), X.shape[0], topics.shape[2]), dtype=X.dtype)
    sums = topics.sum(axis=1, dtype=np.float64)
    term_sums = topics.sum(axis=2, dtype=np.float64)

    def fold(piece: tuple[int, int]) -> None:
        for theme, weights in enumerate(W):
            rest = (topics[theme], term_sums[theme], sums[theme], Limits(), SWEEPS, SETTLED, weights)
            solve_kl_rows(*piece, *side.arrays(), *rest)

    side.each_piece(fold)
    return W


def smooth_topics(topics: np.ndarray, shares: np.ndarray, smoothing: np.ndarray) -> np.ndarray:
    """Return topics that sum to one, mixed with the shares that terms have of everything, or these for an empty topic.

    Parameters
    ----------
    topics : array of shape (n_themes, n_topics, n_terms)
        The topics of each theme.
    shares : array of shape (n_terms,)
        What each term has of all documents; they sum to one.
    smoothing : array of shape (n_themes,)
        How much of each topic is these shares.
    """
    mixed = np.where(topics.any(axis=2, keepdims=True), smoothing[:, None, None], 1.0)
    return (1.0 - mixed) * normalise_rows(topics) + mixed * shares


def unseen_shares(counts: sparse.csr_matrix) -> np.ndarray:
    """Return for each theme how likely its next term is a new one, after Witten and Bell: terms / (terms + counts)."""
    terms, totals = np.diff(counts.indptr), np.asarray(counts.sum(axis=1)).ravel()
    return np.maximum(LEAST_SMOOTHING, np.where(terms > 0, terms / np.maximum(terms + totals, 1.0), 1.0))


@dataclass(frozen=True, slots=True)
class Mixtures:
    """Documents as mixtures of the subtopics of each theme.

    Attributes
    ----------
    weights : array of shape (n_themes, n_documents, n_topics)
        The best mixture of each document; they sum to one.
    scores : array of shape (n_documents, n_themes)
        How much better it explains the document than a background does.
    """

    weights: np.ndarray
    scores: np.ndarray


def mix_themes(X: sparse.csr_matrix, topics: np.ndarray, backgrounds: np.ndarray) -> Mixtures:
    """Find the best mixture of each theme's topics for each document.

    Its score is the sum of x log(mixture / background) over the terms of a document, over the root of the sum of x.
    Topics and backgrounds sum to one, and are zero for no term but those that no document they learnt from held, which
    say nothing: there the mixture is as small as the background.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    topics : array of shape (n_themes, n_topics, n_terms)
        The subtopics of each theme.
    backgrounds : array of shape (n_themes, n_terms)
        What each theme is compared with.
    """
    side = Side.of(X)
    n_themes, n_topics, n_terms = topics.shape
    other = np.ascontiguousarray(topics.reshape(n_themes * n_topics, n_terms).T, dtype=X.dtype)
    weights, likelihoods = np.empty((n_themes, X.shape[0], n_topics)), np.empty((n_themes, X.shape[0]))

    def mix(piece: tuple[int, int]) -> None:
        rest = (other, _MIXING_SWEEPS, _MIXED, weights, likelihoods)
        mix_rows_by_theme(*piece, *side.arrays(), *rest)

    side.each_piece(mix)
    base = X @ np.ascontiguousarray(np.log(np.maximum(backgrounds, TINY)).T)
    lengths = np.asarray(X.sum(axis=1)).reshape(-1, 1)
    return Mixtures(weights, (likelihoods.T - base) / np.sqrt(np.maximum(lengths, _TINY)))
