"""Themes that have been fitted, applied to documents: weights, scores, chances, and what words say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import logit, logsumexp, softmax
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.models.calibration import Curves, bend_gaps, combine, correct, even_out, find_silence
from wayword.models.fingerprints import are_known
from wayword.models.folding import fold_in, step_toward
from wayword.models.inputs import check_matrix, drop_zeros
from wayword.models.labelled import LabelledTopicModel
from wayword.models.linear import Linear
from wayword.models.theme_evidence import TermEvidence, explain_likelihoods
from wayword.models.theme_fits import Mode
from wayword.models.theme_inference import LEAST_SMOOTHING, by_terms, fold_into_themes, mix_themes, smooth_topics
from wayword.models.theme_scores import normalise_rows, share_against

_LIKELIHOOD_WEIGHT = 2.0
_TINY = np.finfo(np.float64).tiny
_OTHER_SCORE = "the model was fitted for another score than {!r}; fit it again"


class _Chosen(str):
    """The name of a way to score that can also be called: the setting `score` shares its name with the method."""

    __slots__ = ("measure",)
    measure: Callable[..., float]

    def __call__(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the labelled documents for which `predict` finds all labels and no others."""
        return self.measure(X, y, sample_weight)


def _without_words(X: sparse.csr_matrix, chances: np.ndarray, usual: np.ndarray) -> np.ndarray:
    """Return chances in which those of a document without any known word are what they usually are of such ones."""
    return np.where((np.diff(X.indptr) == 0)[:, None], usual, chances)


