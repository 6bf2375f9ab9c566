"""Terms before anybody has labelled a document: which occur together, and the products that topics are found from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from scipy import sparse

from wayword.errors import FormatError, InputError
from wayword.kernels.threads import one_blas_thread
from wayword.matrix.cooccurrence import Cooccurrence
from wayword.models.anchor_ground import candidates_of, count_pairs
from wayword.models.label_columns import spread_of_words
from wayword.models.rectify import rectify
from wayword.models.word_space import WordSpace
from wayword.progress import Progress, ignore

_MOST_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class WordProducts:
    """Products of the points of terms, which labels do not change.

    Attributes
    ----------
    frequencies : array of shape (n_terms,)
        How likely a word is each term.
    point_frequencies : array of shape (n_terms,)
        The same with noise removed, as the points have it.
    spread : array of shape ()
        How far points are from their mean.
    candidates : int array of shape (n_candidates,)
        Terms that can be found as anchors, in order.
    gram : array of shape (n_candidates, n_candidates)
        Products of the points of candidates with each other.
    products : float32 array of shape (n_terms, n_candidates)
        Products of the points of all terms with those of candidates.
    """

    frequencies: np.ndarray
    point_frequencies: np.ndarray
    spread: np.ndarray
    candidates: np.ndarray
    gram: np.ndarray
    products: np.ndarray

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return everything as arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], n_terms: int) -> WordProducts:
        """Return what `to_arrays` gave; arrays of other terms are a `FormatError`."""
        missing = [field.name for field in fields(cls) if field.name not in arrays]
        if missing or len(arrays["frequencies"]) != n_terms:
            raise FormatError(f"these are not the arrays of {n_terms:,} terms; make them again from the counts")
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})


def count_words(X: sparse.csr_matrix, progress: Progress = ignore) -> Cooccurrence:
    """Return how likely terms occur together; an error where none do."""
    pairs = count_pairs(X, progress)
    if not pairs.n_documents:
        raise InputError("no document has two words or more, so nothing occurs together; give longer documents")
    return pairs


def place_words(pairs: Cooccurrence, n_topics: int | None, progress: Progress = ignore) -> WordSpace:
    """Return the points of terms, with noise removed as so many topics would have it; None removes nothing."""
    if n_topics is None or n_topics >= pairs.n_terms:
        return WordSpace(pairs)
    return WordSpace(rectify(pairs, n_topics, progress=progress))


def multiply_words(
    pairs: Cooccurrence, space: WordSpace, *, n_topics: int, min_df: int | Literal["auto"]
) -> WordProducts:
    """Return the products that topics are found from."""
    occurring = np.where(pairs.row_sums > 0, pairs.document_frequencies, 0)
    found = candidates_of(occurring, min_df, pairs.n_documents, n_topics)
    candidates = np.sort(found[np.argsort(-occurring[found], kind="stable")[:_MOST_CANDIDATES]])
    with one_blas_thread():
        points = space.rows(candidates)
        return WordProducts(
            WordSpace(pairs).frequencies,
            space.frequencies,
            np.array(spread_of_words(space)),
            candidates,
            points @ points.T,
            space.products(points).astype(np.float32),
        )
