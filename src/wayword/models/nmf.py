"""Non-negative matrix factorisation: documents as mixtures of topics, nobody has labelled anything."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.kernels.factor import Limits, update_square_rows
from wayword.models.alternate import Callback, Factors, Loss, Problem, Side, factorize, gram_of, sums_of, transpose
from wayword.models.base import TopicModel
from wayword.models.folding import fold_in
from wayword.models.heldout import completion_score
from wayword.models.inputs import (
    check_choice,
    check_matrix,
    check_number,
    check_sample_weight,
    check_whole,
    undone_if_it_fails,
)
from wayword.models.start import STARTS, make_start

LOSSES = ("kl", "frobenius")
SOLVERS = ("cd", "mu")
_ONLINE_SWEEPS = 20
# Under squares, large steps from the start lead to other optima than small ones do, often slightly higher ones: begin
# with plain steps of one sweep each, and dare more once the way is clear.
_PLAIN_STEPS, _PLAIN_SWEEPS = 20, 1


def penalty(alpha: float, l1_ratio: float) -> Limits:
    """Return an elastic net: a share of `alpha` on the sum of weights, the rest on half the sum of their squares."""
    return Limits(l1=float(alpha * l1_ratio), l2=float(alpha * (1.0 - l1_ratio)))


def check_settings(model: Any) -> None:
    """Raise unless the settings that factorisations share are right."""
    check_choice("loss", model.loss, LOSSES)
    check_choice("solver", model.solver, SOLVERS)
    check_whole("max_iter", model.max_iter)
    check_number("tol", model.tol)
    for name in ("alpha_W", "alpha_H"):
        check_number(name, getattr(model, name))
    check_number("l1_ratio", model.l1_ratio, most=1.0)


def unit_topics(H: np.ndarray) -> np.ndarray:
    """Return topics, columns of H, that sum to one, so that weights count what each explains."""
    sums = sums_of(H)
    return H / np.where(sums > 0, sums, 1.0).astype(H.dtype)


class NMF(TopicModel):
    """Non-negative matrix factorisation of documents by terms, X ~ W H.

    Minimises the generalised Kullback-Leibler divergence or half the squared distance of X and W H, plus an elastic
    net on either factor,  alpha (l1_ratio sum(F) + (1 - l1_ratio) sum(F^2) / 2).  Without penalties the topics are
    scaled to sum to one, so that with the divergence the weights of a document count its tokens.

    Parameters
    ----------
    n_components : int
        How many topics.
    loss : {"kl", "frobenius"}
        Kullback-Leibler divergence, made for counts; or squared distance, as used with tf-idf.
    solver : {"cd", "mu"}
        Coordinate descent with extrapolation, or the slower multiplicative updates of the literature.
    init : {"nndsvda", "random", "acol", "custom"}
        Where to start: singular vectors, at random, means of random documents, or the W and H given to `fit`.
    max_iter : int
        Most iterations.
    tol : float
        Settled when an iteration lowers the objective by less than this share of what all have lowered it by, and
        a step would move less than the square root of this share of the model.
    alpha_W, alpha_H : float
        Strength of the penalties on document weights and on topics; unlike in scikit-learn, not scaled by the shape.
    l1_ratio : float
        Share of the penalty on the sum of weights; the rest is on their squares.
    forget_factor : float
        What `partial_fit` keeps of its memory with each batch; 1 forgets nothing.
    random_state : int, RandomState or None
        Seed. The same seed gives the same bits; None draws another each time.
    callback : callable, optional
        Called with the iteration and the objective after each iteration; returns True to stop.

    Attributes
    ----------
    components_ : array of shape (n_components, n_terms)
        The topics.
    n_components_ : int
        How many topics.
    reconstruction_err_ : float
        Square root of twice the loss between X and W H, as in scikit-learn. This, the next and `converged_` are
        those of the last `fit`, and not there without one.
    objective_path_ : array
        The objective, penalties included, at the start and after each iteration; it never rises.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        Whether it settled before the iterations ran out.
    mass_ : array of shape (n_components,) or (n_components, n_components)
        What `partial_fit` remembers of the weights of past documents: their sums, or their products.
    products_ : array of shape (n_components, n_terms), or None
        What it remembers of weights times terms, for squares only.

    Examples
    --------
    >>> from wayword import NMF
    >>> model = NMF(2).fit([[3, 1, 0, 0], [6, 2, 0, 0], [0, 0, 2, 2]])
    >>> model.components_.round(2)
    array([[0.  , 0.  , 0.5 , 0.5 ],
           [0.75, 0.25, 0.  , 0.  ]])
    >>> model.transform([[0, 0, 1, 1], [3, 1, 5, 5]]).round(2)
    array([[ 2.,  0.],
           [10.,  4.]])
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        loss: Loss = "kl",
        solver: Literal["cd", "mu"] = "cd",
        init: Literal["nndsvda", "random", "acol", "custom"] = "nndsvda",
        max_iter: int = 200,
        tol: float = 1e-4,
        alpha_W: float = 0.0,
        alpha_H: float = 0.0,
        l1_ratio: float = 0.0,
        forget_factor: float = 0.9,
        random_state: Any = 0,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.solver = solver
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.forget_factor = forget_factor
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, W: Any = None, H: Any = None) -> NMF:
        """Find topics.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Non-negative; sparse or dense.
        y : None
            Not used.
        sample_weight : array of shape (n_documents,), optional
            How much each document counts; 2 is like the document twice.
        W, H : arrays of shapes (n_documents, n_components) and (n_components, n_terms), optional
            The start for ``init="custom"``.
        """
        self.fit_transform(X, y, sample_weight=sample_weight, W=W, H=H)
        return self

    @undone_if_it_fails
    def fit_transform(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, W: Any = None, H: Any = None
    ) -> np.ndarray:
        """Find topics and return the weights of the documents; see `fit`."""
        del y
        self._check_settings()
        X = check_matrix(self, X, reset=True)
        weights = check_sample_weight(sample_weight, X.shape[0])
        rng = check_random_state(self.random_state)
        start = list(make_start(X, self.n_components, self.init, rng, weights=weights, W=W, H=H))
        limits = penalty(self.alpha_W, self.l1_ratio), penalty(self.alpha_H, self.l1_ratio)
        newton = self.solver == "cd"
        problem = Problem.of(
            X,
            loss=self.loss,
            newton=newton,
            weights=weights,
            limits_W=limits[0],
            limits_H=limits[1],
            sweeps=_PLAIN_SWEEPS,
        )
        found = factorize(
            problem,
            # Popped, so that the start is gone when the first iteration is done.
            start.pop(0),
            np.ascontiguousarray(start.pop(0).T),
            max_iter=self.max_iter,
            tol=self.tol,
            extrapolate=newton,
            plain_steps=_PLAIN_STEPS if self.loss == "frobenius" else 0,
            callback=self.callback,
        )
        return self._store(X, problem, found)

    def _store(self, X: sparse.csr_matrix, problem: Problem, found: Factors) -> np.ndarray:
        H = found.H if self.alpha_W or self.alpha_H else unit_topics(found.H)
        self.components_ = np.ascontiguousarray(H.T)
        self.n_components_ = len(self.components_)
        self._record(found)
        W = self._fold(X)
        loss = problem.objective(W, H) - problem.penalty(W, H)
        self.reconstruction_err_ = float(np.sqrt(max(0.0, 2.0 * loss)))
        self.mass_ = self._mass(W, problem.weights)
        self.products_ = np.ascontiguousarray(problem.terms.multiply(W).T) if self.loss == "frobenius" else None
        return W

    def _fold(self, X: sparse.csr_matrix) -> np.ndarray:
        return fold_in(X, self.components_, self.loss, penalty(self.alpha_W, self.l1_ratio))

    def partial_fit(self, X: Any, y: Any = None, *, W: Any = None, H: Any = None) -> NMF:
        """Learn from a batch of documents, remembering those before.

        Each call folds the batch in, adds what its documents ask of the topics to a memory that fades by
        `forget_factor`, and moves the topics to fit it. The first call starts from the batch; after `fit`, it goes on
        from there.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
        y : None
            Not used.
        W, H : arrays, optional
            The start for ``init="custom"``, on the first call only.
        """
        del y
        self._check_settings()
        first = not hasattr(self, "components_")
        X = check_matrix(self, X, reset=first)
        if not first:
            self._check_memory()
        else:
            _, H = make_start(X, self.n_components, self.init, check_random_state(self.random_state), W=W, H=H)
            self.components_ = np.ascontiguousarray(unit_topics(H.T).T)
            self.n_components_ = self.n_components
            squares = self.loss == "frobenius"
            self.mass_ = np.zeros((self.n_components,) * (2 if squares else 1))
            self.products_, self.n_iter_ = None, 0
        self._learn(X)
        self.n_iter_ += 1
        return self

    def _check_memory(self) -> None:
        """Raise unless the settings are those that the memory was made with."""
        squares = np.ndim(self.mass_) == 2
        if squares != (self.loss == "frobenius") or len(self.components_) != self.n_components:
            raise InputError("loss and n_components must stay as they were; clone the model to start anew")

    def _learn(self, X: sparse.csr_matrix) -> None:
        """Move the topics towards what a batch asks for."""
        W, H = self._fold(X), np.ascontiguousarray(self.components_.T)
        terms, limits = Side.of(transpose(X)), penalty(self.alpha_H, self.l1_ratio)
        kept = self.forget_factor * self.mass_
        self.mass_ = kept + self._mass(W)
        if self.loss == "frobenius":
            products = np.ascontiguousarray(terms.multiply(W))
            if self.products_ is not None:
                products += self.forget_factor * self.products_.T
            self.products_ = np.ascontiguousarray(products.T)
            update_square_rows(0, len(H), products, self.mass_, limits, True, _ONLINE_SWEEPS, 0.0, H)
        else:
            remembered = H * kept
            asked = H.copy()
            terms.update_kl(asked, W, sums_of(W), newton=False)
            cost = self.mass_ + limits.l1
            gain = remembered + asked * sums_of(W)
            # The positive root of l2 h^2 + cost h - gain; a topic that no document has used yet stays as it is.
            roots = np.sqrt(cost**2 + 4.0 * limits.l2 * gain)
            H = np.divide(2.0 * gain, roots + cost, out=H.astype(np.float64), where=np.broadcast_to(cost > 0, H.shape))
        self.components_ = np.ascontiguousarray(H.T, dtype=self.components_.dtype)

    def _mass(self, W: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        return sums_of(W, weights) if self.loss == "kl" else gram_of(W, weights)

    def score(self, X: Any, y: Any = None) -> float:
        """Return how well the topics predict half of each document from the other half; higher is better.

        For the divergence the mean log probability of a token, for squares the share of the sum of squares that is
        explained. The halves are tokens if X holds counts, otherwise terms. Give documents that the model has not
        seen.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
        y : None
            Not used.
        """
        del y
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False)
        limits = penalty(self.alpha_W, self.l1_ratio)
        return completion_score(X, self.components_, self.loss, limits, check_random_state(self.random_state))

    def _check_settings(self) -> None:
        check_whole("n_components", self.n_components)
        check_settings(self)
        check_choice("init", self.init, STARTS)
        check_number("forget_factor", self.forget_factor, most=1.0)
