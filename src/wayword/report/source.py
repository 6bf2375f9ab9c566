"""What a report is made from: a model, the terms it knows, and perhaps the documents it is to be shown on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.corpus import Corpus
from wayword.errors import InputError, shorten
from wayword.matrix.vectorizer import Vectorizer
from wayword.models.themes import ThemeNMF
from wayword.progress import Progress, ignore


@dataclass(frozen=True, slots=True)
class Source:
    """A fitted model and what belongs to it.

    Attributes
    ----------
    model : estimator
        Knows topics.
    vectorizer : Vectorizer or None
        Counts terms.
    terms : tuple of str
        The term of each column.
    corpus : Corpus or None
        The documents.
    X : sparse matrix of shape (n_documents, n_terms), or None
        Their counts.
    rows : int array of shape (n_documents,), or None
        Which document of the corpus each row of X is.
    chances : array of shape (n_documents, n_labels), or None
        How likely each row has each label, where the model knows labels.
    """

    model: Any
    vectorizer: Vectorizer | None
    terms: tuple[str, ...]
    corpus: Corpus | None
    X: sparse.csr_matrix | None
    rows: np.ndarray | None
    chances: np.ndarray | None

    @property
    def hidden(self) -> frozenset[str]:
        """Words that tell nothing of a subject, which are not shown though they were counted."""
        return frozenset() if self.vectorizer is None else self.vectorizer.counted_stop_words()

    @property
    def has_themes(self) -> bool:
        """Whether topics are subtopics of themes."""
        return isinstance(self.model, ThemeNMF)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that the model can tell apart; none if it answers with numbers, or knows no labels."""
        if getattr(self.model, "bin_means_", None) is not None:
            return ()
        return tuple(map(str, getattr(self.model, "classes_", ())))

    def labels_of_rows(self) -> list[tuple[str, ...]]:
        """Return the labels of the document of each row."""
        assert self.corpus is not None
        assert self.rows is not None
        return [self.corpus[row].labels for row in self.rows.tolist()]

    def was_fitted_on_corpus(self) -> bool:
        """Whether the terms were counted in just these documents: as many, with each term in as many of them."""
        if self.X is None or self.vectorizer is None or not self.vectorizer.vocabulary_.has_frequencies:
            return False
        vocabulary = self.vectorizer.vocabulary_
        found = np.bincount(self.X.indices[self.X.data > 0], minlength=self.X.shape[1])
        return vocabulary.n_documents == self.X.shape[0] and np.array_equal(found, vocabulary.document_frequencies)


def _split(model: Any) -> tuple[Vectorizer | None, Any]:
    """Return what counts terms, if it is there, and what knows topics."""
    steps = list(model) if isinstance(model, Pipeline) else [model]
    vectorizer = steps.pop(0) if len(steps) > 1 and isinstance(steps[0], Vectorizer) else None
    if len(steps) != 1 or isinstance(steps[0], Vectorizer) or not hasattr(steps[0], "get_params"):
        found = " and ".join(type(step).__name__ for step in steps) or "nothing"
        raise InputError(
            f"a report needs a fitted model, or a pipeline of a Vectorizer and a model, got {shorten(found)}; "
            "make one with make_pipeline(vectorizer, model)"
        )
    check_is_fitted(steps[0])
    if not hasattr(steps[0], "components_"):
        raise InputError(f"a report needs a model with topics, got {type(steps[0]).__name__}, which has none")
    return vectorizer, steps[0]


def _find_terms(vectorizer: Vectorizer | None, model: Any) -> tuple[str, ...]:
    """Return the term of each column, from whoever knows."""
    n_terms = np.asarray(model.components_).shape[1]
    if vectorizer is not None:
        check_is_fitted(vectorizer)
        terms = vectorizer.vocabulary_.terms
    else:
        terms = getattr(model, "feature_names_in_", getattr(model, "terms", None))
    if terms is None:
        raise InputError(
            f"a {type(model).__name__} alone does not know its terms; give make_pipeline(vectorizer, model) instead"
        )
    if len(terms) != n_terms:
        raise InputError(
            f"the model has {n_terms:,} columns but there are {len(terms):,} terms; they do not belong together"
        )
    return tuple(map(str, terms))


def _count(vectorizer: Vectorizer, corpus: Corpus, progress: Progress) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return the counts of documents, and which documents of the corpus they are."""
    kept = np.ones(len(corpus), dtype=bool)
    if vectorizer.min_tokens:
        kept[vectorizer.find_short(corpus)] = False
    rows = np.flatnonzero(kept)
    chosen = corpus if kept.all() else corpus.select(corpus.ids[row] for row in rows.tolist())
    return sparse.csr_matrix(vectorizer.transform(chosen, progress=progress)), rows


def _find_chances(model: Any, X: sparse.csr_matrix) -> np.ndarray | None:
    if not hasattr(model, "predict_proba"):
        return None
    return np.clip(np.asarray(model.predict_proba(X), dtype=np.float64), 0.0, 1.0)


def read_source(model: Any, corpus: Corpus | None = None, counts: Any = None, *, progress: Progress = ignore) -> Source:
    """Return what a report is made from.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that knows its terms, or a pipeline of a `Vectorizer` and a model.
    corpus : Corpus, optional
        Documents.
    counts : matrix of shape (n_documents, n_terms), optional
        Their counts, where they are known already.
    progress : callable
        As for `Vectorizer.transform`.
    """
    vectorizer, found = _split(model)
    terms = _find_terms(vectorizer, found)
    if corpus is None:
        return Source(found, vectorizer, terms, None, None, None, None)
    if not len(corpus):
        raise InputError("the corpus of a report must have a document or more, got none")
    if counts is not None:
        X, rows = sparse.csr_matrix(counts), np.arange(len(corpus))
        if X.shape != (len(corpus), len(terms)):
            raise InputError(f"counts must have the shape ({len(corpus)}, {len(terms)}), got {X.shape}")
    elif vectorizer is None:
        raise InputError("to count a corpus, a report needs its Vectorizer; give make_pipeline(vectorizer, model)")
    else:
        X, rows = _count(vectorizer, corpus, progress)
    if not len(rows):
        return Source(found, vectorizer, terms, corpus, None, None, None)
    return Source(found, vectorizer, terms, corpus, X, rows, _find_chances(found, X))
