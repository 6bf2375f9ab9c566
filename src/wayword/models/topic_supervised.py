"""Topic-supervised factorisation: a labelled document may use only the topics of its labels.

MacMillan and Wilson's TS-NMF: minimise  sum_d e_d D(x_d, (w_d o s_d) H),  where s_d allows a labelled document its
labels' topics and an unlabelled one all, and e_d weighs labelled documents more where there are few of them. (The
paper writes the squared distance with E inside the norm; its updates 16 and 17 minimise it with E outside, as here.)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.kernels.factor import Limits
from wayword.models.alternate import Callback, Loss, Problem, factorize
from wayword.models.folding import fold_in
from wayword.models.inputs import (
    check_choice,
    check_matrix,
    check_number,
    check_sample_weight,
    check_whole,
    undone_if_it_fails,
)
from wayword.models.labelled import LabelledTopicModel
from wayword.models.labels import Labels, best_threshold
from wayword.models.nmf import check_settings, penalty, unit_topics
from wayword.models.start import start_from_documents, start_from_labels

STARTS = ("labels", "acol")
_SMALL_STEPS = 20


def label_weights(labels: Labels, rule: str | float | None, weights: np.ndarray | None) -> np.ndarray:
    """Return how much each document counts: labelled ones by the rule, times the weights given."""
    counts = np.ones(len(labels.known)) if weights is None else weights
    if rule is None:
        return counts
    labelled = counts[labels.labelled].sum()
    if rule == "inverse" and labelled == 0:
        raise InputError("every labelled document has a sample weight of zero; give some of them weight")
    factor = counts.sum() / labelled if rule == "inverse" else float(rule)
    weights = np.where(labels.labelled, factor * counts, counts)
    if not weights.any():
        raise InputError("no document counts: all are labelled, and label_weight is zero")
    return weights


def allowed_topics(labels: Labels, n_topics: int) -> np.ndarray:
    """Return which topics each document may use: those of its labels, and those that have no label."""
    unnamed = np.ones((len(labels.known), n_topics - len(labels.names)), dtype=bool)
    return np.hstack([labels.allowed, unnamed])


def topic_names(names: np.ndarray, n_topics: int) -> list[str]:
    """Return a name for each topic: its label, or for those without one a number."""
    taken = [str(name) for name in names]
    further = (name for name in (f"topic {k}" for k in count(1)) if name not in taken)
    return taken + list(islice(further, n_topics - len(names)))


class TopicSupervisedNMF(LabelledTopicModel):
    """Factorisation in which a labelled document may use only its labels' topics.

    Unlabelled documents may use any topic, and so tell more about the words of all. If there are more topics than
    labels, the further ones are open to every document.

    Parameters
    ----------
    n_components : int, optional
        How many topics; by default one for each label.
    loss : {"frobenius", "kl"}
        Squared distance, as used with tf-idf; or Kullback-Leibler divergence, made for counts.
    label_weight : "inverse", float or None
        How many times an unlabelled document a labelled one counts: the number of documents over the number of
        labelled ones, so many times, or the same.
    solver : {"cd", "mu"}
        Coordinate descent with extrapolation, or the multiplicative updates of the paper.
    init : {"labels", "acol"}
        Each topic starts from the mean of its label's documents, or as in the paper from that of random documents.
    max_iter, tol, alpha_W, alpha_H, l1_ratio, random_state, callback
        As for `NMF`.

    Attributes
    ----------
    classes_ : array of shape (n_labels,)
        The labels, in the order of the first topics and of `predict_proba`.
    topic_names_ : list of str
        A name for each topic.
    components_ : array of shape (n_components, n_terms)
        The topics.
    document_weights_ : array of shape (n_documents, n_components)
        Weights of the documents of `fit`, zero where a label forbids a topic; `transform` knows no labels.
    threshold_ : float
        The share of a document from which on `predict` takes a label to apply, where there may be several.
    reconstruction_err_, objective_path_, n_iter_, converged_
        As for `NMF`; documents are weighted.

    Examples
    --------
    >>> from wayword import TopicSupervisedNMF
    >>> X = [[4, 2, 0, 0], [2, 1, 0, 0], [0, 0, 3, 3], [0, 0, 1, 2]]
    >>> model = TopicSupervisedNMF().fit(X, ["fruit", None, "ships", None])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).tolist()
    ['fruit', 'ships']
    >>> model.components_.round(2)
    array([[0.67, 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.48, 0.52]])
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        loss: Loss = "frobenius",
        label_weight: Literal["inverse"] | float | None = "inverse",
        solver: Literal["cd", "mu"] = "cd",
        init: Literal["labels", "acol"] = "labels",
        max_iter: int = 200,
        tol: float = 1e-4,
        alpha_W: float = 0.0,
        alpha_H: float = 0.0,
        l1_ratio: float = 0.0,
        random_state: Any = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.label_weight = label_weight
        self.solver = solver
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.random_state = random_state
        self.callback = callback

    @undone_if_it_fails
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TopicSupervisedNMF:
        """Find the topics of labels.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Non-negative; sparse or dense.
        y : names, lists of names, or matrix of shape (n_documents, n_labels)
            What is known: None, NaN or -1 for an unlabelled document, an empty list, or a row without a 1.
        sample_weight : array of shape (n_documents,), optional
            How much each document counts, on top of `label_weight`.
        """
        self._check_settings()
        X = check_matrix(self, X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        if self.n_components is not None and self.n_components < len(labels.names):
            raise InputError(
                f"n_components must be at least the number of labels, {len(labels.names)}, got {self.n_components}"
            )
        weights = label_weights(labels, self.label_weight, check_sample_weight(sample_weight, X.shape[0]))
        mask = allowed_topics(labels, self.n_components or len(labels.names))
        limits_W = penalty(self.alpha_W, self.l1_ratio)._replace(mask=mask)
        problem = Problem.of(
            X,
            loss=self.loss,
            newton=self.solver == "cd",
            weights=weights,
            limits_W=limits_W,
            limits_H=penalty(self.alpha_H, self.l1_ratio),
        )
        W, H = self._start(X, labels, weights, limits_W)
        if self.init == "acol" and problem.newton:
            # Means of random documents are much alike; small steps let them part before large ones settle.
            found = factorize(replace(problem, newton=False), W, H, max_iter=_SMALL_STEPS, tol=0.0, extrapolate=False)
            W, H = found.W, found.H
        found = factorize(
            problem,
            W,
            H,
            max_iter=self.max_iter,
            tol=self.tol,
            extrapolate=self.solver == "cd",
            callback=self.callback,
        )
        self._record(found)
        H = found.H if self.alpha_W or self.alpha_H else unit_topics(found.H)
        self.components_ = np.ascontiguousarray(H.T)
        self.n_components_ = len(self.components_)
        self.topic_names_ = topic_names(labels.names, self.n_components_)
        self.document_weights_ = fold_in(X, self.components_, self.loss, limits_W)
        loss = problem.objective(self.document_weights_, H) - problem.penalty(self.document_weights_, H)
        self.reconstruction_err_ = float(np.sqrt(max(0.0, 2.0 * loss)))
        self.threshold_ = best_threshold(self._shares(X), labels)
        return self

    def _start(
        self, X: sparse.csr_matrix, labels: Labels, weights: np.ndarray, limits: Limits
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return weights and topics to start from; multiplicative steps need weights above zero."""
        rng = check_random_state(self.random_state)
        n_topics = limits.mask.shape[1]
        W, H = start_from_documents(X, n_topics, rng)
        if self.init == "labels":
            told = np.flatnonzero(labels.indicator.any(axis=0))
            H[told] = start_from_labels(X, labels.indicator[:, told], weights)
        if self.solver == "cd" and self.init == "labels":
            W = fold_in(X, H, self.loss, limits)
        return W.astype(X.dtype), np.ascontiguousarray(H.T, dtype=X.dtype)

    def _fold(self, X: sparse.csr_matrix) -> np.ndarray:
        return fold_in(X, self.components_, self.loss, penalty(self.alpha_W, self.l1_ratio))

    def _shares(self, X: sparse.csr_matrix) -> np.ndarray:
        explained = self._fold(X).astype(np.float64) * self.components_.sum(axis=1)
        if self.label_kind_ == "single":
            explained = explained[:, : len(self.classes_)]
        return self._shares_of(explained)[:, : len(self.classes_)]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the topics."""
        del input_features
        check_is_fitted(self)
        return np.array(self.topic_names_, dtype=object)

    def _check_settings(self) -> None:
        if self.n_components is not None:
            check_whole("n_components", self.n_components)
        check_settings(self)
        check_choice("init", self.init, STARTS)
        if self.label_weight is not None and self.label_weight != "inverse":
            check_number("label_weight", self.label_weight)
