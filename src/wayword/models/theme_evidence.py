"""What the words of one document say about each theme."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wayword.kernels.factor import TINY
from wayword.models.theme_inference import mix_themes


@dataclass(frozen=True, slots=True)
class TermEvidence:
    """How much each term of a document speaks for each theme: rather than for the others, or as it is.

    Where every document has one label, themes are told from each other, and what is said is less what is said for all
    themes on average. Where chances of several labels stand alone, nothing is taken off.

    Attributes
    ----------
    columns : int array of shape (n_terms_of_document,)
        The columns of its terms.
    counts : array of shape (n_terms_of_document,)
        How often each occurs.
    weights : array of shape (n_themes, n_terms_of_document)
        What each term adds to the score of each theme.
    offsets : array of shape (n_themes,)
        What is added whatever the terms.
    corrections : array of shape (n_themes,)
        What the themes of the document say for each other, as two stars do for one and for three; or what all of them
        together take from each, where several may apply. A theme's weights, its offset and its correction sum to its
        log odds, less those of all themes on average where every document has one label (with ``score="likelihood"``
        only there). With one label for each document, a single theme has no others: all are zero.
    responsibilities : array of shape (n_themes, n_subtopics, n_terms_of_document)
        How much of each term each subtopic of the theme explains; they sum to one.
    chances, scores : arrays of shape (n_themes,)
        As `predict_proba` and `theme_scores` say.
    """

    columns: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    corrections: np.ndarray
    responsibilities: np.ndarray
    chances: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True, slots=True)
class LikelihoodParts:
    """What each term of a document adds to the likelihood of each theme, and which subtopics explain it.

    Attributes
    ----------
    weights : array of shape (n_themes, n_terms_of_document)
    responsibilities : array of shape (n_themes, n_subtopics, n_terms_of_document)
    """

    weights: np.ndarray
    responsibilities: np.ndarray


def explain_likelihoods(counts: sparse.csr_matrix, topics: np.ndarray, backgrounds: np.ndarray) -> LikelihoodParts:
    """Split the scores of `mix_themes` for one document into parts of its terms; they sum to the scores.

    Parameters
    ----------
    counts : sparse matrix of shape (1, n_terms)
        The document.
    topics : array of shape (n_themes, n_subtopics, n_terms)
        Subtopics that are zero for no term which a document held from which they learnt.
    backgrounds : array of shape (n_themes, n_terms)
        What each theme is compared with.
    """
    mixtures = mix_themes(counts, topics, backgrounds).weights[:, 0]
    topics, backgrounds = topics[:, :, counts.indices], backgrounds[:, counts.indices]
    # As the kernel has it: mixtures and backgrounds are as small as each other where no document held the term.
    mixed = (mixtures[:, :, None] * topics).sum(axis=1) + TINY
    ratios = np.log(mixed / np.maximum(backgrounds, TINY))
    explained = mixtures[:, :, None] * np.maximum(topics, TINY)
    length = np.sqrt(max(counts.data.sum(), np.finfo(np.float64).tiny))
    return LikelihoodParts(counts.data * ratios / length, explained / explained.sum(axis=1, keepdims=True))
