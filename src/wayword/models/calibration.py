"""Scores as chances, learnt from documents that were held out.

Evidence of several kinds speaks for each theme of a document, and the score of a theme is a weighted sum. Likelihoods
are means over a document's words for it, so that long documents are no surer than short ones. Scores become chances by
a scale under which the likeliest labels of held-out documents apply as often as is said, drawn toward the usual one:
with few held-out documents it stays near that. The less a document says, the more it counts how often each label is
given at all. Where every document has one label, wide gaps between scores may count for less than the scale says, or for
more. Then one theme may speak for another. Where a document may have several labels, a theme's share of the document and
its distance from the theme's plane, which says whether the theme applies whatever the others do, become a chance by a
logistic curve with an offset for each theme.

Themes that learnt from the words of a document, though not from its labels, explain it better than any new one. All of
this is learnt from documents of the first kind, which are what there is to be classified; likelihoods of new ones are
stretched until the model is as sure of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit, log_softmax, logsumexp, softmax

from wayword.models.labels import Labels

_Choice = TypeVar("_Choice", bound=Hashable)
# How much a unit of distance from a plane speaks for a theme beside a unit of likelihood where nothing can be tried, what
# else it may be, and how far its logarithm may be expected from the usual one.
USUAL_WEIGHT, _WEIGHT_SPREAD = 0.5, 1.0
_WEIGHTS = np.array([0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0])
# What scores are multiplied by where nothing can be learnt.
USUAL_SCALE = 4.0
# How much every document is taken to hold that says nothing: one word is not all there is to know.
_SILENT = 8.0
# As how many labelled ones documents without any word are taken to be like all others.
_LIKE_OTHERS = 5.0
# The same for the logistic curves of documents with several labels, about half way between what planted themes and
# stories of Reuters lead to.
USUAL_SLOPE, USUAL_PULL, USUAL_OFFSET = 1.0, 2.5, 1.5
# About how many documents to hold out at once, in how many parts where there are fewer, and the fewest to learn from.
_HELD_AT_ONCE, _FOLDS, _FEWEST_HELD = 500, 3, 10
# The smaller the parts, the nearer trials come to a model that knows all labels. How many parts small corpora are held
# out in at the most: as many as let all trials together see no more documents than these.
_MOST_FOLDS, _TRIED_DOCUMENTS = 5, 10_000
# What planes are tried on is at most this share of all labelled documents: distances grow with how many teach them.
_SMALL_SHARE = 0.1
# How far the logarithm of the scale may be expected from the usual one.
_SPREAD = 0.6
# How gaps between scores are bent where nothing can be learnt, how far that may be expected from it, and how far it may be.
USUAL_BEND, _BEND_SPREAD, _BENDS = 0.6, 0.3, (0.2, 1.8)
# The same for the logarithm of the slope of all curves, for the pull of distances, and for their offset.
_CURVE_SPREAD = np.array([0.5, 1.0, 1.0])
# The same for the offset of a theme's curve from that of all themes.
_OFFSET_SPREAD = 0.3
# How many documents without any word, as a share of the held-out ones and at most, the curves are told to give the rate
# of each theme: without them nothing says what a document is like about which little is known, and curves learnt from
# clear ones would give it most themes.
_SILENT_SHARE, _SILENT_DOCUMENTS = 0.1, 10.0
# And for what the share of one theme says about another, learnt from no fewer held-out documents a theme than these.
_CONFUSION_SPREAD, _HELD_A_THEME = 0.5, 10
_NEWTON_STEPS = 20
# How many unlabelled documents a trial never sees, as a share of them and at most; the fewest to learn from; and how far
# likelihoods of new documents may be stretched.
_UNSEEN_SHARE, _UNSEEN_AT_ONCE, _FEWEST_UNSEEN, _LONGEST_STRETCH = 0.1, 500, 10, 16.0


def count_folds(n_documents: int) -> int:
    """Return in how many parts to hold labelled documents out where trials learn from so many documents."""
    return int(np.clip(_TRIED_DOCUMENTS // max(n_documents, 1), _FOLDS, _MOST_FOLDS))


def hold_out(labels: Labels, seed: int, at_once: int = _HELD_AT_ONCE, *, most_folds: int = _FOLDS) -> list[np.ndarray]:
    """Return labelled documents to hold out, part by part; every label keeps a document that is not held out.

    Of many documents about `at_once` are held out once, fewer in `most_folds` turns; too few to learn anything from not
    at all.
    """
    rng = np.random.RandomState(seed)
    order = rng.permutation(np.flatnonzero(labels.labelled))
    counts = labels.indicator.sum(axis=0)
    n_folds = most_folds if len(order) < _FOLDS * at_once else 1
    folds: list[np.ndarray] = []
    for first in range(n_folds):
        left, held = counts.copy(), []
        for document in order[first :: max(n_folds, len(order) // at_once)]:
            row = labels.indicator[document]
            if (left[row] > 1).all():
                left -= row
                held.append(document)
        folds.append(np.array(held, dtype=np.int64))
    folds = [fold for fold in folds if len(fold)]
    return folds if sum(map(len, folds)) >= _FEWEST_HELD else []


def split_finely(folds: list[np.ndarray], n_labelled: int) -> list[np.ndarray]:
    """Return the same documents in the same order, but few at once, for what can be fitted many times."""
    parts = [np.array_split(fold, int(np.ceil(len(fold) / (_SMALL_SHARE * n_labelled)))) for fold in folds]
    return [part for fold in parts for part in fold]


@dataclass(frozen=True, slots=True)
class Trials:
    """What models that were tried out say about documents: evidence, each of shape (2, n_documents, n_themes).

    Attributes
    ----------
    held : array
        About labelled documents whose labels they were not told.
    seen, unseen : arrays
        About unlabelled documents that they learnt from, and about others.
    """

    held: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray


def leave_out(unlabelled: np.ndarray, n_trials: int, seed: int) -> list[np.ndarray]:
    """Return unlabelled documents in one part more than there are trials: each never sees its own, but sees the next."""
    order = np.random.RandomState(seed).permutation(unlabelled)
    size = min(int(_UNSEEN_SHARE * len(order)), _UNSEEN_AT_ONCE)
    if n_trials * size < _FEWEST_UNSEEN:
        return [order[:0]] * (n_trials + 1)
    return [order[place * size : (place + 1) * size] for place in range(n_trials + 1)]


def combine(evidence: np.ndarray, weight: float) -> np.ndarray:
    """Return likelihoods plus weighted distances, from evidence of shape (2, n_documents, n_themes)."""
    return evidence[0] + weight * evidence[1]


def find_silence(counts: sparse.csr_matrix) -> np.ndarray:
    """Return what share of each document says nothing: all of an empty one, little of a long one.

    Parameters
    ----------
    counts : sparse matrix of shape (n_documents, n_terms)

    Returns
    -------
    array of shape (n_documents, 1)
    """
    return _SILENT / (np.asarray(counts.sum(axis=1), dtype=np.float64) + _SILENT)


def find_wordless_rates(X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """Return how often documents without any term have each label: as others do, but for what those labelled say.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        No entry is zero.
    labels : Labels
    weights : array of shape (n_documents,)
        How much each document counts.
    usual : array of shape (n_labels,)
        How often all documents have each label.
    """
    empty = np.diff(X.indptr) == 0
    applies, told = (weights[empty] @ each[empty] for each in (labels.indicator, labels.known))
    return (_LIKE_OTHERS * usual + applies) / (_LIKE_OTHERS + told)


def even_out(likelihoods: np.ndarray, counts: sparse.csr_matrix) -> np.ndarray:
    """Return likelihoods, sums over the root of a document's length, as means over its length; less if it is short.

    Parameters
    ----------
    likelihoods : array of shape (n_documents, n_themes)
        How much better each theme explains each document than its background does.
    counts : sparse matrix of shape (n_documents, n_terms)
        What they were found from.
    """
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64)
    return likelihoods * np.sqrt(lengths) / (lengths + _SILENT)


def rank_labels(scores: np.ndarray, indicator: np.ndarray) -> np.ndarray:
    """Return how near the top the labels of each document are: the mean of -log rank; 0 for one without labels."""
    ranks = (-scores).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable") + 1
    return -(indicator * np.log(ranks)).sum(axis=1) / np.maximum(indicator.sum(axis=1), 1)


def choose_clearly(ranked: dict[_Choice, np.ndarray], usual: _Choice, clearly: float) -> _Choice:
    """Return the usual choice, unless another ranks the same documents better by some standard errors.

    Parameters
    ----------
    ranked : dict of choices to arrays of shape (n_documents,)
        What `rank_labels` says under each.
    usual
        The choice to prefer.
    clearly : float
        By how many standard errors another must be better.
    """
    best, chosen = 0.0, usual
    for choice, ranks in ranked.items():
        gains = ranks - ranked[usual]
        gain = gains.mean() - clearly * gains.std() / np.sqrt(len(gains))
        if gain > best:
            best, chosen = gain, choice
    return chosen


def choose_weight(evidence: np.ndarray, indicator: np.ndarray) -> float:
    """Return how much distances from planes count: the mean weight, by how well each ranks held-out documents.

    Likelihoods do better with few labels and distances with many, but where that turns depends on the corpus. The best
    weight for a few dozen documents may be far off; a mean is not, and comes to the best one with more. Fewer documents
    than there are labels tell nothing.

    Parameters
    ----------
    evidence : array of shape (2, n_documents, n_themes)
        Likelihoods and distances of held-out documents.
    indicator : bool array of shape (n_documents, n_themes)
        Their labels.
    """
    if len(indicator) < indicator.shape[1]:
        return USUAL_WEIGHT
    logs = np.log(_WEIGHTS / USUAL_WEIGHT)
    ranked = [rank_labels(combine(evidence, weight), indicator).sum() for weight in _WEIGHTS]
    return USUAL_WEIGHT * float(np.exp(softmax(ranked - 0.5 * (logs / _WEIGHT_SPREAD) ** 2) @ logs))


def bend_gaps(scores: np.ndarray, bend: float) -> np.ndarray:
    """Return scores whose gaps from the best one of a document grow slower the wider they are, if `bend` is below one.

    A gap g becomes ((1 + g)^bend - 1) / bend; the order of scores stays.
    """
    if bend == 1.0:
        return scores
    return (1.0 - (1.0 + scores.max(axis=1, keepdims=True) - scores) ** bend) / bend


class _Likeliest:
    """Whether the likeliest labels of held-out documents apply as often as their chances say.

    What is said of all other labels would outweigh that wherever scores are not of quite the right shape.
    """

    def __init__(
        self,
        scores: np.ndarray,
        indicator: np.ndarray,
        usual: float,
        known: np.ndarray | None,
        unsaid: np.ndarray | float = 0.0,
    ) -> None:
        unsaid = np.broadcast_to(unsaid, scores.shape)
        # The same label whatever the scale: else a scale of nothing, which names labels by their frequency, would do.
        likeliest = (usual * scores + unsaid).argmax(axis=1)[:, None]
        order = np.argsort(np.arange(scores.shape[1]) != likeliest, axis=1, kind="stable")
        told = slice(None) if known is None else np.take_along_axis(known, likeliest, axis=1)[:, 0]
        self.applies = np.take_along_axis(indicator, likeliest, axis=1)[told, 0]
        self.scores, self.unsaid = (np.take_along_axis(each, order, axis=1)[told] for each in (scores, unsaid))
        self.usual = usual

    def surprise(self, log_scale: float, bend: float) -> float:
        bent = bend_gaps(np.exp(log_scale) * self.scores + self.unsaid, bend)
        odds_against = logsumexp(bent[:, 1:], axis=1) - bent[:, 0]
        away = (log_scale - np.log(self.usual)) / _SPREAD, (bend - USUAL_BEND) / _BEND_SPREAD
        return float(
            np.logaddexp(0.0, np.where(self.applies, odds_against, -odds_against)).sum() + 0.5 * np.dot(away, away)
        )

    def best_scale(self, bend: float) -> Any:
        return minimize_scalar(self.surprise, args=(bend,), bounds=(-8.0, 3.0), method="bounded")


def fit_scale(
    scores: np.ndarray, indicator: np.ndarray, usual: float = USUAL_SCALE, known: np.ndarray | None = None
) -> float:
    """Return what to multiply scores by so that their softmax gives chances.

    Parameters
    ----------
    scores : array of shape (n_documents, n_themes)
        Combined evidence about held-out documents.
    indicator : bool array of shape (n_documents, n_themes)
        Their labels.
    usual : float
        The scale to expect.
    known : bool array of shape (n_documents, n_themes), optional
        Where it is known whether labels apply; everywhere by default.
    """
    if scores.shape[1] < 2:
        return usual
    return float(np.exp(_Likeliest(scores, indicator, usual, known).best_scale(1.0).x))


def fit_scale_and_bend(
    scores: np.ndarray,
    indicator: np.ndarray,
    usual: float = USUAL_SCALE,
    known: np.ndarray | None = None,
    unsaid: np.ndarray | float = 0.0,
) -> tuple[float, float]:
    """Return what to multiply scores by, and how to bend their gaps then, so that their softmax gives chances.

    Where some documents say far more than enough about their theme, one scale would make too much of these, too little
    of the others, or both.

    Parameters
    ----------
    scores, indicator, usual, known
        As for `fit_scale`.
    unsaid : array of shape (n_documents, n_themes), optional
        What is added to scores once they are scaled.
    """
    if scores.shape[1] < 2:
        return usual, 1.0
    likeliest = _Likeliest(scores, indicator, usual, known, unsaid)
    bend = minimize_scalar(lambda bend: likeliest.best_scale(bend).fun, bounds=_BENDS, method="bounded").x
    return float(np.exp(likeliest.best_scale(bend).x)), float(bend)


def correct(scores: np.ndarray, confusions: np.ndarray) -> np.ndarray:
    """Return scores plus what the shares of all themes say about each."""
    return scores + softmax(scores, axis=1) @ confusions


def fit_confusions(scores: np.ndarray, indicator: np.ndarray) -> np.ndarray:
    """Return how much a share of one theme speaks for another, as that of two stars does for one and for three.

    Parameters
    ----------
    scores : array of shape (n_documents, n_themes)
        Weighted evidence of held-out documents.
    indicator : bool array of shape (n_documents, n_themes)
        Their labels.

    Returns
    -------
    array of shape (n_themes, n_themes)
    """
    shares, truth = softmax(scores, axis=1), indicator / indicator.sum(axis=1, keepdims=True)
    n_themes = scores.shape[1]
    if len(scores) < _HELD_A_THEME * n_themes:
        return np.zeros((n_themes, n_themes))

    def surprise(flat: np.ndarray) -> tuple[float, np.ndarray]:
        chances = log_softmax(scores + shares @ flat.reshape(n_themes, n_themes), axis=1)
        slope = shares.T @ (np.exp(chances) - truth)
        pull = flat / _CONFUSION_SPREAD**2
        return float(-(truth * chances).sum() + 0.5 * flat @ pull), slope.ravel() + pull

    found = minimize(surprise, np.zeros(n_themes**2), jac=True, method="L-BFGS-B")
    return found.x.reshape(n_themes, n_themes)


def fit_stretch(seen: np.ndarray, unseen: np.ndarray, weight: float, scale: float, bend: float = 1.0) -> float:
    """Return what to multiply likelihoods of unseen documents by so that one is as sure of them as of seen ones.

    Parameters
    ----------
    seen, unseen : arrays of shape (2, n_documents, n_themes)
        Evidence about unlabelled documents that the themes learnt from, and about others.
    weight, scale, bend : float
        How much distances count beside likelihoods, what scores are multiplied by, and how their gaps are bent.
    """
    if not seen.shape[1] or not unseen.shape[1] or seen.shape[2] < 2:
        return 1.0

    def sureness(evidence: np.ndarray, stretch: float = 1.0) -> np.ndarray:
        stretched = np.stack([stretch * evidence[0], evidence[1]])
        return softmax(bend_gaps(scale * combine(stretched, weight), bend), axis=1).max(axis=1)

    of_seen, of_unseen = sureness(seen), sureness(unseen)
    noise = np.sqrt(of_seen.var() / len(of_seen) + of_unseen.var() / len(of_unseen))
    # Beyond what may be chance only: where distances say nearly all, no stretch of likelihoods would make up for that.
    wanted = float(of_seen.mean() - noise)
    if of_unseen.mean() >= wanted:
        return 1.0
    if sureness(unseen, _LONGEST_STRETCH).mean() <= wanted:
        return _LONGEST_STRETCH
    return float(brentq(lambda stretch: sureness(unseen, stretch).mean() - wanted, 1.0, _LONGEST_STRETCH, rtol=1e-6))


@dataclass(frozen=True, slots=True)
class Curves:
    """Logistic curves from what speaks for themes to the chance of each, where several may apply.

    Attributes
    ----------
    slope, pull : float
        How much the logarithm of a theme's share of the document counts, and the distance from its plane.
    offsets : array of shape (n_themes,)
    """

    slope: float
    pull: float
    offsets: np.ndarray

    def logits(self, scores: np.ndarray, distances: np.ndarray) -> np.ndarray:
        """Return the log odds of each theme from scores and distances of shape (n_documents, n_themes)."""
        return self.slope * log_softmax(scores, axis=1) + self.pull * distances + self.offsets

    def chances(self, scores: np.ndarray, distances: np.ndarray) -> np.ndarray:
        """Return the chance of each theme."""
        return expit(self.logits(scores, distances))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Documents that were held out, and what is known of them.

    Attributes
    ----------
    scores, distances : arrays of shape (n_documents, n_themes)
        Weighted evidence, and the distances from planes alone.
    truth, counts : arrays of shape (n_documents, n_themes)
        Whether each theme applies, or how often, and how much that counts: nothing where it is not known.
    """

    scores: np.ndarray
    distances: np.ndarray
    truth: np.ndarray
    counts: np.ndarray

    def with_silent(self, scores: np.ndarray, distances: np.ndarray, rates: np.ndarray) -> HeldOut:
        """Return the same and documents without any word, to which themes apply as often as to all documents.

        Parameters
        ----------
        scores, distances, rates : arrays of shape (n_themes,)
        """
        n_silent = min(_SILENT_SHARE * len(self.scores), _SILENT_DOCUMENTS)
        rows = (scores, distances, rates, np.full(len(rates), n_silent))
        mine = (self.scores, self.distances, self.truth, self.counts)
        return HeldOut(*(np.vstack(pair) for pair in zip(mine, rows, strict=True)))


