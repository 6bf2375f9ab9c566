"""What all models of document weights and topics have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from wayword.errors import InputError
from wayword.models.alternate import Factors
from wayword.models.folding import fold_in
from wayword.models.inputs import check_matrix


class TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Topics as rows of `components_`, and documents as non-negative mixtures of them."""

    loss: Any
    components_: np.ndarray
    n_components_: int
    n_features_in_: int

    def transform(self, X: Any) -> np.ndarray:
        """Return the weights of documents.

        The topics stay as they are, and every document gets its best weights: they depend neither on a start nor
        on the other documents. Terms are columns, as in `fit`.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_topics)
        """
        check_is_fitted(self)
        return self._fold(check_matrix(self, X, reset=False))

    def _fold(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return the best weights of documents; models with penalties on them say so here."""
        return fold_in(X, self.components_, self.loss)

    def _record(self, found: Factors) -> None:
        """Keep how the factorisation went."""
        self.objective_path_ = np.array(found.path)
        self.n_iter_ = len(found.path) - 1
        self.converged_ = found.converged

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return what the topics say about documents of given weights.

        Parameters
        ----------
        X : array of shape (n_documents, n_topics)
            Weights, as `transform` returns them.

        Returns
        -------
        array of shape (n_documents, n_terms)
        """
        check_is_fitted(self)
        weights = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="weights")
        if weights.shape[1] != len(self.components_):
            raise InputError(f"expected weights of {len(self.components_)} topics, got {weights.shape[1]} columns")
        return weights @ self.components_

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
