"""The ground of a project: what stays the same while people label.

Made once from a corpus: terms are counted, and documents are laid out in a space. Its arrays are kept in the store, so
that a project that is opened again counts nothing and finds the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from wayword.active.guesses import Guesser
from wayword.active.space import DocumentSpace, build_space
from wayword.active.topics import LiveTopics
from wayword.corpus.corpus import Corpus
from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import FormatError, InputError
from wayword.guidance.constraints import Lookup
from wayword.matrix.vectorizer import Vectorizer
from wayword.models.discovery import TopicDiscovery
from wayword.progress import Progress, ignore
from wayword.store.base import Store

# The setting that says how many documents the arrays are of.
LAID_OUT = "laid_out"
_COUNTS, _TERMS, _SPACE, _TOPICS = "counts", "vocabulary", "space", "topics"
# A corpus of fewer documents keeps terms of one.
_SMALL_CORPUS, _MIN_DF = 100, 3


@dataclass(frozen=True, eq=False)
class Ground:
    """Documents, counts and the space they lie in.

    Attributes
    ----------
    corpus : Corpus
        The documents.
    vectorizer : Vectorizer
        What counts their terms, and those of documents to come.
    X : sparse matrix of shape (n_documents, n_terms)
        Counts.
    space : DocumentSpace
        Where the documents lie.
    topics : LiveTopics
        Finds topics.
    """

    corpus: Corpus
    vectorizer: Vectorizer
    X: sparse.csr_matrix
    space: DocumentSpace
    topics: LiveTopics

    @property
    def vocabulary(self) -> Vocabulary:
        """The term of each column."""
        return self.vectorizer.vocabulary_

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return self.X.shape[0]

    @cached_property
    def lookup(self) -> Lookup:
        """Finds columns and rows."""
        return Lookup(self.vocabulary, self.corpus.ids)

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each document."""
        return {id: row for row, id in enumerate(self.corpus.ids)}

    @cached_property
    def guesser(self) -> Guesser:
        """Guesses labels."""
        return Guesser(self.space)

    @cached_property
    def likeness(self) -> sparse.csr_matrix:
        """How alike neighbours are, from 0 to 1."""
        return sparse.csr_matrix(self.space.nearness.power(1.0 / 3.0).minimum(1.0))

    @cached_property
    def light_counts(self) -> sparse.csr_matrix:
        """`X` in single precision: for products of which that is enough, in half the time."""
        return self.X.astype(np.float32)

    @cached_property
    def columns(self) -> sparse.csc_matrix:
        """Which documents hold each term, by term."""
        held = sparse.csc_matrix(self.X > 0, dtype=np.float64)
        held.sort_indices()
        return held

    @cached_property
    def lengths(self) -> np.ndarray:
        """Tokens of each document."""
        return np.asarray(self.X.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def term_shares(self) -> np.ndarray:
        """The share of each term in all tokens: what is common everywhere."""
        totals = np.asarray(self.X.sum(axis=0), dtype=np.float64).ravel()
        return totals / totals.sum()


def count_corpus(
    corpus: Corpus, *, language: str, max_terms: int | None, min_df: int | None, progress: Progress
) -> tuple[Vectorizer, sparse.csr_matrix]:
    """Return what counts the terms of a corpus, and the counts."""
    if not len(corpus):
        raise InputError("a project needs documents, got a corpus of none; give one with at least one text")
    if min_df is None:
        min_df = _MIN_DF if len(corpus) >= _SMALL_CORPUS else 1
    vectorizer = Vectorizer(language=language, max_terms=max_terms, min_df=min_df)
    return vectorizer, vectorizer.fit_transform(corpus, progress=progress)


def lay_ground(
    corpus: Corpus, vectorizer: Vectorizer, X: sparse.csr_matrix, *, n_topics: int, progress: Progress = ignore
) -> Ground:
    """Return the ground of a project that is new, or whose documents have changed."""
    space = build_space(X, progress=progress)
    return Ground(corpus, vectorizer, X, space, LiveTopics(X, n_topics=n_topics, progress=progress))


def extend_ground(ground: Ground, corpus: Corpus, *, n_topics: int, progress: Progress = ignore) -> Ground:
    """Return the ground of a corpus that has grown at its end; terms stay those that there are."""
    fresh = corpus[ground.n_documents :]
    X = sparse.csr_matrix(sparse.vstack([ground.X, ground.vectorizer.transform(fresh)]))
    return lay_ground(corpus, ground.vectorizer, X, n_topics=n_topics, progress=progress)


def _pack_matrix(matrix: sparse.csr_matrix) -> dict[str, np.ndarray]:
    return {
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "shape": np.array(matrix.shape, dtype=np.int64),
    }


def _unpack_matrix(arrays: Mapping[str, np.ndarray]) -> sparse.csr_matrix:
    parts = arrays["data"], arrays["indices"], arrays["indptr"]
    return sparse.csr_matrix(parts, shape=tuple(arrays["shape"].tolist()))


def _pack_model(model: TopicDiscovery) -> dict[str, np.ndarray]:
    """Return what a model has learnt, as arrays."""
    learnt = {name: value for name, value in vars(model).items() if name.endswith("_") and value is not None}
    return {"n_components": np.array(model.n_components)} | {name: np.asarray(value) for name, value in learnt.items()}


def _unpack_model(arrays: Mapping[str, np.ndarray]) -> TopicDiscovery:
    """Return the model that `_pack_model` was given."""
    model = TopicDiscovery(int(arrays["n_components"]))
    model.other_ = None
    for name, value in arrays.items():
        if name.endswith("_"):
            setattr(model, name, value if value.ndim else value.item())
    return model


def keep_ground(store: Store, ground: Ground) -> None:
    """Keep all arrays of a ground; the documents are kept by themselves."""
    vocabulary, space = ground.vocabulary, ground.space
    store.put_arrays(
        _TERMS,
        {
            "terms": np.array(vocabulary.terms, dtype=str),
            "document_frequencies": vocabulary.document_frequencies,
            "term_frequencies": vocabulary.term_frequencies,
            "n_documents": np.array(vocabulary.n_documents),
        },
    )
    store.put_arrays(_COUNTS, _pack_matrix(ground.X))
    store.put_arrays(
        _SPACE,
        {"rarity": space.rarity, "directions": space.directions, "features": space.features}
        | {f"near_{name}": array for name, array in _pack_matrix(space.nearness).items()},
    )
    for place, model in enumerate(space.models):
        store.put_arrays(f"{_SPACE}/{place}", _pack_model(model))
    store.put_arrays(_TOPICS, ground.topics.to_arrays())
    # Last, so that others who read it find all arrays.
    store.put_settings({LAID_OUT: ground.n_documents})


def _need(store: Store, name: str) -> dict[str, np.ndarray]:
    arrays = store.arrays(name)
    if arrays is None:
        raise FormatError(f"{store.url}: the project has no arrays {name!r}; it was not finished, make it again")
    return arrays


def _find_space(store: Store) -> DocumentSpace:
    arrays = _need(store, _SPACE)
    near = {name.removeprefix("near_"): array for name, array in arrays.items() if name.startswith("near_")}
    names = sorted(name for name in store.array_names() if name.startswith(f"{_SPACE}/"))
    models = tuple(_unpack_model(_need(store, name)) for name in names)
    return DocumentSpace(arrays["rarity"], arrays["directions"], models, arrays["features"], _unpack_matrix(near))


def _find_vectorizer(store: Store, settings: Mapping[str, Any]) -> Vectorizer:
    arrays = _need(store, _TERMS)
    vocabulary = Vocabulary(
        arrays["terms"].tolist(),
        document_frequencies=arrays["document_frequencies"],
        term_frequencies=arrays["term_frequencies"],
        n_documents=int(arrays["n_documents"]),
    )
    vectorizer = Vectorizer(**settings, vocabulary=vocabulary)
    vectorizer.vocabulary_ = vocabulary
    return vectorizer


def find_ground(store: Store, settings: Mapping[str, Any], *, n_topics: int, progress: Progress = ignore) -> Ground:
    """Return the ground that `keep_ground` was given.

    Parameters
    ----------
    store : Store
        Where it is kept.
    settings : mapping
        Those of the vectorizer.
    n_topics : int
        How many topics to find.
    progress : callable
        Told how far all is laid out again, if documents were added that are not yet.
    """
    vectorizer, corpus = _find_vectorizer(store, settings), store.corpus()
    X = _unpack_matrix(_need(store, _COUNTS))
    if store.settings().get(LAID_OUT, 0) < len(corpus):
        # Documents were added, and whoever added them was stopped before all was laid out. Some arrays may be of all
        # documents and others not, so only what was noted last tells.
        ground = lay_ground(corpus, vectorizer, vectorizer.transform(corpus), n_topics=n_topics, progress=progress)
        keep_ground(store, ground)
        return ground
    topics = LiveTopics(X, n_topics=n_topics, arrays=_need(store, _TOPICS))
    return Ground(corpus, vectorizer, X, _find_space(store), topics)