def fit_curves(held: HeldOut) -> Curves:
    """Return the curves under which what is known of held-out documents is likeliest, drawn toward the usual ones."""
    n_themes = held.scores.shape[1]
    shares = log_softmax(held.scores, axis=1)

    def surprise(curve: np.ndarray) -> float:
        logits = np.exp(curve[0]) * shares + curve[1] * held.distances + curve[2]
        away = (curve - usual) / _CURVE_SPREAD
        return float((held.counts * (np.logaddexp(0.0, logits) - held.truth * logits)).sum() + 0.5 * away @ away)

    usual = np.array([np.log(USUAL_SLOPE), USUAL_PULL, USUAL_OFFSET])
    log_slope, pull, offset = minimize(surprise, usual, method="Nelder-Mead").x
    curves = Curves(float(np.exp(log_slope)), float(pull), np.full(n_themes, offset))
    return replace(curves, offsets=offset + _fit_offsets(curves.logits(held.scores, held.distances), held))


def _fit_offsets(logits: np.ndarray, held: HeldOut) -> np.ndarray:
    """Return what to add to the logits of each theme, drawn toward nothing."""
    offsets = np.zeros(logits.shape[1])
    for _ in range(_NEWTON_STEPS):
        chances = expit(logits + offsets)
        slope = (held.counts * (chances - held.truth)).sum(axis=0) + offsets / _OFFSET_SPREAD**2
        curvature = (held.counts * chances * (1.0 - chances)).sum(axis=0) + 1.0 / _OFFSET_SPREAD**2
        offsets -= slope / curvature
    return offsets
