"""Themes: labels become themes, themes have subtopics that nobody labelled, a background holds what is common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.models.alternate import Loss
from wayword.models.bcool import STARTS
from wayword.models.calibration import (
    USUAL_BEND,
    USUAL_OFFSET,
    USUAL_PULL,
    USUAL_SCALE,
    USUAL_SLOPE,
    USUAL_WEIGHT,
    Curves,
    HeldOut,
    Trials,
    bend_gaps,
    choose_weight,
    combine,
    count_folds,
    find_silence,
    find_wordless_rates,
    fit_confusions,
    fit_curves,
    fit_scale,
    fit_scale_and_bend,
    fit_stretch,
    hold_out,
    leave_out,
    split_finely,
)
from wayword.models.competing import DISTANCE_WEIGHT, discount_own_words, share_out, smoothed_prior
from wayword.models.fingerprints import find_fingerprints
from wayword.models.inputs import (
    check_choice,
    check_matrix,
    check_number,
    check_sample_weight,
    check_whole,
    drop_zeros,
    undone_if_it_fails,
)
from wayword.models.labels import Labels, best_threshold, read_labels
from wayword.models.linear import Manner, choose_manner, cross_fit, fit_linear
from wayword.models.nmf import LOSSES, SOLVERS
from wayword.models.theme_blocks import Descent, Membership
from wayword.models.theme_fits import Mode, Plan, Themes, fit_themes
from wayword.models.theme_inference import unseen_shares
from wayword.models.theme_model import FittedThemes
from wayword.models.theme_scores import normalise_rows
from wayword.progress import Progress, ignore

# Rounds in which themes compete for unlabelled documents, and most iterations of one: it goes on from the last.
ROUNDS, ITERATIONS_A_ROUND = 3, 8
_CHOICES = {
    "mode": ("separated", "combined"),
    "supervision": ("competing", "semi", "supervised"),
    "loss": LOSSES,
    "init": STARTS,
    "background": (True, False),
    "score": ("stack", "likelihood", "share", "ratio", "thesis"),
    "solver": SOLVERS,
    "dampen": ("auto", True, False),
}
_TINY = np.finfo(np.float64).tiny


class ThemeNMF(FittedThemes):
    """Themes with subtopics and a background: a classifier of documents that explains itself in words.

    Each label becomes a theme. A theme has a few subtopics, found in its documents; documents of other themes may use
    only the background, which takes what is common, so that the subtopics keep what is special.

    Parameters
    ----------
    n_subtopics : int
        Subtopics of each theme.
    mode : {"separated", "combined"}
        Each theme against a background of its own, or all themes together with one background.
    supervision : {"competing", "semi", "supervised"}
        What unlabelled documents do. Themes compete for them, and each counts for a theme by its chance; they may use
        every theme, as in the thesis; or they are left out.
    loss : {"kl", "frobenius"}
        Kullback-Leibler divergence, made for counts; or squared distance.
    init : {"bcool", "mean", "random"}
        Start from dense documents of each theme, from the mean of each theme, or at random.
    n_new_topics : int
        Topics to find that no label names: only unlabelled documents may use them.
    background : bool
        Whether there is a background; separated themes need it.
    score : {"stack", "likelihood", "share", "ratio", "thesis"}
        By what `predict` and `predict_proba` go. A calibrated sum of several scores; how much better a theme's
        subtopics explain a document than its background does; the share of a theme's subtopics in its model of the
        document; the ratio of `theme_scores`; the same with topics scaled as the fit left them, as in the thesis.
    solver : {"cd", "mu"}
        Coordinate descent with extrapolation, or the multiplicative updates of the thesis; with these, terms that a
        topic starts without never come to it unless themes compete, and documents get the weights that as many updates
        as the themes took lead to, rather than the best ones. Topics of separated themes under the divergence are
        multiplied with both, for most of their terms stand in a handful of documents.
    dampen : "auto" or bool
        Whether to put log(1 + x) for each x, so that a word that is repeated counts less; by default unless
        ``score="thesis"``.
    max_iter, tol
        As for `NMF`; but separated themes under the divergence are settled as soon as an iteration gains less than `tol`
        of what all have gained, without a look at the slopes.
    random_state : int, RandomState or None
        Seed. The same seed gives the same bits; None draws another each time.

    Attributes
    ----------
    themes_, classes_ : array of shape (n_themes,)
        The names of themes, in the order of `predict_proba`.
    subtopics_ : array of shape (n_themes, n_subtopics, n_terms)
        The subtopics of each theme; each sums to one, unless ``score="thesis"``.
    background_ : array of shape (n_themes, n_terms), of shape (1, n_terms) if combined, or None
        The background of each theme.
    new_topics_ : array of shape (n_new_topics, n_terms)
        Topics that no label names.
    new_background_ : array of shape (n_terms,) or None
        The background of the new topics.
    objective_paths_ : list of arrays
        The objective of each theme, or of all together, at the start and after each iteration; it never rises. With
        ``loss="kl"`` separated themes leave out what no iteration changes of labelled documents. Where themes compete for
        unlabelled documents, that of the last round.
    n_iter_ : int
        Most iterations of a theme, those of all rounds together.
    threshold_ : float
        The share from which on `predict` takes a theme to apply, where there may be several; ``score="stack"`` goes by
        calibrated chances instead, and has one half.

    Examples
    --------
    >>> from wayword import ThemeNMF
    >>> X = [[4, 2, 0, 0, 1], [2, 1, 0, 0, 1], [0, 0, 3, 3, 1], [0, 0, 1, 2, 1]]
    >>> model = ThemeNMF(1).fit(X, ["fruit", None, "ships", None])
    >>> model.predict([[1, 0, 0, 0, 1], [0, 0, 0, 1, 1]]).tolist()
    ['fruit', 'ships']
    """

    def __init__(
        self,
        n_subtopics: int = 3,
        *,
        mode: Mode = "separated",
        supervision: Literal["competing", "semi", "supervised"] = "competing",
        loss: Loss = "kl",
        init: Literal["bcool", "mean", "random"] = "bcool",
        n_new_topics: int = 0,
        background: bool = True,
        score: Literal["stack", "likelihood", "share", "ratio", "thesis"] = "stack",
        solver: Literal["cd", "mu"] = "cd",
        dampen: Literal["auto"] | bool = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = 0,
    ) -> None:
        self.n_subtopics = n_subtopics
        self.mode: Mode = mode
        self.supervision = supervision
        self.loss = loss
        self.init = init
        self.n_new_topics = n_new_topics
        self.background = background
        self.score = score  # pyright: ignore[reportIncompatibleMethodOverride]
        self.solver = solver
        self.dampen = dampen
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @undone_if_it_fails
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, progress: Progress = ignore) -> ThemeNMF:
        """Find the themes.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Counts, sparse or dense.
        y : names, lists of names, or matrix of shape (n_documents, n_labels)
            What is known: None, NaN or -1 for an unlabelled document, an empty list, or a row without a 1. In a matrix
            with any -1, which mark what is unknown, a row of zeros says that no label applies.
        sample_weight : array of shape (n_documents,), optional
            How much each document counts beside the others; of zero, not at all.
        progress : callable
            Told ``("fits", done, total)``.
        """
        self._check_settings()
        X = check_matrix(self, X, reset=True)
        weights = check_sample_weight(sample_weight, X.shape[0])
        labels = self._read_themes(y, X.shape[0])
        weights = np.ones(X.shape[0]) if weights is None else weights
        counting = weights > 0
        labels = self._check_told(labels, counting)
        X, weights = drop_zeros(X if counting.all() else X[counting]), weights[counting] / weights[counting].mean()
        for name in ("stack_", "seen_"):  # of a fit before, for another score
            self.__dict__.pop(name, None)
        if len(labels.names):
            told = weights @ labels.indicator
            self.class_prior_ = told / told.sum()
        self._fit_all(X, labels, weights)
        if self._score == "stack" and len(labels.names):
            self._calibrate(X, labels, weights, progress)
        else:
            progress("fits", 1, 1)
        self.threshold_ = self._find_threshold(X, labels)
        return self

    def _read_themes(self, y: Any, n_documents: int) -> Labels:
        """Return what is told; without any label, new topics alone can be found."""
        y = list(y) if isinstance(y, Iterator) else y
        if self.n_new_topics and (y is None or not read_labels(y, n_documents).indicator.any()):
            labels = read_labels(None, n_documents)
            self.classes_, self.label_kind_, self.class_prior_ = labels.names, "lists", np.zeros(0)
        else:
            labels = self._read_labels(y, n_documents)
        self.themes_ = self.classes_
        return labels

    def _check_told(self, labels: Labels, counts: np.ndarray) -> Labels:
        """Return what is told about the documents that count at all."""
        labels = labels.of(counts)
        if len(labels.names) and not labels.indicator.any():
            raise InputError("every labelled document has a sample weight of zero; give one of them a weight")
        if self.n_new_topics and labels.labelled.all():
            raise InputError(
                "n_new_topics needs unlabelled documents, which alone may use new topics; all are labelled"
            )
        return labels.with_absent_known()

    def _membership(self, labels: Labels, weights: np.ndarray) -> Membership:
        """Return the documents of each theme, before any competition."""
        allowed, counted = labels.indicator, np.where(labels.labelled, weights, 0.0)
        if self.supervision == "semi":
            allowed, counted = labels.allowed, weights
        return Membership(sparse.csr_matrix((allowed * counted[:, None]).T), counted, labels.indicator)

    def _fit_all(self, X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, manner: Manner | None = None) -> None:
        """Fit linear scores, then themes, then themes again while they compete for unlabelled documents."""
        counts, unlabelled = self._dampen(X), np.flatnonzero(~labels.labelled)
        may_be_new = np.where(labels.labelled, 0.0, weights)
        membership = self._membership(labels, weights)
        compete = self.supervision == "competing" and len(unlabelled) > 0 and len(labels.names) > 1
        self.linear_, self.n_iter_ = None, 0
        if compete or (self._score == "stack" and len(labels.names)):
            self._keep_linear(X, labels, weights, manner)
        themes = fit_themes(counts, membership, may_be_new, self._plan())
        self._keep(themes, membership, counts)
        for _ in range(ROUNDS * compete):
            scores = combine(self._evidence(X[unlabelled], counts[unlabelled]), DISTANCE_WEIGHT)
            prior = smoothed_prior(labels.indicator, weights)
            shared = share_out(membership, unlabelled, scores, prior, weights)
            themes = fit_themes(counts, shared, may_be_new, self._plan(going_on=True), themes)
            self._keep(themes, shared, counts)
            self.subtopics_ = self._scale(discount_own_words(self.subtopics_, shared, counts, labels.labelled))

    def _calibrate(self, X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, progress: Progress) -> None:
        """Learn from documents that were held out how much each kind of evidence counts."""
        n_themes = len(labels.names)
        folds = hold_out(labels, self.seed_, most_folds=count_folds(X.shape[0]))
        trials = self._try_out(X, labels, folds, weights, progress)
        weight, scale, bend = USUAL_WEIGHT, USUAL_SCALE, USUAL_BEND if self.label_kind_ == "single" else 1.0
        curves = Curves(USUAL_SLOPE, USUAL_PULL, np.full(n_themes, USUAL_OFFSET))
        confusions = np.zeros((n_themes, n_themes))
        rates, prior = labels.rates(weights), np.log(smoothed_prior(labels.indicator, weights))
        if folds:
            documents = np.concatenate(folds)
            held, unsaid = labels.of(documents), find_silence(self._dampen(X[documents])) * prior
            evidence, truth = trials.held, held.indicator
            # Which counts for more is told by themes and planes that saw the same labels; how sure to be, by planes that
            # saw nearly all.
            weight = choose_weight(evidence, truth)
            evidence[1] = self._cross_fit_planes(X, labels, folds, weights, evidence[1])
            scores = combine(evidence, weight)
            usual = scale * USUAL_WEIGHT / weight
            if self.label_kind_ == "single":
                scale, bend = fit_scale_and_bend(scores, truth, usual, held.known, unsaid)
                confusions = fit_confusions(bend_gaps(scale * scores + unsaid, bend), truth)
            else:
                scale = fit_scale(scores, truth, usual, held.known)
                told = truth.astype(np.float64), held.known.astype(np.float64)
                silent = self._linear().offsets
                known = HeldOut(scale * scores + unsaid, evidence[1], *told)
                curves = fit_curves(known.with_silent(scale * weight * silent + prior, silent, rates))
        self.stack_ = {
            "weight": weight,
            "scale": scale,
            "bend": bend,
            "stretch": fit_stretch(trials.seen, trials.unseen, weight, scale, bend),
            "confusions": confusions,
            "prior": prior,
            "rates": rates,
            "wordless": find_wordless_rates(
                X, labels, weights, rates if self.label_kind_ != "single" else self.class_prior_
            ),
            **asdict(curves),
        }
        self.seen_ = np.unique(find_fingerprints(X)) if self.stack_["stretch"] > 1.0 else np.zeros(0, dtype=np.uint64)

    def _try_out(
        self, X: sparse.csr_matrix, labels: Labels, folds: list[np.ndarray], weights: np.ndarray, progress: Progress
    ) -> Trials:
        """Fit models that have not seen the labels of some documents, nor some unlabelled documents at all."""
        learnt_from = np.flatnonzero(~labels.labelled if self.supervision != "supervised" else [])
        folds = folds or [np.zeros(0, dtype=np.int64)]
        parts = leave_out(learnt_from, len(folds), self.seed_)
        tried = [trial for trial in zip(folds, parts[1:], parts[:-1], strict=True) if any(map(len, trial))]
        progress("fits", 1, 1 + len(tried))
        nothing = np.zeros((2, 0, len(labels.names)))
        found = [[nothing] * 3]
        for documents in tried:
            held, _, unseen = documents
            trial = self._fit_trial(X, labels, held, unseen, weights)
            found.append([trial._even_evidence(X[part]) if len(part) else nothing for part in documents])
            progress("fits", len(found), 1 + len(tried))
        return Trials(*(np.concatenate(kind, axis=1) for kind in zip(*found, strict=True)))

    def _fit_trial(
        self, X: sparse.csr_matrix, labels: Labels, held: np.ndarray, unseen: np.ndarray, weights: np.ndarray
    ) -> ThemeNMF:
        """Return a model that has not seen the labels of some documents, nor others at all."""
        trial = clone(self).set_params(n_new_topics=0)
        trial.seed_ = self.seed_
        if labels.labelled.all():  # then no trial may learn from the words of unlabelled documents, either
            unseen = held
        rest = np.setdiff1d(np.arange(X.shape[0]), unseen)
        trial._fit_all(X[rest], labels.without(held).of(rest), weights[rest], self._manner)
        return trial

    def _cross_fit_planes(
        self, X: sparse.csr_matrix, labels: Labels, folds: list[np.ndarray], weights: np.ndarray, distances: np.ndarray
    ) -> np.ndarray:
        """Return distances from planes that nearly all labelled documents teach, as they teach those of the model."""
        told = np.flatnonzero(labels.labelled)
        parts = split_finely(folds, len(told))
        if len(parts) == len(folds):
            return distances
        places = [np.searchsorted(told, part) for part in parts]
        labels = labels.of(told)
        return cross_fit(X[told], labels.indicator, weights[told], places, known=labels.known, manner=self._manner)

    def _find_threshold(self, X: sparse.csr_matrix, labels: Labels) -> float:
        """Return the share from which on a theme applies to the labelled documents; one half where nothing reads it."""
        told = labels.labelled
        if self._score == "stack" or self.label_kind_ == "single" or not told.any():
            return 0.5
        return best_threshold(self._shares(X[told]), labels.of(told))

    def _plan(self, *, going_on: bool = False) -> Plan:
        return Plan(
            self.mode,
            self.loss,
            self.n_subtopics,
            self.n_new_topics,
            self.background,
            self.init,
            Descent(
                self.solver == "cd", min(self.max_iter, ITERATIONS_A_ROUND) if going_on else self.max_iter, self.tol
            ),
            self.seed_,
        )

    def _keep_linear(
        self, X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, manner: Manner | None = None
    ) -> None:
        """Fit planes; held-out documents choose how, unless it is given."""
        told = labels.labelled
        X, labels, weights = X[told], labels.of(told), weights[told]
        self._manner = choose_manner(X, labels, weights, self.seed_) if manner is None else manner
        linear = fit_linear(X, labels.indicator, weights, known=labels.known, manner=self._manner)
        self.linear_ = {"idf": linear.idf, "planes": linear.planes, "offsets": linear.offsets}

    def _scale(self, topics: np.ndarray) -> np.ndarray:
        """Return topics that sum to one, unless they are to be scaled as the fit left them."""
        return topics if self._score == "thesis" else normalise_rows(topics)

    def _keep(self, themes: Themes, membership: Membership, counts: sparse.csr_matrix) -> None:
        """Remember themes."""
        self.subtopics_, self.new_topics_ = self._scale(themes.subtopics), self._scale(themes.new_topics)
        self.background_ = None if themes.background is None else self._scale(themes.background)
        self.new_background_ = None if themes.new_background is None else self._scale(themes.new_background)
        self.objective_paths_ = themes.paths
        self.n_iter_ += max(len(path) - 1 for path in themes.paths)
        shares = membership.weights @ counts + _TINY
        self.term_shares_ = shares / shares.sum()
        self.smoothing_ = unseen_shares(sparse.csr_matrix(membership.members @ counts))

    def _check_settings(self) -> None:
        check_whole("n_subtopics", self.n_subtopics)
        check_whole("n_new_topics", self.n_new_topics, least=0)
        check_whole("max_iter", self.max_iter)
        check_number("tol", self.tol)
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        if self.mode == "separated" and not self.background:
            raise InputError(
                "separated themes are told apart by their backgrounds; use background=True, or mode='combined'"
            )
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
