"""Themes fitted apart, each against a background of its own, all in one go.

In the model of a theme under the divergence, a document that may use only the background has its best weight in
closed form, whatever its length: all such documents may be replaced by one that holds their summed counts, with no
change to the topics. Of the terms that no document of the theme holds only the background says anything, and it
shares among them what it has in proportion to their counts: they may be replaced by one. So a theme costs its own
documents and their terms, and the themes stand side by side as blocks on the diagonal of one matrix. Of those terms the
background holds none that it did not start from: steps never leave zero, and what nothing explains is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wayword.kernels.factor import Block, Limits, fit_kl_blocks
from wayword.kernels.threads import map_in_order
from wayword.models.alternate import entropy_constant

# Entries of the blocks that are fitted together, so that memory stays bounded when themes share many documents.
_ENTRIES_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Membership:
    """Who belongs where.

    Attributes
    ----------
    members : sparse matrix of shape (n_themes, n_documents)
        The documents that may use the subtopics of each theme, and how much they count there.
    weights : array of shape (n_documents,)
        How much each document counts in the model of every theme. What it does not count as a member, it counts as
        one of the documents that may use only the background.
    told : bool array of shape (n_documents, n_themes), optional
        The documents of which it is known that they belong to each theme; by default the heaviest members.
    """

    members: sparse.csr_matrix
    weights: np.ndarray
    told: np.ndarray | None = None

    @property
    def groups(self) -> list[np.ndarray]:
        """The documents to start each theme from."""
        if self.told is not None:
            return [np.flatnonzero(column) for column in self.told.T]
        return [row.indices[row.data >= row.data.max(initial=0.0)] for row in self.members]


@dataclass(frozen=True, slots=True)
class Separated:
    """Themes fitted apart.

    Attributes
    ----------
    topics : array of shape (n_themes, n_topics, n_terms)
        The subtopics of each theme, its background last.
    paths : array of shape (n_themes, n_iterations + 1)
        The divergence of each theme at the start and after each iteration; it never rises; NaN after the last.
    """

    topics: np.ndarray
    paths: np.ndarray


@dataclass(frozen=True, slots=True)
class Descent:
    """How to go down: the kind of steps, how many, and when to stop."""

    newton: bool = True
    max_iter: int = 200
    tol: float = 1e-4


@dataclass(frozen=True, slots=True)
class _Sides:
    """Blocks of some themes: the matrix, where they end, the terms of each and what all others hold of the rest."""

    matrix: sparse.csr_matrix
    row_ends: np.ndarray
    column_ends: np.ndarray
    terms: list[np.ndarray]
    outside: np.ndarray


def _batches(sizes: np.ndarray) -> Iterator[slice]:
    """Yield slices of themes whose sizes sum to no more than is fitted at once, or of one theme."""
    start, total = 0, 0
    for theme, size in enumerate(sizes.tolist()):
        if total + size > _ENTRIES_AT_ONCE and theme > start:
            yield slice(start, theme)
            start, total = theme, 0
        total += size
    yield slice(start, len(sizes))


def _in_background(totals: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the totals of the terms that a background starts from, and zero for the others."""
    return totals * (start[-1] > 0.0)


def _place_side_by_side(
    X: sparse.csr_matrix,
    members: sparse.csr_matrix,
    counts: sparse.csr_matrix,
    totals: np.ndarray,
    start: Sequence[np.ndarray],
) -> _Sides:
    """Return the blocks of themes: their documents, then one document for all others, then one term for all others."""
    scratch = np.empty(X.shape[1], dtype=np.int64)
    data, indices, lengths, terms, outside = [], [], [], [], []
    row_ends, column_ends = [0], [0]
    for theme in range(members.shape[0]):
        own = counts.indices[counts.indptr[theme] : counts.indptr[theme + 1]]
        held = counts.data[counts.indptr[theme] : counts.indptr[theme + 1]]
        others = np.maximum(totals[own] - held, 0.0)
        explained = _in_background(totals, start[theme])
        left = max(explained.sum() - explained[own].sum(), 0.0)
        scratch[:] = column_ends[-1] + len(own)  # also for entries that are zero, or so small that they count nothing
        scratch[own] = np.arange(column_ends[-1], column_ends[-1] + len(own))
        rows = X[members.indices[members.indptr[theme] : members.indptr[theme + 1]]]
        column_ends.append(column_ends[-1] + len(own) + 1)
        row_ends.append(row_ends[-1] + rows.shape[0] + 1)
        data += [rows.data, others, [left]]
        indices += [scratch[rows.indices], np.arange(column_ends[-2], column_ends[-1])]
        lengths += [np.diff(rows.indptr), [len(own) + 1]]
        terms.append(own)
        outside.append(left)
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    matrix = sparse.csr_matrix(
        (np.concatenate(data).astype(X.dtype), np.concatenate(indices), indptr), shape=(row_ends[-1], column_ends[-1])
    )
    return _Sides(matrix, np.array(row_ends), np.array(column_ends), terms, np.array(outside))


