"""How much it would help to know the labels of a document: scores, the highest to be asked first.

Three kinds of numbers, each a function of arrays, and products of them (chapter 5 of Nguyen, 2019):

1. how uncertain the learner is: `entropy`, `margin`, `least_confidence`, and the committee's `vote_entropy` and
   `jensen_shannon`;
2. what topics the document has: `largest_share` of one topic, or `topic_entropy`;
3. how much it is like all others: `mean_similarity`.

`density` is 1 x 3 (equation 5.1), `alto` and `alto_ent` are 1 x 2 (5.2, 5.3), `alto_rep` and `alto_ent_rep` are
1 x 2 x 3 (5.4, 5.5). With topics that are found again after every label, the last four are called ALSUP.

Where labels exclude each other, the answers are the labels, and chances sum to one. Where a document may have several
(``multilabel``), the answers are all sets of labels, labels being independent, and every score is what it would be
over these. A document of which nothing is known, a row of zeros, scores 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import entr

from wayword.errors import InputError
from wayword.models.inputs import check_number, check_whole
from wayword.models.theme_scores import check_weights, normalise_rows

# Chances in single precision do not sum to one exactly.
_ROUNDING = 1e-3


def check_mask(name: str, values: Any, n_documents: int | None = None) -> np.ndarray:
    """Return true or false for each document, or raise."""
    mask = np.asarray(values)
    if mask.dtype != np.bool_ or mask.ndim != 1 or n_documents not in (None, len(mask)):
        many = "each document" if n_documents is None else f"each of {n_documents} documents"
        raise InputError(f"{name} must say true or false of {many}, got {mask.dtype} of shape {mask.shape}")
    return mask


def _check_chances(name: str, values: Any, multilabel: bool, **axes: int | None) -> np.ndarray:
    """Return chances of labels, the last axis; where labels exclude each other, they sum to one or are all zero."""
    chances = check_weights(name, values, **axes, n_labels=None)
    if chances.shape[-1] == 0:
        raise InputError(f"{name} must have a column for each label, got none; without labels, use cold_start")
    if multilabel:
        if chances.size and chances.max() > 1.0 + _ROUNDING:
            raise InputError(f"{name} must be chances from 0 to 1, got {chances.max():g}")
        return np.minimum(chances, 1.0)
    totals = chances.sum(axis=-1)
    odd = totals[(np.abs(totals - 1.0) > _ROUNDING) & (totals > 0)]
    if odd.size:
        raise InputError(
            f"{name} of a document must sum to 1, got {odd[0]:g}; set multilabel=True if it may have several labels"
        )
    return normalise_rows(chances)


def _check_theta(theta: Any, n_documents: int | None = None) -> np.ndarray:
    """Return the shares of topics in each document."""
    return normalise_rows(check_weights("theta", theta, n_documents=n_documents, n_topics=None))


def _entropies(chances: np.ndarray, multilabel: bool) -> np.ndarray:
    """Return the entropy over labels, or over sets of independent labels: the sum over labels of had or not had."""
    found = entr(chances).sum(axis=-1)
    return found + entr(1.0 - chances).sum(axis=-1) if multilabel else found


def _two_likeliest(chances: np.ndarray, multilabel: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the chances of the two likeliest answers for each document."""
    if multilabel:
        likelier = np.maximum(chances, 1.0 - chances)
        first = likelier.prod(axis=1)
        # The second likeliest set differs by the label that is nearest to even chances.
        return first, first * ((1.0 - likelier) / likelier).max(axis=1)
    if chances.shape[1] == 1:
        return chances[:, 0], np.zeros(len(chances))
    rows, best = np.arange(len(chances)), chances.argmax(axis=1)
    others = chances.copy()
    others[rows, best] = -1.0
    return chances[rows, best], others.max(axis=1)


def random_scores(n_documents: int, seed: int = 0) -> np.ndarray:
    """Return scores drawn evenly from 0 to 1: a random order, the same for the same seed.

    Parameters
    ----------
    n_documents : int
        How many.
    seed : int
        Another seed, another order.

    Returns
    -------
    array of shape (n_documents,)
    """
    check_whole("n_documents", n_documents, least=0)
    check_whole("seed", seed, least=0)
    return np.random.default_rng(seed).random(n_documents)


