"""Semi-supervised factorisation: topics that explain the terms and the labels together.

Lee, Yoo and Choi's model: minimise  D(X, W H) + strength D'(Y, W B)  over what is known of the labels Y, where B says
how much each topic speaks for each label. Either loss may be the squared distance or the divergence, so the weights
of a document answer to two matrices at once; documents of which the same labels are known share that problem, and are
kept together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.kernels.factor import Quadratic, sum_kl_rows, update_square_rows
from wayword.models.alternate import (
    SQUARE_SETTLED,
    SQUARE_SWEEPS,
    Callback,
    Loss,
    Problem,
    Side,
    entropy_constant,
    factorize,
    gram_of,
    sums_of,
    transpose,
)
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
from wayword.models.nmf import LOSSES, SOLVERS
from wayword.models.start import STARTS, make_start

_TINY = np.finfo(np.float64).tiny
# What every topic says about every label at first, as a share of the mean.
_FLOOR = 1e-2
# Iterations after which a start has shown what it is worth.
_TRIAL = 20
# How much lower its objective must then be, so that rounding does not choose.
_CLEARLY = 1e-3


@dataclass(frozen=True, slots=True)
class _Rows:
    """The problem of the weights of some documents: a divergence with a quadratic beside it, or a quadratic alone."""

    side: Side
    other: np.ndarray
    sums: np.ndarray
    quadratic: Quadratic
    newton: bool
    is_quadratic: bool

    def update(self, W: np.ndarray) -> None:
        """Improve the weights in place."""
        if not self.is_quadratic:
            self.side.update_kl(W, self.other, self.sums, quadratic=self.quadratic, newton=self.newton)
            return
        sweeps = SQUARE_SWEEPS if self.newton else 1
        products, gram = self.quadratic
        rest = (products, gram, self.side.limits, self.newton, sweeps, SQUARE_SETTLED, W)
        self.side.each_piece(lambda piece: update_square_rows(*piece, *rest))

    def residual(self, W: np.ndarray, weights: np.ndarray | None) -> float:
        """Return the mass that a step would move, each document times its weight."""
        if self.is_quadratic:
            return self.side.residual_squares(W, self.quadratic, self.sums, weights=weights)
        return self.side.residual_kl(W, self.other, self.sums, quadratic=self.quadratic, weights=weights)


@dataclass(frozen=True, slots=True)
class _Group:
    """Documents of which the same labels are known: their rows, and these labels."""

    rows: slice
    known: np.ndarray
    data: Side
    labels: Side
    both: Side


def _sort_by_known(known: np.ndarray) -> tuple[np.ndarray, list[slice]]:
    """Return an order of documents, and the slices of it in which the same labels are known."""
    _, kinds = np.unique(known, axis=0, return_inverse=True)
    kinds = kinds.ravel()
    order = np.argsort(kinds, kind="stable")
    borders = np.flatnonzero(np.diff(kinds[order])) + 1
    starts, ends = [0, *borders.tolist()], [*borders.tolist(), len(order)]
    return order, [slice(start, end) for start, end in zip(starts, ends, strict=True)]


class _Joint:
    """Terms and labels, factorised together; the topics are followed by B: (n_terms + n_labels, n_topics)."""

    def __init__(
        self,
        X: sparse.csr_matrix,
        labels: Labels,
        *,
        losses: tuple[Loss, Loss],
        strength: float,
        newton: bool,
        weights: np.ndarray | None,
    ) -> None:
        self.order, slices = _sort_by_known(labels.known)
        X = X[self.order]
        weights = None if weights is None else weights[self.order]
        Y = sparse.csr_matrix(labels.indicator[self.order] & labels.known[self.order], dtype=X.dtype)
        self.known = labels.known[self.order].astype(np.float64)
        self.counts = self.known if weights is None else self.known * weights[:, None]
        self.data_loss, self.label_loss = losses
        self.strength, self.newton, self.n_terms = strength, newton, X.shape[1]
        self.data = Problem.of(X, loss=losses[0], newton=newton, weights=weights)
        self.label_documents = Side.of(Y)
        self.groups = [self._group(X, Y, rows) for rows in slices]
        self.label_sides = self._sides_of_labels(transpose(Y, weights))
        if losses[1] == "kl":
            self.label_constant = entropy_constant(Y, weights)
        else:  # half the sum of squares, and the entries are one
            self.label_constant = 0.5 * float(Y.multiply(self.counts).sum())

    def _group(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, rows: slice) -> _Group:
        known = self.known[rows.start] > 0
        both = sparse.csr_matrix(sparse.hstack([X[rows], self.strength * Y[rows]]), dtype=X.dtype)
        return _Group(rows, known, Side.of(X[rows]), Side.of(Y[rows] * self.strength), Side.of(both))

    def _sides_of_labels(self, Y: sparse.csr_matrix) -> list[tuple[np.ndarray, Side, np.ndarray]]:
        """Return labels of which the same documents are known, their rows of Y, and what these documents count."""
        _, first, kinds = np.unique(self.counts, axis=1, return_index=True, return_inverse=True)
        members = [np.flatnonzero(kinds.ravel() == kind) for kind in range(len(first))]
        return [(labels, Side.of(Y[labels]), self.counts[:, labels[0]]) for labels in members]

    def _split(self, topics: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ascontiguousarray(topics[: self.n_terms]), np.ascontiguousarray(topics[self.n_terms :])

    def _rows(self, group: _Group, topics: np.ndarray) -> _Rows:
        """Return the problem of the weights of a group."""
        H, B = self._split(topics)
        told = B[group.known]
        rows = partial(_Rows, newton=self.newton)
        no_quadratic = Quadratic()
        if self.data_loss == "kl" and (self.label_loss == "kl" or not group.known.any()):
            sums = sums_of(H) + self.strength * sums_of(told)
            return rows(group.both, topics, sums, no_quadratic, is_quadratic=False)
        if self.data_loss == "kl":
            quadratic = Quadratic(group.labels.multiply(B), self.strength * gram_of(told))
            return rows(group.data, H, sums_of(H), quadratic, is_quadratic=False)
        products, gram = group.data.multiply(H), gram_of(H)
        if self.label_loss == "kl" and group.known.any():
            sums = self.strength * sums_of(told)
            return rows(group.labels, B, sums, Quadratic(products, gram), is_quadratic=False)
        products += group.labels.multiply(B)
        quadratic = Quadratic(products, gram + self.strength * gram_of(told))
        return rows(group.data, H, sums_of(H), quadratic, is_quadratic=True)

    def admit(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the start: nothing is forbidden."""
        return W, H

    def improve_weights(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better document weights."""
        better = W.copy()
        for group in self.groups:
            self._rows(group, H).update(better[group.rows])
        return better

    def improve_topics(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Return better topics and class weights."""
        topics, B = self._split(H)
        B = B.copy()
        for labels, side, counts in self.label_sides:
            better = B[labels]
            if self.label_loss == "kl":
                side.update_kl(better, W, sums_of(W, counts), newton=self.newton)
            else:
                side.update_squares(better, W, gram_of(W, counts), newton=self.newton)
            B[labels] = better
        return np.vstack([self.data.improve_topics(W, topics), B])

    def objective(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return the loss of the terms plus the strength times that of the known labels."""
        topics, B = self._split(H)
        return self.data.objective(W, topics) + self.strength * self._label_loss(W, B)

    def _label_loss(self, W: np.ndarray, B: np.ndarray) -> float:
        total = self.label_constant
        weights = self.data.weights
        if self.label_loss == "kl":
            rest = (B, np.zeros(B.shape[1]), np.ones(len(W)) if weights is None else weights, W)
            side = self.label_documents
            total += side.each_piece(lambda piece: sum_kl_rows(*piece, *side.arrays(), *rest))
            return total + float(np.vdot(B, self.counts.T @ W))
        fit = W if weights is None else weights[:, None] * W
        total -= float(np.vdot(fit, self.label_documents.multiply(B)))
        for labels, _, counts in self.label_sides:
            total += 0.5 * float(np.vdot(gram_of(W, counts), gram_of(B[labels])))
        return total

    def residual(self, W: np.ndarray, H: np.ndarray) -> float:
        """Return the share of the model that a step of all weights, or of all topics, would move."""
        topics, _ = self._split(H)
        weights = self.data.weights
        moved = sum(
            self._rows(group, H).residual(W[group.rows], None if weights is None else weights[group.rows])
            for group in self.groups
        )
        mass = max(float(sums_of(topics) @ sums_of(W, weights)), _TINY)
        return max(moved / mass, self.data.residual_of_topics(W, topics))


class SemiSupervisedNMF(LabelledTopicModel):
    """Factorisation of terms and labels together, with labels missing.

    Minimises  D(X, W H) + label_strength D'(Y, W B)  over the documents whose labels are known: topics are those that
    explain terms and labels alike. Unlike in `TopicSupervisedNMF` no topic belongs to a label; `class_weights_` says
    how much each topic speaks for each.

    Parameters
    ----------
    n_components : int
        How many topics.
    label_strength : "balanced" or float
        How much the labels count against the terms: the factor of their loss, or as much as makes both matrices
        weigh the same.
    loss : {"frobenius", "kl"}
        Squared distance or Kullback-Leibler divergence of the terms.
    label_loss : {"frobenius", "kl"}
        The same of the labels.
    solver : {"cd", "mu"}
        Coordinate descent with extrapolation, or multiplicative updates.
    init : {"nndsvda", "random", "acol"}
        Where to start; see `NMF`.
    max_iter, tol, random_state, callback
        As for `NMF`.

    Attributes
    ----------
    classes_ : array of shape (n_labels,)
        The labels, in the order of `class_weights_` and of `predict_proba`.
    components_ : array of shape (n_components, n_terms)
        The topics; each sums to one.
    class_weights_ : array of shape (n_labels, n_components)
        How much each topic speaks for each label (B).
    topic_importance_ : array of shape (n_components,)
        Share of each topic in all class weights: how much it says about labels at all.
    document_weights_ : array of shape (n_documents, n_components)
        Weights of the documents of `fit`, with what their labels say; `transform` knows no labels.
    label_strength_ : float
        The factor of the loss of the labels.
    threshold_ : float
        The share from which on `predict` takes a label to apply, where there may be several.
    objective_path_, reconstruction_err_, n_iter_, converged_
        As for `NMF`; the error is that of the terms.

    Examples
    --------
    >>> from wayword import SemiSupervisedNMF
    >>> X = [[4, 2, 0, 0], [2, 1, 0, 0], [0, 0, 3, 3], [0, 0, 1, 2]]
    >>> model = SemiSupervisedNMF(2).fit(X, ["fruit", None, "ships", None])
    >>> model.predict([[1, 0, 0, 0], [0, 0, 0, 1]]).tolist()
    ['fruit', 'ships']
    >>> model.topic_importance_.round(2)
    array([0.5, 0.5])
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        label_strength: Literal["balanced"] | float = "balanced",
        loss: Loss = "frobenius",
        label_loss: Loss = "frobenius",
        solver: Literal["cd", "mu"] = "cd",
        init: Literal["nndsvda", "random", "acol"] = "nndsvda",
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.label_strength = label_strength
        self.loss = loss
        self.label_loss: Loss = label_loss
        self.solver = solver
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback

    @undone_if_it_fails
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SemiSupervisedNMF:
        """Find topics that explain terms and labels.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Non-negative; sparse or dense.
        y : names, lists of names, or matrix of shape (n_documents, n_labels)
            What is known: None, NaN or -1 for an unlabelled document, an empty list, or a row without a 1; single
            entries of a matrix may be -1 or NaN, too, and then a row of zeros says that no label applies.
        sample_weight : array of shape (n_documents,), optional
            How much each document counts.
        """
        self._check_settings()
        X = check_matrix(self, X, reset=True)
        labels = self._read_labels(y, X.shape[0])
        weights = check_sample_weight(sample_weight, X.shape[0])
        self.label_strength_ = self._find_strength(X, labels, weights)
        joint = _Joint(
            X,
            labels,
            losses=(self.loss, self.label_loss),
            strength=self.label_strength_,
            newton=self.solver == "cd",
            weights=weights,
        )
        found = factorize(
            joint,
            *self._start(X, joint, weights),
            max_iter=self.max_iter,
            tol=self.tol,
            extrapolate=self.solver == "cd",
            callback=self.callback,
        )
        self._record(found)
        self._store(X, joint, labels, found.W, found.H)
        return self

    def _find_strength(self, X: sparse.csr_matrix, labels: Labels, weights: np.ndarray | None) -> float:
        """Return the factor that makes the known labels weigh as much as the terms."""
        if self.label_strength != "balanced":
            return float(self.label_strength)
        counts = np.ones(X.shape[0]) if weights is None else weights
        squares = self.loss == "frobenius"
        of_terms = counts @ np.asarray((X.multiply(X) if squares else X).sum(axis=1), dtype=np.float64).ravel()
        of_labels = counts @ (labels.indicator & labels.known).sum(axis=1)
        return float(of_terms / of_labels) if of_labels else 0.0

    def _start(self, X: sparse.csr_matrix, joint: _Joint, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return weights in the order of the joint problem, and topics followed by class weights.

        Class weights from raw topics can tie labels to the wrong ones for good; from topics that have settled, they
        can miss labels that cut across them. So both are tried for a few iterations.
        """
        rng = check_random_state(self.random_state)
        W, H = make_start(X, self.n_components, self.init, rng, weights=weights)
        W, H = W[joint.order], np.ascontiguousarray(H.T)
        if joint.strength == 0.0:
            return self._add_classes(joint, W, H)
        trial = {"max_iter": min(_TRIAL, self.max_iter), "tol": 0.0}
        alone = factorize(joint.data, W, H, **trial)
        starts = [self._add_classes(joint, W, H), self._add_classes(joint, alone.W, alone.H)]
        raw, settled = (factorize(joint, *start, **trial).path[-1] for start in starts)
        return starts[int(settled < (1.0 - _CLEARLY) * raw)]

    def _add_classes(self, joint: _Joint, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a start with class weights that follow from the weights of the labelled documents."""
        counts = joint.data.weights
        told = joint.label_documents.matrix.T @ (W if counts is None else counts[:, None] * W)
        B = np.asarray(told) / np.maximum(sums_of(W, counts), _TINY)
        B = B + _FLOOR * B.mean() + _TINY
        return W, np.vstack([H, B.astype(H.dtype)])

    def _store(self, X: sparse.csr_matrix, joint: _Joint, labels: Labels, W: np.ndarray, topics: np.ndarray) -> None:
        """Scale topics to sum to one, put documents back in order, and keep what was found."""
        H, B = topics[: X.shape[1]], topics[X.shape[1] :]
        sums = sums_of(H)
        scale = np.where(sums > 0, sums, 1.0).astype(X.dtype)
        loss = joint.data.objective(W, np.ascontiguousarray(H))
        self.reconstruction_err_ = float(np.sqrt(max(0.0, 2.0 * loss)))
        self.components_ = np.ascontiguousarray((H / scale).T)
        self.n_components_ = len(self.components_)
        self.class_weights_ = np.ascontiguousarray(B / scale)
        self.document_weights_ = np.empty_like(W)
        self.document_weights_[joint.order] = W * scale
        total = self.class_weights_.sum(dtype=np.float64)
        self.topic_importance_ = self.class_weights_.sum(axis=0, dtype=np.float64) / max(float(total), _TINY)
        self.threshold_ = best_threshold(self._shares(X), labels)

    def _shares(self, X: sparse.csr_matrix) -> np.ndarray:
        W = self._fold(X).astype(np.float64)
        return self._shares_of(W @ self.class_weights_.T)

    def _check_settings(self) -> None:
        check_whole("n_components", self.n_components)
        check_choice("loss", self.loss, LOSSES)
        check_choice("label_loss", self.label_loss, LOSSES)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("init", self.init, [start for start in STARTS if start != "custom"])
        check_whole("max_iter", self.max_iter)
        check_number("tol", self.tol)
        if self.label_strength != "balanced":
            check_number("label_strength", self.label_strength)
