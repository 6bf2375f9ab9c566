"""Where documents lie before anybody has labelled one: what they are compared by, and who is near whom.

The steps, once for a corpus: weigh terms; find the directions in which documents differ most; find topics, few and
many; put these side by side as features of a document; join each document with those it is most like.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from wayword.kernels.threads import one_blas_thread
from wayword.models.discovery import TopicDiscovery, rarity_of
from wayword.progress import Progress, ignore

# Entries of a block of documents by documents.
_BLOCK = 2**23
_DIRECTIONS, _NEIGHBOURS = 200, 15
# In a small corpus a document has one neighbour for so many documents, and five at least.
_DOCUMENTS_A_NEIGHBOUR, _FEWEST_NEIGHBOURS = 50, 5
_TOPICS = (20, 60)
# How much nearer counts for more.
_NEARNESS_POWER = 3


@dataclass(frozen=True, slots=True)
class DocumentSpace:
    """Documents as points, and their neighbours.

    Attributes
    ----------
    rarity : array of shape (n_terms,)
        What counts of each term are multiplied by.
    directions : array of shape (n_terms, n_directions)
        In which documents differ most.
    models : tuple of TopicDiscovery
        Topics, few and many.
    features : float32 array of shape (n_documents, n_features)
        Documents as points; the product of two is how alike they are, from 0 to 1 or little below 0.
    nearness : sparse matrix of shape (n_documents, n_documents)
        How near neighbours are, in both directions; zero for all other pairs.
    """

    rarity: np.ndarray
    directions: np.ndarray
    models: tuple[TopicDiscovery, ...]
    features: np.ndarray
    nearness: sparse.csr_matrix

    def project(self, X: sparse.csr_matrix) -> np.ndarray:
        """Return other documents as points."""
        return _features_of(X, weigh_terms(X, self.rarity), self.directions, self.models)

    @property
    def degrees(self) -> np.ndarray:
        """The sum of each document's nearness to others; one where it is near none."""
        sums = np.asarray(self.nearness.sum(axis=1), dtype=np.float64).ravel()
        return np.where(sums > 0, sums, 1.0)

    def topic_shares(self) -> np.ndarray:
        """Return the shares of the few topics in each document."""
        first = self.directions.shape[1]
        n_topics = self.models[0].n_components
        shares = self.features[:, first : first + n_topics].astype(np.float64) ** 2
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)


def weigh_terms(X: sparse.csr_matrix, rarity: np.ndarray) -> sparse.csr_matrix:
    """Return rows of length one: logarithms of counts, times how rare the term is."""
    X = sparse.csr_matrix(X, dtype=np.float64)
    X.eliminate_zeros()
    entries = np.log1p(X.data) * rarity[X.indices]
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    lengths = np.sqrt(np.bincount(rows, weights=entries**2, minlength=X.shape[0]))
    entries /= lengths[rows]
    return sparse.csr_matrix((entries, X.indices, X.indptr), shape=X.shape)


def _unit_rows(points: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.where(lengths > 0, lengths, 1.0)


def _features_of(
    X: sparse.csr_matrix, weighed: sparse.csr_matrix, directions: np.ndarray, models: Sequence[TopicDiscovery]
) -> np.ndarray:
    """Return directions and roots of topic shares side by side, each part of length one at most."""
    empty = np.diff(weighed.indptr) == 0
    parts = [_unit_rows(weighed @ directions), *(np.sqrt(model.transform(X)) for model in models)]
    points = np.hstack(parts) / np.sqrt(len(parts))
    points[empty] = 0.0
    return points.astype(np.float32)


def _find_neighbours(points: np.ndarray, n_neighbours: int) -> sparse.csr_matrix:
    """Return how near each document's nearest are, in both directions."""
    n_documents = len(points)
    n_neighbours = min(n_neighbours, n_documents - 1)
    if n_neighbours < 1:
        return sparse.csr_matrix((n_documents, n_documents), dtype=np.float32)
    step = max(1, _BLOCK // n_documents)
    columns, values = [], []
    for start in range(0, n_documents, step):
        alike = points[start : start + step] @ points.T
        places = np.arange(len(alike))
        alike[places, start + places] = -np.inf
        nearest = np.argpartition(-alike, n_neighbours - 1, axis=1)[:, :n_neighbours]
        columns.append(nearest)
        values.append(np.maximum(np.take_along_axis(alike, nearest, axis=1), 0.0) ** _NEARNESS_POWER)
    rows = np.repeat(np.arange(n_documents), n_neighbours)
    one_way = sparse.csr_matrix(
        (np.concatenate(values).ravel(), (rows, np.concatenate(columns).ravel())), shape=(n_documents, n_documents)
    )
    both = sparse.csr_matrix(one_way.maximum(one_way.T))
    both.eliminate_zeros()
    both.sort_indices()
    return both


def build_space(X: sparse.csr_matrix, *, random_state: int = 0, progress: Progress = ignore) -> DocumentSpace:
    """Return where documents lie.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts; at least one.
    random_state : int
        Seed of decompositions.
    progress : callable
        Told ``("sweeps", done, total)`` while topics are found.
    """
    rarity = rarity_of(X)
    weighed = weigh_terms(X, rarity)
    with one_blas_thread():
        n_directions = max(1, min(_DIRECTIONS, *(size - 1 for size in X.shape)))
        _, _, rows = randomized_svd(weighed, n_directions, random_state=random_state)
        directions = np.ascontiguousarray(rows.T)
        counts = [min(n_topics, max(2, X.shape[0] // 5)) for n_topics in _TOPICS]
        models = tuple(TopicDiscovery(n, random_state=random_state).fit(X, progress=progress) for n in counts)
        points = _features_of(X, weighed, directions, models)
        n_neighbours = min(_NEIGHBOURS, max(_FEWEST_NEIGHBOURS, X.shape[0] // _DOCUMENTS_A_NEIGHBOUR))
        return DocumentSpace(rarity, directions, models, points, _find_neighbours(points, n_neighbours))