def _gather_start(start: Sequence[np.ndarray], sides: _Sides, dtype: np.dtype) -> np.ndarray:
    """Return the topics to start from as the blocks hold them."""
    H = np.empty((sides.column_ends[-1], start[0].shape[0]), dtype=dtype)
    for theme, own in enumerate(sides.terms):
        first, last = sides.column_ends[theme : theme + 2]
        H[first : last - 1] = start[theme][:, own].T
        H[last - 1] = start[theme].sum(axis=1) - start[theme][:, own].sum(axis=1)
    return np.maximum(H, 0.0)


def _spread(H: np.ndarray, sides: _Sides, totals: np.ndarray, start: Sequence[np.ndarray]) -> np.ndarray:
    """Return the topics over all terms; the background shares what it has of the other terms by their counts."""
    topics = np.zeros((len(sides.terms), H.shape[1], len(totals)), dtype=H.dtype)
    for theme, own in enumerate(sides.terms):
        first, last = sides.column_ends[theme : theme + 2]
        if sides.outside[theme] > 0.0:
            topics[theme, -1] = H[last - 1, -1] * _in_background(totals, start[theme]) / sides.outside[theme]
        topics[theme][:, own] = H[first : last - 1].T
    return topics


def _even_weights(sides: _Sides, H: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return weights that share each document evenly among the topics it may use."""
    lengths = np.asarray(sides.matrix.sum(axis=1)).ravel()
    W = np.empty(mask.shape, dtype=H.dtype)
    for theme in range(len(sides.terms)):
        rows = slice(*sides.row_ends[theme : theme + 2])
        sums = H[slice(*sides.column_ends[theme : theme + 2])].sum(axis=0, dtype=np.float64)
        W[rows] = lengths[rows, None] / np.maximum((mask[rows] * sums).sum(axis=1, keepdims=True), 1e-300)
    return np.where(mask, W, 0.0).astype(H.dtype)


def _fit_batch(
    sides: _Sides,
    weights: np.ndarray,
    start: Sequence[np.ndarray],
    descent: Descent,
    rng: np.random.RandomState | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the topics of some themes as the blocks hold them, and the paths of their divergences."""
    H = _gather_start(start, sides, sides.matrix.dtype)
    mask = np.ones((sides.matrix.shape[0], H.shape[1]), dtype=bool)
    mask[sides.row_ends[1:] - 1, :-1] = False
    W = _even_weights(sides, H, mask)
    if rng is not None:
        W = np.where(mask, rng.uniform(size=W.shape), 0.0).astype(W.dtype)
    parts = Block(
        sides.row_ends,
        sides.column_ends,
        sides.matrix.indptr.astype(np.int64),
        sides.matrix.indices.astype(np.int64),
        sides.matrix.data,
        weights,
        Limits(mask=mask),
    )
    paths = np.empty((len(sides.terms), descent.max_iter + 1))
    rest = (parts, descent.newton, descent.newton, descent.max_iter, descent.tol, W, H, paths)
    for _ in map_in_order(lambda theme: fit_kl_blocks(theme, theme + 1, *rest), range(len(sides.terms))):
        pass
    return H, paths + [[_constant_of(sides, weights, theme)] for theme in range(len(sides.terms))]


def _constant_of(sides: _Sides, weights: np.ndarray, theme: int) -> float:
    rows = slice(*sides.row_ends[theme : theme + 2])
    return entropy_constant(sides.matrix[rows], weights[rows])


def fit_separated(
    X: sparse.csr_matrix,
    membership: Membership,
    start: Sequence[np.ndarray],
    descent: Descent,
    rng: np.random.RandomState | None = None,
) -> Separated:
    """Fit themes apart under the divergence.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        The documents.
    membership : Membership
        The documents of each theme.
    start : sequence of n_themes arrays of shape (n_topics, n_terms)
        Topics to start from, the background last.
    descent : Descent
        How to go down.
    rng : RandomState, optional
        Draws the weights to start from; by default they share each document evenly.
    """
    members, totals = membership.members, membership.weights @ X
    counts = sparse.csr_matrix(members @ X)
    counts.sort_indices()
    lengths = np.diff(X.indptr)
    sizes = np.array([lengths[row.indices].sum() for row in members])
    topics, paths = [], []
    for batch in _batches(sizes):
        sides = _place_side_by_side(X, members[batch], counts[batch], totals, start[batch])
        weights = np.concatenate([np.append(row.data, 1.0) for row in members[batch]]).astype(np.float64)
        H, path = _fit_batch(sides, weights, start[batch], descent, rng)
        topics.append(_spread(H, sides, totals, start[batch]))
        paths.append(path)
    return Separated(np.concatenate(topics), np.concatenate(paths))