def entropy(probabilities: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return the entropy of each document's labels: how many answers are open, in natural logarithms.

    Parameters
    ----------
    probabilities : array of shape (n_documents, n_labels)
        How likely each label is. They sum to one, or with `multilabel` each is a chance of its own.
    multilabel : bool
        Whether a document may have several labels. The entropy is then the sum of those of having each or not.

    Returns
    -------
    array of shape (n_documents,)
        From 0 to the logarithm of the number of answers.

    Examples
    --------
    >>> from wayword.active import entropy
    >>> entropy([[0.5, 0.5], [1.0, 0.0]]).round(2)
    array([0.69, 0.  ])
    """
    return _entropies(_check_chances("probabilities", probabilities, multilabel, n_documents=None), multilabel)


def margin(probabilities: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return one less the chance by which the likeliest answer leads the second likeliest.

    Parameters
    ----------
    probabilities, multilabel
        As for `entropy`. With `multilabel`, answers are sets of labels; the two likeliest differ by the one label
        that is nearest to even chances.

    Returns
    -------
    array of shape (n_documents,)
        From 0, certain, to 1, a tie. All 0 if there is one label only.

    Examples
    --------
    >>> from wayword.active import margin
    >>> margin([[0.5, 0.4, 0.1], [0.8, 0.1, 0.1]]).round(2)
    array([0.9, 0.3])
    """
    chances = _check_chances("probabilities", probabilities, multilabel, n_documents=None)
    first, second = _two_likeliest(chances, multilabel)
    return np.where(chances.any(axis=1), 1.0 - (first - second), 0.0)


def least_confidence(probabilities: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return one less the chance of the likeliest answer.

    Parameters
    ----------
    probabilities, multilabel
        As for `entropy`. With `multilabel`, the likeliest answer is the set of all labels that are more likely than
        not.

    Returns
    -------
    array of shape (n_documents,)
        From 0, certain, to below 1.

    Examples
    --------
    >>> from wayword.active import least_confidence
    >>> least_confidence([[0.5, 0.4, 0.1], [0.8, 0.1, 0.1]]).round(2)
    array([0.5, 0.2])
    >>> least_confidence([[0.9, 0.2]], multilabel=True).round(2)
    array([0.28])
    """
    chances = _check_chances("probabilities", probabilities, multilabel, n_documents=None)
    first, _ = _two_likeliest(chances, multilabel)
    return np.where(chances.any(axis=1), 1.0 - first, 0.0)


def _check_committee(committee: Any, multilabel: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return what each model says, and how many have an opinion on each document (one where none has)."""
    chances = _check_chances("committee", committee, multilabel, n_models=None, n_documents=None)
    if len(chances) == 0:
        raise InputError("committee must hold the chances of one model or more, got none")
    has_opinion = chances.any(axis=2) | multilabel
    return chances, np.maximum(has_opinion.sum(axis=0), 1)[:, None]


def _count_votes(chances: np.ndarray, multilabel: bool) -> np.ndarray:
    if multilabel:
        return (chances >= 0.5).sum(axis=0)
    likeliest = np.arange(chances.shape[2]) == chances.argmax(axis=2)[..., None]
    return (likeliest & chances.any(axis=2, keepdims=True)).sum(axis=0)


def count_votes(committee: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return how many models of a committee are for each label of each document.

    Parameters
    ----------
    committee : array of shape (n_models, n_documents, n_labels)
        What each model makes of each document, as for `entropy`. A model with a row of zeros does not vote, unless
        `multilabel`.
    multilabel : bool
        Whether a document may have several labels. A model is then for each that is at least as likely as not, and
        otherwise for the likeliest, of equal ones the first.

    Returns
    -------
    int array of shape (n_documents, n_labels)
    """
    chances, _ = _check_committee(committee, multilabel)
    return _count_votes(chances, multilabel)


def vote_entropy(committee: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return the entropy of the votes of a committee.

    Parameters
    ----------
    committee, multilabel
        As for `count_votes`. With `multilabel`, the sum of the entropies of the votes on each label.

    Returns
    -------
    array of shape (n_documents,)
        0 where all agree.

    Examples
    --------
    Two models, two documents, two labels.

    >>> from wayword.active import vote_entropy
    >>> vote_entropy([[[0.9, 0.1], [0.9, 0.1]], [[0.8, 0.2], [0.4, 0.6]]]).round(2)
    array([0.  , 0.69])
    """
    chances, n_votes = _check_committee(committee, multilabel)
    return _entropies(_count_votes(chances, multilabel) / n_votes, multilabel)


def jensen_shannon(committee: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return how far the chances that models give are apart: the Jensen-Shannon divergence.

    The entropy of their mean less the mean of their entropies, which also sees models that vote alike but are not
    equally sure.

    Parameters
    ----------
    committee, multilabel
        As for `count_votes`. With `multilabel`, the sum of the divergences over labels.

    Returns
    -------
    array of shape (n_documents,)
        0 where all say the same.

    Examples
    --------
    >>> from wayword.active import jensen_shannon
    >>> jensen_shannon([[[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]]]).round(2)
    array([0.  , 0.69])
    """
    chances, n_opinions = _check_committee(committee, multilabel)
    mean = chances.sum(axis=0) / n_opinions
    apart = _entropies(mean, multilabel) - _entropies(chances, multilabel).sum(axis=0) / n_opinions[:, 0]
    return np.maximum(apart, 0.0)  # rounding


def largest_share(theta: Any) -> np.ndarray:
    """Return the share of each document's main topic, an array of shape (n_documents,); see `mean_similarity`."""
    return _check_theta(theta).max(axis=1, initial=0.0)


def topic_entropy(theta: Any) -> np.ndarray:
    """Return the entropy of each document's topics, an array of shape (n_documents,); see `mean_similarity`."""
    return _entropies(_check_theta(theta), multilabel=False)


def unit_rows(values: np.ndarray) -> np.ndarray:
    """Return rows of length one; rows of zeros stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
    return values / np.where(lengths > 0, lengths, 1.0)


def mean_similarity(theta: Any) -> np.ndarray:
    """Return the mean cosine similarity of each document to all documents, itself among them.

    The mean of products with all documents is the product with their mean, so no matrix of documents by documents is
    needed.

    Parameters
    ----------
    theta : array of shape (n_documents, n_topics)
        Weights of topics in documents; only their shares in a document matter.

    Returns
    -------
    array of shape (n_documents,)
        From 0 to 1. A document without topics is like none, not even itself.

    Examples
    --------
    >>> from wayword.active import mean_similarity
    >>> mean_similarity([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]).round(2)
    array([0.67, 0.67, 0.33])
    """
    units = unit_rows(_check_theta(theta))
    if not len(units):
        return np.zeros(0)
    # Not by a matrix product, whose last bits depend on the number of threads.
    return np.einsum("dk,k->d", units, units.mean(axis=0))


def density_weighted(scores: Any, theta: Any, *, p: float = 1.0) -> np.ndarray:
    """Return any scores times the p-th power of the mean similarity to all documents, so that outliers come last.

    Parameters
    ----------
    scores : array of shape (n_documents,)
        Numbers of 0 or more.
    theta : array of shape (n_documents, n_topics)
        Weights of topics in documents, see `mean_similarity`.
    p : float
        How much similarity counts, 0 or more; 0 leaves the scores as they are.

    Returns
    -------
    array of shape (n_documents,)

    Examples
    --------
    >>> from wayword.active import density_weighted
    >>> density_weighted([1.0, 1.0, 1.0], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], p=2).round(2)
    array([0.44, 0.44, 0.11])
    """
    check_number("p", p)
    similarity = mean_similarity(theta)
    return check_weights("scores", scores, n_documents=len(similarity)) * similarity ** float(p)


def density(probabilities: Any, theta: Any, *, p: float = 1.0, multilabel: bool = False) -> np.ndarray:
    """Return entropy of labels times mean similarity to the power of p, equation 5.1; parameters as for `alto_rep`."""
    return density_weighted(entropy(probabilities, multilabel=multilabel), theta, p=p)


def alto(probabilities: Any, theta: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return entropy of labels times the share of the main topic, equation 5.2; parameters as for `alto_rep`."""
    uncertainty = entropy(probabilities, multilabel=multilabel)
    return uncertainty * _check_theta(theta, len(uncertainty)).max(axis=1, initial=0.0)


def alto_ent(probabilities: Any, theta: Any, *, multilabel: bool = False) -> np.ndarray:
    """Return entropy of labels times entropy of topics, equation 5.3; parameters as for `alto_rep`."""
    uncertainty = entropy(probabilities, multilabel=multilabel)
    return uncertainty * _entropies(_check_theta(theta, len(uncertainty)), multilabel=False)


def alto_rep(probabilities: Any, theta: Any, *, p: float = 1.0, multilabel: bool = False) -> np.ndarray:
    """Return entropy of labels times share of the main topic times mean similarity to the power of p, equation 5.4.

    Parameters
    ----------
    probabilities : array of shape (n_documents, n_labels)
        How likely each label is, see `entropy`.
    theta : array of shape (n_documents, n_topics)
        Weights of topics in documents; only their shares in a document matter.
    p : float
        How much being like other documents counts, 0 or more.
    multilabel : bool
        Whether a document may have several labels.

    Returns
    -------
    array of shape (n_documents,)

    Examples
    --------
    >>> from wayword.active import alto_rep
    >>> alto_rep([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]], [[4, 0], [2, 2], [4, 0]]).round(2)
    array([0.63, 0.28, 0.  ])
    """
    return density_weighted(alto(probabilities, theta, multilabel=multilabel), theta, p=p)


def alto_ent_rep(probabilities: Any, theta: Any, *, p: float = 1.0, multilabel: bool = False) -> np.ndarray:
    """Return entropies of labels and of topics times mean similarity to the power of p, 5.5; see `alto_rep`."""
    return density_weighted(alto_ent(probabilities, theta, multilabel=multilabel), theta, p=p)