class FittedThemes(LabelledTopicModel):
    """What a model of themes does once it has them."""

    mode: Mode
    background: bool
    solver: Literal["cd", "mu"]
    dampen: Literal["auto"] | bool
    themes_: np.ndarray
    subtopics_: np.ndarray
    background_: np.ndarray | None
    new_topics_: np.ndarray
    new_background_: np.ndarray | None
    term_shares_: np.ndarray
    smoothing_: np.ndarray
    n_iter_: int
    linear_: dict[str, np.ndarray] | None
    stack_: dict[str, Any]
    seen_: np.ndarray

    @property
    def score(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """How to score, as it was set; called with documents and labels, the share of right answers.

        scikit-learn reads settings as attributes and calls the method of the same name, so this is both.
        """
        if not isinstance(self._score, str):
            return self._score
        chosen = _Chosen(self._score)
        chosen.measure = super().score
        return chosen

    @score.setter
    def score(self, value: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.__dict__["score"] = value

    @property
    def _score(self) -> Any:
        return self.__dict__["score"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings."""
        return {**super().get_params(deep), "score": self._score}

    def _dampen(self, X: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return log(1 + x), or X as it is."""
        if not (self._score != "thesis" if self.dampen == "auto" else self.dampen):
            return X
        return sparse.csr_matrix((np.log1p(X.data), X.indices, X.indptr), shape=X.shape)

    @property
    def components_(self) -> np.ndarray:
        """The subtopics of all themes, theme by theme, then the new topics: array of shape (n_topics, n_terms)."""
        return np.vstack([self.subtopics_.reshape(-1, self.subtopics_.shape[2]), self.new_topics_])

    @property
    def n_components_(self) -> int:
        """How many subtopics and new topics there are."""
        return self.subtopics_.shape[0] * self.subtopics_.shape[1] + len(self.new_topics_)

    def _weights(self, counts: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of subtopics, (n_themes, n_documents, n_subtopics), and of backgrounds, the same but the last."""
        n_themes, n_subtopics = self.subtopics_.shape[:2]
        if self.mode == "separated" and self.background_ is not None:
            topics = np.concatenate([self.subtopics_, self.background_[:, None]], axis=1)
            W = self._fold_apart(counts, topics)
            return W[:, :, :-1], W[:, :, -1]
        W = self._fold_together(counts)
        subtopics = W[:, : n_themes * n_subtopics].reshape(len(W), n_themes, n_subtopics).transpose(1, 0, 2)
        background = W[:, -1] if self.background else np.zeros(len(W))
        return subtopics, np.broadcast_to(background, subtopics.shape[:2])

    def _fold_in(self, counts: sparse.csr_matrix, topics: np.ndarray) -> np.ndarray:
        """Return weights of topics: the best ones, or those after as many updates as the themes took."""
        if self.solver == "mu":
            return step_toward(counts, topics, self.loss, self.n_iter_)
        return fold_in(counts, topics, self.loss)

    def _fold_apart(self, counts: sparse.csr_matrix, topics: np.ndarray) -> np.ndarray:
        if self.loss == "kl" and self.solver == "cd":
            return fold_into_themes(counts, by_terms(topics, counts.dtype))
        W = [self._fold_in(counts, theme) for theme in topics]
        return np.stack(W) if W else np.zeros((0, counts.shape[0], topics.shape[1]), dtype=counts.dtype)

    def _fold_together(self, counts: sparse.csr_matrix) -> np.ndarray:
        background = [] if self.background_ is None else [self.background_]
        return self._fold_in(counts, np.vstack([self.components_, *background]))

    def _new_weights(self, counts: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of new topics and of their background."""
        n_new = len(self.new_topics_)
        if self.new_background_ is not None and self.mode == "separated":
            W = self._fold_in(counts, np.vstack([self.new_topics_, self.new_background_]))
            return W[:, :n_new], W[:, -1]
        W = self._fold_together(counts)
        first = self.subtopics_.shape[0] * self.subtopics_.shape[1]
        return W[:, first : first + n_new], W[:, -1] if self.background else np.zeros(len(W))

    def _fold(self, X: sparse.csr_matrix) -> np.ndarray:
        counts = self._dampen(X)
        subtopics = self._weights(counts)[0].transpose(1, 0, 2).reshape(X.shape[0], -1)
        return np.hstack([subtopics, self._new_weights(counts)[0]]) if len(self.new_topics_) else subtopics

    def background_weights(self, X: Any) -> np.ndarray:
        """Return the weight of the background in each theme's model of each document.

        With the weights that `transform` gives the theme's subtopics it is what `document_terms` takes.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_themes)
            Alike for all themes in combined mode, zero without a background.
        """
        check_is_fitted(self)
        return np.array(self._weights(self._dampen(check_matrix(self, X, reset=False)))[1].T)

    def theme_scores(self, X: Any) -> np.ndarray:
        """Return how much of each theme is in each document.

        The largest W_i / (W_i + W_background) over the subtopics i of a theme (equation 5.1 of the thesis): from 0 to
        1. Without a background, the largest share of a subtopic among all.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_themes), in the order of `themes_`
        """
        check_is_fitted(self)
        return self._ratios(self._dampen(check_matrix(self, X, reset=False)))

    def new_topic_scores(self, X: Any) -> np.ndarray:
        """Return how much of each new topic is in each document, as `theme_scores` does for themes.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_new_topics)
        """
        check_is_fitted(self)
        counts = self._dampen(check_matrix(self, X, reset=False))
        if not len(self.new_topics_):
            return np.zeros((counts.shape[0], 0))
        W, background = self._new_weights(counts)
        return share_against(W, background[:, None]) if self.background else normalise_rows(W)

    def _ratios(self, counts: sparse.csr_matrix) -> np.ndarray:
        W, background = self._weights(counts)
        if not self.background:
            W = W / np.maximum(W.sum(axis=(0, 2), keepdims=True), _TINY)
            return W.max(axis=2).T
        return share_against(W, background[:, :, None]).max(axis=2).T

    def _theme_shares(self, counts: sparse.csr_matrix) -> np.ndarray:
        """Return the share of a theme's subtopics in its model of each document; combined themes share one model."""
        W, background = self._weights(counts)
        explained = W.sum(axis=2)
        total = explained + background if self.mode == "separated" else explained.sum(axis=0) + background
        return (explained / np.maximum(total, _TINY)).T

    def _smoothed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return subtopics and backgrounds that are zero for no term."""
        topics = smooth_topics(self.subtopics_, self.term_shares_, self.smoothing_)
        background = self.term_shares_[None, None] if self.background_ is None else self.background_[:, None]
        base = smooth_topics(background, self.term_shares_, np.full(len(background), LEAST_SMOOTHING))[:, 0]
        return topics, np.broadcast_to(base, topics[:, 0].shape)

    def _likelihoods(self, counts: sparse.csr_matrix) -> np.ndarray:
        topics, base = self._smoothed()
        return mix_themes(counts, topics, base).scores

    def term_evidence(self, X: Any) -> TermEvidence:
        """Return what the terms of one document say about each theme.

        With ``score="stack"`` and ``"likelihood"`` that is exactly what its chances come from; with the other scores
        it is how much better each theme explains the terms than its background does.

        Parameters
        ----------
        X : matrix of shape (1, n_terms)
            The document.
        """
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False)
        if not len(self.themes_):
            raise InputError("the model has new topics but no themes, so terms are evidence of nothing")
        if X.shape[0] != 1:
            raise InputError(f"term_evidence takes one document, got {X.shape[0]}; call it once for each")
        X = drop_zeros(X)
        counts = self._dampen(X)
        parts = explain_likelihoods(counts, *self._smoothed())
        compare = self._set_alone if self._stand_alone else self._set_against_others
        return TermEvidence(
            X.indices,
            X.data,
            *compare(X, *self._explain(X, counts, parts.weights)),
            parts.responsibilities,
            self.predict_proba(X)[0],
            self.theme_scores(X)[0],
        )

    def _explain(
        self, X: sparse.csr_matrix, counts: sparse.csr_matrix, likelihoods: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what each term of a document adds to the log odds of each theme, and what is there whatever the terms."""
        if self._score == "likelihood":
            return _LIKELIHOOD_WEIGHT * likelihoods, np.log(self.class_prior_ + _TINY)
        if self._score != "stack":
            return likelihoods, np.zeros(len(self.themes_))
        linear, curves = self._linear(), self._curves()
        alone = self._stand_alone
        if not X.nnz:
            return likelihoods, logit(self._wordless) if alone else np.log(self._wordless + _TINY)
        by_share = self._slope if alone else 1.0
        by_likelihood = self.stack_["scale"] * by_share
        by_distance = by_likelihood * self.stack_["weight"] + (curves.pull if alone else 0.0)
        distances = (linear.weigh(X).data[:, None] * linear.planes[X.indices]).T
        unsaid = by_share * find_silence(counts)[0] * self._prior
        offsets = by_distance * linear.offsets + unsaid + (curves.offsets if alone else 0.0)
        stretched = self._find_stretch(X)[0] * even_out(likelihoods, counts)
        return by_likelihood * stretched + by_distance * distances, offsets

    @property
    def _stand_alone(self) -> bool:
        """Whether a theme's chance stands alone, rather than all of them summing to one."""
        return self._score == "stack" and self.label_kind_ != "single"

    @property
    def _slope(self) -> float:
        """How much a theme's share of the document counts where chances stand alone; one that has no other has all of it."""
        return self._curves().slope if len(self.themes_) > 1 else 0.0

    def _set_alone(
        self, X: sparse.csr_matrix, weights: np.ndarray, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what terms and themes add, and what all themes of the document take: they sum to log odds."""
        taken = self._slope * logsumexp(self._weigh(self._stretched_evidence(X), X)) if X.nnz else 0.0
        return weights, offsets, np.full(len(offsets), -taken)

    def _set_against_others(
        self, X: sparse.csr_matrix, weights: np.ndarray, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what terms and themes add less what they add on average, and what themes say for each other."""
        if X.nnz:
            weights, offsets = self._bend_parts(weights, offsets)
        weights, offsets = weights - weights.mean(axis=0), offsets - offsets.mean()
        if not X.nnz:
            return weights, offsets, np.zeros(len(offsets))
        return weights, offsets, self._find_corrections(weights.sum(axis=1) + offsets)

    @property
    def _bend(self) -> float:
        """How gaps between themes are bent; models kept in files by earlier versions do not say."""
        return self.stack_.get("bend", 1.0) if self._score == "stack" else 1.0

    def _bend_parts(self, weights: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what terms add to each theme, drawn toward what they add to the likeliest as its gap from that is."""
        scores = weights.sum(axis=1) + offsets
        gaps, bent = (values.max() - values for values in (scores, bend_gaps(scores[None], self._bend)[0]))
        drawn = np.divide(bent, gaps, out=np.ones_like(gaps), where=gaps > 0)
        likeliest = weights[scores.argmax()], offsets[scores.argmax()]
        return (
            likeliest[0] + drawn[:, None] * (weights - likeliest[0]),
            likeliest[1] + drawn * (offsets - likeliest[1]),
        )

    def _find_corrections(self, scores: np.ndarray) -> np.ndarray:
        """Return what themes say for each other, less what they say for all on average."""
        if self._score != "stack":
            return np.zeros(len(scores))
        corrections = correct(scores[None], self.stack_["confusions"])[0] - scores
        return corrections - corrections.mean()

    def _evidence(self, X: sparse.csr_matrix, counts: sparse.csr_matrix) -> np.ndarray:
        """Return what speaks for each theme, likelihoods and distances from planes: (2, n_documents, n_themes)."""
        return np.stack([self._likelihoods(counts), self._linear().score(X)])

    def _even_evidence(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return the same, with likelihoods that do not grow with the length of documents."""
        counts = self._dampen(X)
        likelihoods, distances = self._evidence(X, counts)
        return np.stack([even_out(likelihoods, counts), distances])

    def _find_stretch(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return what likelihoods of documents are multiplied by: more than one if the themes never learnt from them."""
        if not hasattr(self, "stack_"):
            raise InputError(_OTHER_SCORE.format(self._score))
        return np.where(are_known(X, self.seen_), 1.0, self.stack_["stretch"])

    def _stretched_evidence(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return evidence of the same strength for documents that the themes learnt from and for others."""
        likelihoods, distances = self._even_evidence(X)
        return np.stack([likelihoods * self._find_stretch(X)[:, None], distances])

    @property
    def _prior(self) -> Any:
        """Logarithms of how often labels are given; models kept in files by earlier versions do not say."""
        return self.stack_.get("prior", 0.0)

    @property
    def _wordless(self) -> np.ndarray:
        """How often documents without any known word have each label; earlier versions took them to be like all others."""
        return self.stack_.get("wordless", self.stack_["rates"] if self._stand_alone else self.class_prior_)

    def _weigh(self, evidence: np.ndarray, X: sparse.csr_matrix) -> np.ndarray:
        """Return the weighted sum of all evidence, and of how often labels are given for what documents do not say."""
        unsaid = find_silence(self._dampen(X)) * self._prior
        return self.stack_["scale"] * combine(evidence, self.stack_["weight"]) + unsaid

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return how likely each theme applies to each document.

        If `y` held one label for each document, the chances of all themes sum to one; otherwise each stands alone.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_themes), in the order of `themes_`
        """
        check_is_fitted(self)
        if not self._stand_alone or not len(self.classes_):
            return super().predict_proba(X)
        X = drop_zeros(check_matrix(self, X, reset=False))
        evidence = self._stretched_evidence(X)
        return _without_words(X, self._curves().chances(self._weigh(evidence, X), evidence[1]), self._wordless)

    def _curves(self) -> Curves:
        return Curves(self.stack_["slope"], self.stack_["pull"], self.stack_["offsets"])

    def _linear(self) -> Linear:
        if self.linear_ is None:
            raise InputError(_OTHER_SCORE.format(self._score))
        return Linear(**self.linear_)

    def _shares(self, X: sparse.csr_matrix) -> np.ndarray:
        if not len(self.classes_):
            return np.zeros((X.shape[0], 0))
        X = drop_zeros(X)
        if self._score == "stack":
            scores = bend_gaps(self._weigh(self._stretched_evidence(X), X), self._bend)
            scores = correct(scores, self.stack_["confusions"])
            return _without_words(X, softmax(scores, axis=1), self._wordless)
        counts = self._dampen(X)
        if self._score == "likelihood":
            return softmax(_LIKELIHOOD_WEIGHT * self._likelihoods(counts) + np.log(self.class_prior_ + _TINY), axis=1)
        return self._shares_of(self._theme_shares(counts) if self._score == "share" else self._ratios(counts))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of subtopics, theme by theme, and of new topics."""
        del input_features
        check_is_fitted(self)
        names = [f"{theme} {place}" for theme in self.themes_ for place in range(1, self.subtopics_.shape[1] + 1)]
        new = [f"new topic {place}" for place in range(1, len(self.new_topics_) + 1)]
        return np.array(names + new, dtype=object)
