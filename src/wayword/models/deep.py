"""Topics of topics: fine topics, the coarser ones they belong to, and so on, learnt together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from wayword.errors import InputError, shorten
from wayword.kernels.threads import one_blas_thread
from wayword.models.alternate import Callback, Side, gram_of
from wayword.models.chain import (
    Chain,
    Matrix,
    NonNegativeSteps,
    SemiSteps,
    pretrain_chain,
    tune_chain,
    with_unit_topics,
)
from wayword.models.inputs import check_choice, check_matrix, check_number, check_whole, undone_if_it_fails

# Sweeps over the weights of a document until only rounding moves.
_EXACT_SWEEPS, _EXACT = 10_000, 1e-24


def weigh_documents(X: sparse.csr_matrix, topics: np.ndarray, *, non_negative: bool) -> np.ndarray:
    """Return the weights (n_documents, n_topics) of topics (n_topics, n_terms) that explain X best."""
    topics = topics.astype(np.float64, copy=False)
    documents = Side.of(X)
    if not non_negative:
        return documents.multiply(np.ascontiguousarray(np.linalg.pinv(topics)))
    weights = np.zeros((X.shape[0], len(topics)))
    by_term = np.ascontiguousarray(topics.T)
    documents.update_squares(weights, by_term, gram_of(by_term), sweeps=_EXACT_SWEEPS, settled=_EXACT)
    return weights


def find_parents(mixing: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """Return for each row of a mixing matrix the topic that has the largest share in what it rebuilds."""
    return np.argmax(mixing * topics.sum(axis=1), axis=1)


def _grow(parents: Sequence[np.ndarray], layer: int, topic: int) -> dict[str, Any]:
    children = np.flatnonzero(parents[layer - 1] == topic).tolist() if layer else []
    return {"layer": layer, "topic": topic, "children": [_grow(parents, layer - 1, child) for child in children]}


class DeepSemiNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics, topics of these topics, and so on: X ~ A1 A2 ... Am Sm.

    Layer i has topics S_i >= 0, and those of a layer are mixtures of those of the next, S_i ~ A_i+1 S_i+1. The first
    layer, number 0, has the finest topics. Each layer is trained on the topics before it, then all together to lower
    half the squared distance of X and A1 A2 ... Am Sm. Topics sum to one.

    Parameters
    ----------
    layer_sizes : sequence of int
        How many topics each layer has, fine ones first; a layer usually has fewer than the one before it.
    non_negative : bool
        Whether weights and mixing matrices must be non-negative too. If not, they are of any sign, and so may X be.
    pretrain_iter : int
        Most iterations of training each layer on its own.
    max_iter : int
        Most iterations of training all layers together.
    tol : float
        Settled when an iteration lowers the objective by less than this share of what the model explains.
    random_state : int, RandomState or None
        Seed. The same seed gives the same bits; None draws another each time.
    callback : callable, optional
        Called with the iteration and the objective after each iteration of training all layers together; returns
        True to stop.

    Attributes
    ----------
    topics_ : list of arrays of shapes (layer_sizes[0], n_terms), (layer_sizes[1], n_terms), ...
        S1 to Sm, the topics of each layer.
    components_ : array of shape (layer_sizes[0], n_terms)
        The topics of the first layer.
    layers_ : list of arrays of shapes (layer_sizes[0], layer_sizes[1]), (layer_sizes[1], layer_sizes[2]), ...
        A2 to Am: how the topics of each layer but the last mix those of the next. A1 belongs to the documents of
        `fit` and is not kept; `transform` finds weights for any documents.
    parents_ : list of int arrays of shapes (layer_sizes[0],), (layer_sizes[1],), ...
        For each topic of each layer but the last, the topic of the next layer that has the largest share in it.
    objective_path_ : array
        The objective before training all layers together and after each iteration of that; it never rises.
    reconstruction_err_ : float
        Frobenius norm of X - A1 A2 ... Am Sm.
    n_iter_ : int
        Iterations of training all layers together.
    n_features_in_ : int
        Number of terms.

    References
    ----------
    Trigeorgis, Bousmalis, Zafeiriou and Schuller (2014), "A deep semi-NMF model for learning hidden representations".
    Flenner and Hunter (2017), "A deep non-negative matrix factorization neural network", for `non_negative`.

    Examples
    --------
    >>> from wayword import DeepSemiNMF
    >>> X = [[4, 2, 0, 0], [2, 4, 0, 0], [0, 0, 6, 3], [0, 0, 1, 5]]
    >>> model = DeepSemiNMF((4, 2), non_negative=True).fit(X)
    >>> [topics.shape for topics in model.topics_]
    [(4, 4), (2, 4)]
    >>> model.transform(X).shape
    (4, 4)
    """

    topics_: list[np.ndarray]
    components_: np.ndarray
    layers_: list[np.ndarray]
    parents_: list[np.ndarray]

    def __init__(
        self,
        layer_sizes: Sequence[int],
        *,
        non_negative: bool = False,
        pretrain_iter: int = 100,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: Any = 0,
        callback: Callback | None = None,
    ) -> None:
        self.layer_sizes = layer_sizes
        self.non_negative = non_negative
        self.pretrain_iter = pretrain_iter
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback

    @undone_if_it_fails
    def fit(self, X: Any, y: Any = None) -> DeepSemiNMF:
        """Find the topics of all layers.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            Sparse or dense; negative numbers are errors if `non_negative`.
        y : None
            Not used.
        """
        del y
        self._check_settings()
        X = check_matrix(self, X, reset=True, non_negative=self.non_negative)
        steps = NonNegativeSteps() if self.non_negative else SemiSteps()
        rng = check_random_state(self.random_state)
        with one_blas_thread():
            chain = pretrain_chain(X, self.layer_sizes, steps, rng, max_iter=self.pretrain_iter, tol=self.tol)
            chain, path = tune_chain(
                Matrix.of(X), chain, steps, max_iter=self.max_iter, tol=self.tol, callback=self.callback
            )
        self._store(with_unit_topics(chain), path, X.dtype)
        return self

    def _store(self, chain: Chain, path: list[float], dtype: Any) -> None:
        self.topics_ = [np.ascontiguousarray(topics.T, dtype=dtype) for topics in chain.topics]
        self.components_ = self.topics_[0]
        self.layers_ = [mixing.astype(dtype) for mixing in chain.mixing]
        self.parents_ = [
            find_parents(mixing, topics) for mixing, topics in zip(self.layers_, self.topics_[1:], strict=True)
        ]
        self.objective_path_ = np.array(path)
        self.reconstruction_err_ = float(np.sqrt(2.0 * path[-1]))
        self.n_iter_ = len(path) - 1

    def transform(self, X: Any) -> np.ndarray:
        """Return the weights of documents on the topics of the first layer; see `transform_layer`.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, layer_sizes[0])
        """
        return self.transform_layer(X, 0)

    def transform_layer(self, X: Any, layer: int) -> np.ndarray:
        """Return the weights of documents on the topics of a layer.

        They are the exact least squares: no other weights, or no others of 0 or more if `non_negative`, come closer
        to the document.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
        layer : int
            Number of the layer; 0 is the first.

        Returns
        -------
        array of shape (n_documents, layer_sizes[layer])
        """
        check_is_fitted(self)
        check_whole("layer", layer, least=0)
        if layer >= len(self.topics_):
            raise InputError(f"layer must be from 0 to {len(self.topics_) - 1}, got {layer}")
        X = check_matrix(self, X, reset=False, non_negative=self.non_negative)
        with one_blas_thread():
            weights = weigh_documents(X, self.topics_[layer], non_negative=self.non_negative)
        return weights.astype(X.dtype, copy=False)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return what the topics of the first layer say about documents of given weights.

        Parameters
        ----------
        X : array of shape (n_documents, layer_sizes[0])
            Weights, as `transform` returns them.

        Returns
        -------
        array of shape (n_documents, n_terms)
        """
        check_is_fitted(self)
        weights = check_array(X, dtype=[np.float64, np.float32], input_name="weights")
        if weights.shape[1] != len(self.components_):
            raise InputError(f"expected weights of {len(self.components_)} topics, got {weights.shape[1]} columns")
        return weights @ self.components_

    def tree(self) -> list[dict[str, Any]]:
        """Return the hierarchy: the topics of the last layer, each with its children.

        Returns
        -------
        list of dict
            ``{"layer": 1, "topic": 0, "children": [{"layer": 0, "topic": 3, "children": []}, ...]}``, where `layer`
            and `topic` are places in `topics_`.
        """
        check_is_fitted(self)
        last = len(self.topics_) - 1
        return [_grow(self.parents_, last, topic) for topic in range(len(self.topics_[last]))]

    def _check_settings(self) -> None:
        sizes = self.layer_sizes.tolist() if isinstance(self.layer_sizes, np.ndarray) else self.layer_sizes
        if isinstance(sizes, str) or not isinstance(sizes, Sequence) or len(sizes) == 0:
            raise InputError(f"layer_sizes must be a sequence of whole numbers, one a layer, got {shorten(sizes)}")
        for size in sizes:
            check_whole("every size in layer_sizes", size)
        check_choice("non_negative", self.non_negative, (True, False))
        check_whole("pretrain_iter", self.pretrain_iter, least=0)
        check_whole("max_iter", self.max_iter, least=0)
        check_number("tol", self.tol)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = bool(self.non_negative)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
