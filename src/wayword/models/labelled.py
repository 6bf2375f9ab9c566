"""Topic models that are told labels and answer with labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.models.base import TopicModel
from wayword.models.inputs import check_matrix, check_sample_weight
from wayword.models.labels import Kind, Labels, answer_in_kind, odds_against, read_labels, share_of_right_answers


class LabelledTopicModel(ClassifierMixin, TopicModel):
    """A topic model that knows how much of a document each label has."""

    classes_: np.ndarray
    class_prior_: np.ndarray
    label_kind_: Kind
    threshold_: float

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find topics."""

    @abstractmethod
    def _shares(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return the share that each label has of each document."""

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find topics and return the weights that `transform` gives the documents."""
        return self.fit(X, y, sample_weight).transform(X)

    def _read_labels(self, y: Any, n_documents: int) -> Labels:
        """Return what is told, and remember the labels."""
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; NMF needs no labels"
            )
        labels = read_labels(y, n_documents)
        if not labels.indicator.any():
            raise InputError("y names no label of any document; label some, or use NMF, which needs no labels")
        self.classes_, self.label_kind_ = labels.names, labels.kind
        self.class_prior_ = labels.indicator.sum(axis=0) / labels.indicator.sum()
        return labels

    def _shares_of(self, explained: np.ndarray) -> np.ndarray:
        """Return each column's share of its row; a document of which nothing is explained is like the others."""
        totals = explained.sum(axis=1, keepdims=True)
        shares = np.divide(explained, totals, out=np.zeros_like(explained), where=totals > 0)
        like_others = np.zeros(explained.shape[1])
        like_others[: len(self.class_prior_)] = self.class_prior_
        return np.where(totals > 0, shares, like_others)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return how likely each label applies to each document.

        If `y` held one label for each document, the chances of all labels sum to one. Otherwise each is the odds of
        the label's share of the document against those of `threshold_`: above one half it is taken to apply.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)

        Returns
        -------
        array of shape (n_documents, n_labels), in the order of `classes_`
        """
        check_is_fitted(self)
        shares = self._shares(check_matrix(self, X, reset=False))
        return shares if self.label_kind_ == "single" else odds_against(shares, self.threshold_)

    def predict(self, X: Any) -> Any:
        """Return the labels of documents, in the form that `y` had in `fit`: names, lists of names, or a matrix."""
        chances = self.predict_proba(X)
        return answer_in_kind(self.classes_, self.label_kind_, chances)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the labelled documents for which `predict` finds all labels and no others."""
        answers = self.predict(X)
        return share_of_right_answers(answers, y, self.label_kind_, check_sample_weight(sample_weight, len(answers)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True  # on points that are no mixtures, as in the common checks
        return tags
