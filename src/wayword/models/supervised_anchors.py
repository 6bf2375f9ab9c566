"""Anchor words that know labels: terms as points in a space with a column for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse, special
from sklearn.base import ClassifierMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError, shorten
from wayword.models.anchor_ground import count_pairs
from wayword.models.anchors import AnchorTopics
from wayword.models.inputs import (
    check_choice,
    check_number,
    check_sample_weight,
    check_whole,
    drop_zeros,
    undone_if_it_fails,
)
from wayword.models.label_columns import label_columns
from wayword.models.label_planes import choose_cost, fit_planes, join, prefer_for_any
from wayword.models.labels import Kind, Labels, answer_in_kind, read_labels, share_of_right_answers
from wayword.models.linear import find_idf, multiply_columns, weigh
from wayword.progress import Progress, ignore

RESPONSES = ("auto", "labels", "numbers")
_TINY = np.finfo(np.float64).tiny
# Below this, rows are all alike.
_NO_SPREAD = 1e-9
# Topics of less than this share count as if they had it, where others are compared with their shares.
_LEAST_SHARE = 1e-6


def _is_numeric(y: Any) -> bool:
    """Whether `y` holds numbers with fractions, one for each document."""
    try:
        given = np.asarray(y)
        values = given.astype(np.float64)
    except (TypeError, ValueError):
        return False
    if given.dtype.kind in "US" or (given.dtype == object and any(isinstance(value, str) for value in given.flat)):
        return False  # names, even if they look like numbers
    known = values[np.isfinite(values)]
    return values.ndim == 1 and bool((known != np.floor(known)).any())


def _as_flat(y: Any) -> Any:
    """Return what one column holds; anything else as it is."""
    values = y.to_numpy() if hasattr(y, "to_numpy") else y
    return values.ravel() if isinstance(values, np.ndarray) and values.shape[1:] == (1,) else y


def read_numbers(y: Any) -> np.ndarray:
    """Return a number for each document, NaN where it is unknown, of which one at least is known."""
    try:
        values = np.asarray(_as_flat(y), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a numeric response must be one number for each document, got {shorten(y)}") from None
    known = values[~np.isnan(values)]
    if values.ndim != 1 or not np.isfinite(known).all():
        raise InputError(f"a numeric response must be finite numbers, or NaN where unknown, got {shorten(y)}")
    if not len(known):
        raise InputError(
            "a numeric response must be known of some document, got NaN or nothing for all; give some numbers"
        )
    return values


def cut_into_bins(y: Any, n_bins: int) -> tuple[list[int | None], np.ndarray]:
    """Return the bin of each number, and the mean of each bin; bins hold about the same number of documents each.

    Numbers that are NaN are unknown. Equal numbers share a bin, so there may be fewer bins; where there are no more
    different numbers than bins, as with stars, each has a bin of its own.
    """
    values = read_numbers(y)
    known = values[~np.isnan(values)]
    edges = np.unique(known)[1:]
    if len(edges) >= n_bins:
        # The least number has a bin of its own where it is that frequent.
        edges = np.unique(np.maximum(np.quantile(known, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]), edges[0]))
    places = np.searchsorted(edges, values, side="right")
    used, places = np.unique(places, return_inverse=True)
    means = np.array([values[(places == place) & ~np.isnan(values)].mean() for place in range(len(used))])
    return [None if np.isnan(value) else int(place) for value, place in zip(values, places, strict=True)], means


@dataclass(frozen=True, slots=True)
class _Predictor:
    """What `fit` learnt to predict from, which topics solved for later can no longer add to.

    Attributes
    ----------
    anchors : list
        Of the topics that it was learnt with.
    topic_weights : array of shape (n_components, n_labels)
    offsets : array of shape (n_labels,)
    mean_topics : array of shape (n_components,)
        The mean, over labelled documents, of their topics.
    """

    anchors: list[Any]
    topic_weights: np.ndarray
    offsets: np.ndarray
    mean_topics: np.ndarray

    def weights_with(self, anchors: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights and offsets for the topics of some anchors: of those gone, what they added on the mean."""
        places = {anchor: place for place, anchor in enumerate(self.anchors)}
        kept = [places.get(anchor, -1) for anchor in anchors]
        weights = np.vstack([self.topic_weights, np.zeros(len(self.offsets))])[kept]
        gone = np.setdiff1d(np.arange(len(self.anchors)), kept)
        return weights, self.offsets + self.mean_topics[gone] @ self.topic_weights[gone]


