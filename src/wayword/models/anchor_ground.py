"""The words that topics are found among: which terms occur together, and which of them may become anchors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import WaywordWarning
from wayword.matrix.cooccurrence import Cooccurrence, choose_form, cooccurrence
from wayword.models.anchor_words import Anchor, read_anchors
from wayword.models.label_columns import weigh_columns
from wayword.models.rectify import rectify
from wayword.models.word_space import WordSpace
from wayword.progress import Progress, ignore

# Candidates under ``min_df="auto"``: terms of this share of documents, or fewer if that leaves too few terms.
_AUTO_SHARE, _AUTO_LEAST, _CANDIDATES_A_TOPIC = 0.03, 3, 10


def count_pairs(X: sparse.csr_matrix, progress: Progress = ignore) -> Cooccurrence:
    """Return how likely terms occur together; weights that are no counts are taken as they are, diagonal and all."""
    if np.array_equal(X.data, np.floor(X.data)):
        return cooccurrence(X, progress=progress)
    warnings.warn(
        "X holds fractions rather than counts: products of weights are taken as they are, those of each term with itself "
        "included, and topics differ from those of counts; give counts unless that is what you want",
        WaywordWarning,
        stacklevel=4,
    )
    totals = np.asarray(X.sum(axis=1)).ravel()
    rows = sparse.diags(np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)) @ X.astype(np.float64)
    frequencies = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
    form = "sparse" if choose_form("auto", X.shape[1]) == "operator" else "dense"
    return Cooccurrence(sparse.csr_matrix(rows.T @ rows), int((totals > 0).sum()), frequencies).to(form)


def candidates_of(frequencies: np.ndarray, min_df: int | str, n_documents: int, n_topics: int) -> np.ndarray:
    """Return the columns that may become anchors: terms of enough documents."""
    least = min_df
    if least == "auto":
        wanted = min(_CANDIDATES_A_TOPIC * n_topics, int((frequencies > 0).sum()))
        enough = int(np.sort(frequencies)[-wanted]) if wanted else 1
        least = max(1, min(max(_AUTO_LEAST, round(_AUTO_SHARE * n_documents)), enough))
    return np.flatnonzero(frequencies >= max(int(least), 1))


@dataclass(frozen=True)
class AnchorGround:
    """What `fit` counted, and how it was asked to see it: all that `refit` starts from.

    Attributes
    ----------
    pairs : Cooccurrence
        As counted, never rectified, for another number of topics rectifies anew.
    vocabulary : Vocabulary or None
        Names of the columns.
    min_df : int or "auto"
    rectified : bool
        Whether spaces are to be rectified.
    columns : array of shape (n_terms, n_columns), or None
        What labels say of terms.
    label_weight : float
        How far they are to spread terms, as a multiple of how far words do.
    """

    pairs: Cooccurrence
    vocabulary: Vocabulary | None
    min_df: int | str
    rectified: bool
    columns: np.ndarray | None = None
    label_weight: float = 0.0

    @cached_property
    def documents(self) -> np.ndarray:
        """In how many documents each term occurs; zero if no other term does there."""
        return np.where(self.pairs.row_sums > 0, self.pairs.document_frequencies, 0)

    @cached_property
    def frequencies(self) -> np.ndarray:
        """How likely a word is each term; rectifying gives rare terms too much, and this is known without it."""
        return WordSpace(self.pairs).frequencies

    def read(self, anchors: Any) -> list[Anchor]:
        """Return anchors as columns."""
        return read_anchors(anchors, self.vocabulary, self.documents)

    def find_candidates(self, n_topics: int) -> np.ndarray:
        """Return the columns that may become anchors of so many topics."""
        return candidates_of(self.documents, self.min_df, self.pairs.n_documents, n_topics)

    def make_space(self, n_topics: int, progress: Progress = ignore) -> WordSpace:
        """Return the points of terms as so many topics would have them."""
        if self.rectified and n_topics < self.pairs.n_terms:
            space = WordSpace(rectify(self.pairs, n_topics, progress=progress))
        else:
            space = WordSpace(self.pairs)
        return space if self.columns is None else weigh_columns(space, self.columns, self.label_weight)

    def looks_the_same(self, n_topics: int, other: int) -> bool:
        """Return whether two numbers of topics have the same points."""
        n_terms = self.pairs.n_terms
        return not self.rectified or min(n_topics, n_terms) == min(other, n_terms)
