"""Terms as points: how likely every other term, and every label, is beside a term.

A point is a row of the co-occurrence matrix scaled to sum to one, with columns for labels behind it where a model
knows labels. The rows are never all made at once: what is asked for is a product with them, or a few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from scipy import sparse

from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.matrix.cooccurrence import Cooccurrence

_ROWS_AT_ONCE = 256
# Added to entries before their harmonic mean is taken.
_NEARLY_ZERO = 1e-10
# Signs in each row of a random projection.
_SIGNS = 4
# Anchors whose products with all points are remembered.
_MOST_KNOWN = 500


@dataclass(frozen=True)
class WordSpace:
    """The points of all terms.

    Attributes
    ----------
    pairs : Cooccurrence
        How likely two words of a document are terms i and j.
    labels : array of shape (n_terms, n_columns), or None
        What labels say of each term, weighted.
    """

    pairs: Cooccurrence
    labels: np.ndarray | None = None
    _known: dict[tuple[int, ...], np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n_terms(self) -> int:
        """Number of terms, and of points."""
        return self.pairs.n_terms

    @property
    def n_columns(self) -> int:
        """Number of columns of a point."""
        return self.n_terms + (0 if self.labels is None else self.labels.shape[1])

    @cached_property
    def frequencies(self) -> np.ndarray:
        """How likely a word is each term; they sum to one."""
        sums = self.pairs.row_sums.astype(np.float64)
        return sums / max(float(sums.sum()), np.finfo(np.float64).tiny)

    @cached_property
    def mean_point(self) -> np.ndarray:
        """The mean of all points, each as often as its term occurs."""
        if self.labels is None:
            return self.frequencies
        return np.concatenate([self.frequencies, self.frequencies @ self.labels])

    @cached_property
    def _scale(self) -> np.ndarray:
        sums = self.pairs.row_sums.astype(np.float64)
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)

    @cached_property
    def word_squares(self) -> np.ndarray:
        """Sum of the squares of each point's columns for words."""
        pieces = [
            range(first, min(first + _ROWS_AT_ONCE, self.n_terms)) for first in range(0, self.n_terms, _ROWS_AT_ONCE)
        ]
        parts = map_in_order(lambda piece: np.square(self.pairs.rows(piece), dtype=np.float64).sum(axis=1), pieces)
        return np.concatenate(list(parts)) * self._scale**2

    def rows(self, terms: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the points of some terms: array of shape (n_chosen, n_terms + n_columns)."""
        terms = np.asarray(terms, dtype=np.int64)
        found = self.pairs.rows(terms).astype(np.float64, copy=False)
        found *= self._scale[terms, None]
        return found if self.labels is None else np.hstack([found, self.labels[terms]])

    def corners(self, anchors: Sequence[Sequence[int]]) -> np.ndarray:
        """Return the points of anchors; of several terms, the harmonic mean, which is high where all are high."""
        return np.stack([self._mean(self.rows(terms)) for terms in anchors])

    def _mean(self, rows: np.ndarray) -> np.ndarray:
        if len(rows) == 1:
            return rows[0]
        means = len(rows) / (1.0 / (rows + _NEARLY_ZERO)).sum(axis=0) - _NEARLY_ZERO
        words = means[: self.n_terms]
        means[: self.n_terms] = np.maximum(words, 0.0) / max(float(words.sum()), np.finfo(np.float64).tiny)
        if self.labels is not None:  # label columns are chances of their own, not parts of one whole
            means[self.n_terms :] = rows[:, self.n_terms :].mean(axis=0)
        return means

    def products_with(self, anchors: Sequence[tuple[int, ...]], corners: np.ndarray) -> np.ndarray:
        """Return ``points @ corners.T``; what was asked for before is remembered by the anchors."""
        new = [place for place, anchor in enumerate(anchors) if anchor not in self._known]
        if new:
            if len(self._known) + len(new) > _MOST_KNOWN:
                self._known.clear()
                new = list(range(len(anchors)))
            found = self.products(corners[new])
            self._known.update((anchors[place], found[:, column].copy()) for column, place in enumerate(new))
        return np.stack([self._known[anchor] for anchor in anchors], axis=1)

    def products(self, corners: np.ndarray) -> np.ndarray:
        """Return ``points @ corners.T``."""
        words = self.times(np.ascontiguousarray(corners[:, : self.n_terms].T)) * self._scale[:, None]
        return words if self.labels is None else words + self.labels @ corners[:, self.n_terms :].T

    def times(self, other: np.ndarray) -> np.ndarray:
        """Return the co-occurrence matrix times an array, in pieces whose bits do not depend on the threads."""
        with one_blas_thread():
            if self.pairs.form != "dense":
                return self.pairs @ other
            sums = cast(np.ndarray, self.pairs.sums)
            pieces = [slice(first, first + _ROWS_AT_ONCE) for first in range(0, self.n_terms, _ROWS_AT_ONCE)]
            other = other.astype(sums.dtype, copy=False)
            found = np.vstack(list(map_in_order(lambda piece: sums[piece] @ other, pieces)))
            return found / max(self.pairs.n_documents, 1)

    def project(self, points: np.ndarray, sketch: sparse.csr_matrix | None) -> np.ndarray:
        """Return points, or random sums of their columns; label columns stay as they are."""
        if sketch is None:
            return points
        words = np.ascontiguousarray((sketch.T @ points[:, : self.n_terms].T).T)
        return words if self.labels is None else np.hstack([words, points[:, self.n_terms :]])

    def project_terms(self, terms: np.ndarray, sketch: sparse.csr_matrix | None) -> np.ndarray:
        """Return the points of some terms, projected."""
        pieces = [terms[first : first + _ROWS_AT_ONCE] for first in range(0, len(terms), _ROWS_AT_ONCE)]
        return np.vstack(list(map_in_order(lambda piece: self.project(self.rows(piece), sketch), pieces)))


def make_sketch(n_terms: int, n_dimensions: int | None, rng: np.random.RandomState) -> sparse.csr_matrix | None:
    """Return a random projection that keeps distances about the same, or None where there is nothing to gain.

    A few random signs in each row do as well as a full matrix of normal numbers, and cost a hundredth.
    """
    if n_dimensions is None or n_dimensions >= n_terms:
        return None
    rows = np.repeat(np.arange(n_terms), _SIGNS)
    signs = rng.choice([-1.0, 1.0], len(rows)) / np.sqrt(_SIGNS)
    places = rng.randint(n_dimensions, size=len(rows))
    return sparse.csr_matrix((signs, (rows, places)), shape=(n_terms, n_dimensions))