class SupervisedAnchors(ClassifierMixin, AnchorTopics):
    """Anchor words found and solved for in a space that holds labels beside words.

    A term's point is its company, as in `AnchorTopics`, and how likely a document that holds it has each label. Terms
    that tell labels apart become anchors, and the topics that follow from them predict. Labels may be one or several
    for each document, or a number; documents without one still tell which terms occur together.

    Parameters
    ----------
    n_components, anchors, recover, find, regularizer, strength, prior, rectify, min_df, projection, alpha, tol
        As for `AnchorTopics`.
    inference : {"oneshot", "cd", "em", "vb", "gibbs"}
        How `transform` and `features` find the topics of a document. What each word says alone, labels included,
        predicts best.
    label_weight : float
        How far terms are spread by labels, as a multiple of how far they are spread by words.
    pseudo_counts : float
        How many documents' worth what all documents have counts for each term's labels: terms of few documents say
        little about labels.
    lexical_mix : float
        The share of tf-idf in `features`, from 0, topics alone, to 1, words alone, which count the more the better
        they tell labels apart; 0.9 predicts about as well as 1.
    response : {"auto", "labels", "numbers"}
        What `y` is: labels, or one number for each document. By default numbers if any has a fraction.
    n_bins : int
        Into how many bins of about the same size numbers are cut; no more different numbers have a bin each.
    terms, random_state
        As for `AnchorTopics`.

    Attributes
    ----------
    classes_ : array of shape (n_labels,)
        The labels, in the order of `predict_proba`; of numbers, the mean of each bin.
    label_topics_ : array of shape (n_components, n_labels)
        How likely each label is where a topic is: what labels say of its anchor, which comes from no other.
    term_weights_, topic_weights_, offsets_ : arrays of shapes (n_terms, n_labels), (n_components, n_labels), (n_labels,)
        What each term, as tf-idf, and each topic adds to the log odds of a label.
    preferences_ : array of shape (n_terms,)
        How much each term counts: more, the better it tells the documents of some label from others.
    log_spread_ : float
        How far the logarithms of topic shares are from their mean in labelled documents.
    anchors_, anchor_words_, components_, term_topics_, topic_correlation_, topic_shares_, gap_
        As for `AnchorTopics`.

    Examples
    --------
    >>> from wayword import SupervisedAnchors
    >>> X = [[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4]]
    >>> model = SupervisedAnchors(2, rectify=False).fit(X, ["fruit", "fruit", "ships", None])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).tolist()
    ['fruit', 'ships']
    """

    label_kind_: Kind
    bin_means_: np.ndarray | None

    def __init__(
        self,
        n_components: int | None = 10,
        *,
        anchors: Any = None,
        recover: Literal["l2", "kl"] = "l2",
        find: Literal["fast", "hull"] = "fast",
        regularizer: Literal["l2", "beta"] | None = None,
        strength: float | None = None,
        prior: Any = None,
        rectify: bool = True,
        min_df: int | Literal["auto"] = "auto",
        projection: int | None = 1000,
        inference: Literal["cd", "em", "oneshot", "vb", "gibbs"] = "oneshot",
        alpha: float = 0.1,
        tol: float = 1e-14,
        label_weight: float = 4.0,
        pseudo_counts: float = 20.0,
        lexical_mix: float = 0.0,
        response: Literal["auto", "labels", "numbers"] = "auto",
        n_bins: int = 5,
        terms: Any = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(
            n_components,
            anchors=anchors,
            recover=recover,
            find=find,
            regularizer=regularizer,
            strength=strength,
            prior=prior,
            rectify=rectify,
            min_df=min_df,
            projection=projection,
            inference=inference,
            alpha=alpha,
            tol=tol,
            terms=terms,
            random_state=random_state,
        )
        self.label_weight = label_weight
        self.pseudo_counts = pseudo_counts
        self.lexical_mix = lexical_mix
        self.response = response
        self.n_bins = n_bins

    @undone_if_it_fails
    def fit(self, X: Any, y: Any = None, *, progress: Progress = ignore) -> SupervisedAnchors:
        """Find topics that go with labels, and what predicts the labels.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Counts of documents.
        y : names, lists of names, matrix of shape (n_documents, n_labels), or numbers
            What is known: None, NaN or -1 for an unlabelled document, an empty list, or a row without a 1. In a matrix
            with any -1, which mark what is unknown, a row of zeros says that no label applies.
        progress : callable
            As for `AnchorTopics`.
        """
        self._check_settings()
        X = drop_zeros(self._read(X, reset=True))
        labels = self._read_labels(y, X.shape[0])
        columns = label_columns(X, labels, self.pseudo_counts)
        self._solve(self._make_ground(count_pairs(X, progress), columns, self.label_weight), progress)
        self._label_chances = columns[:, : len(labels.names)]
        self.label_topics_ = self._read_label_topics()
        self._learn_to_predict(X, labels)
        return self

    def _read_labels(self, y: Any, n_documents: int) -> Labels:
        if y is None:
            raise InputError(
                "SupervisedAnchors requires y to be passed, but the target y is None; AnchorTopics needs no labels"
            )
        self.bin_means_ = None
        if isinstance(y, np.ndarray):
            y = _as_flat(y)
        if self.response == "numbers" or (self.response == "auto" and _is_numeric(_as_flat(y))):
            y, self.bin_means_ = cut_into_bins(y, self.n_bins)
        labels = read_labels(y, n_documents)
        if not labels.indicator.any():
            raise InputError("y names no label of any document; label some, or use AnchorTopics, which needs no labels")
        self.classes_ = labels.names if self.bin_means_ is None else self.bin_means_
        self.label_kind_ = labels.kind
        return labels

    def _read_label_topics(self) -> np.ndarray:
        """Return what labels say of the anchors, which come from their topics alone; of several words, the mean."""
        return np.stack([self._label_chances[np.atleast_1d(anchor)].mean(axis=0) for anchor in self.anchors_])

    def _learn_to_predict(self, X: sparse.csr_matrix, labels: Labels) -> None:
        """Fit the log odds of labels as sums over terms and topics."""
        told = np.flatnonzero(labels.labelled)
        X, labels = X[told], labels.of(told)
        self.idf_ = find_idf(X)
        rows, shares = weigh(X, self.idf_), self._infer(X, "oneshot")
        self.preferences_ = prefer_for_any(rows, labels)
        self.log_spread_ = _spread_of_rows(self._logs_of(shares, X))
        inputs = join(multiply_columns(rows, self.preferences_), shares)
        weights, self.offsets_ = fit_planes(inputs, labels, choose_cost(rows, labels))
        self.term_weights_ = weights[: X.shape[1]] * self.preferences_[:, None]
        self.topic_weights_ = weights[X.shape[1] :]
        self._predictor = _Predictor(self.anchors_, self.topic_weights_, self.offsets_, shares.mean(axis=0))

    def _logs_of(self, shares: np.ndarray, X: sparse.csr_matrix) -> np.ndarray:
        """Return the logarithms of topic shares, of documents with as many more words as the prior is worth."""
        lengths = np.asarray(X.sum(axis=1)).reshape(-1, 1)
        return np.log((lengths * shares + self.alpha) / (lengths + self.alpha * self.n_components_))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of every label: array of shape (n_documents, n_labels); of two labels, of the second."""
        odds = self._log_odds(X)
        return odds[:, 1] if self.label_kind_ == "single" and odds.shape[1] == 2 else odds

    def _log_odds(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._read(X)
        by_topics = self._infer(X, "oneshot") @ self.topic_weights_
        return weigh(X, self.idf_) @ self.term_weights_ + by_topics + self.offsets_

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return how likely each label applies; for one label a document, the chances sum to one.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_labels), in the order of `classes_`
        """
        chances = special.expit(self._log_odds(X))
        if self.label_kind_ == "single":
            chances = chances / np.maximum(chances.sum(axis=1, keepdims=True), _TINY)
        return chances

    def predict(self, X: Any) -> Any:
        """Return the labels of documents, in the form that `y` had in `fit`; of numbers, what is expected."""
        chances = self.predict_proba(X)
        if self.bin_means_ is not None:
            return chances @ self.bin_means_
        return answer_in_kind(self.classes_, self.label_kind_, chances)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of documents whose labels are all found, and no others; of numbers, R squared."""
        answers = self.predict(X)
        weights = check_sample_weight(sample_weight, len(answers))
        if self.bin_means_ is not None:
            truth = read_numbers(y)
            if len(truth) != len(answers):
                raise InputError(f"y must have a number for each of {len(answers)} documents, got {len(truth)}")
            known = ~np.isnan(truth)
            return float(
                r2_score(truth[known], answers[known], sample_weight=None if weights is None else weights[known])
            )
        return share_of_right_answers(answers, y, self.label_kind_, weights)

    def features(self, X: Any) -> np.ndarray | sparse.csr_matrix:
        """Return what any classifier can learn from: the logarithms of topic shares, and tf-idf if mixed in.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_components), or sparse matrix of shape (n_documents, n_components + n_terms)
            With `lexical_mix` m, the logarithms times 1 - m, less those of `topic_shares_`, and tf-idf times
            `preferences_` and m, both drawn to the same spread first, so that one penalty suits both.
        """
        check_is_fitted(self)
        self._check_mix()
        X = self._read(X)
        logs = self._logs_of(self._infer(X, self.inference), X)
        if not self.lexical_mix:
            return logs
        logs -= np.log(np.maximum(self.topic_shares_, _LEAST_SHARE))
        of_logs, of_terms = _mix_spreads(self.lexical_mix, self.log_spread_)
        terms = multiply_columns(weigh(X, self.idf_), self.preferences_)
        return join(of_logs * logs, of_terms * terms)

    def refit(self, anchors: Any = None, *, n_components: int | None = None) -> SupervisedAnchors:
        """Solve again with other anchors, as `AnchorTopics.refit` does, without going through the documents.

        What terms say of labels stays. The topics that `fit` had keep their weights; those of other anchors add
        nothing, and what topics that are gone added on the mean goes to `offsets_`.

        Parameters
        ----------
        anchors, n_components
            As for `AnchorTopics`.
        """
        super().refit(anchors, n_components=n_components)
        self.label_topics_ = self._read_label_topics()
        self.topic_weights_, self.offsets_ = self._predictor.weights_with(self.anchors_)
        return self

    def _check_settings(self) -> None:
        super()._check_settings()
        check_number("label_weight", self.label_weight)
        check_number("pseudo_counts", self.pseudo_counts)
        self._check_mix()
        check_choice("response", self.response, RESPONSES)
        check_whole("n_bins", self.n_bins, least=2)
        if self.recover == "inverse":
            raise InputError("recover='inverse' knows no label columns; use recover='l2' or 'kl'")

    def _check_mix(self) -> None:
        check_number("lexical_mix", self.lexical_mix, most=1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True  # on points that are no mixtures, as in the common checks
        return tags


def _spread_of_rows(values: np.ndarray) -> float:
    """Return how far rows are from their mean: the root of the mean square; one for rows that are all alike."""
    spread = float(np.sqrt(values.var(axis=0).sum()))
    return spread if spread > _NO_SPREAD else 1.0


def _mix_spreads(mix: float, spread: float) -> tuple[float, float]:
    """Return what to multiply values of some spread with, and others of a spread of one, to mix them by a share.

    Together they spread as far as either alone would at the ends of the scale, and in between in geometric steps: a
    penalty that suits both alone suits them mixed.
    """
    together = spread ** (1.0 - mix) / np.hypot(mix, 1.0 - mix)
    return together * (1.0 - mix) / spread, together * mix
