"""Which topics join, and where: graphs of similar topics, and the clustering of scipy.

The threshold graph of a similarity has an edge between two topics that are at least so similar. As the threshold
falls, its connected components join; every component is a node (section 3.1 of Epstein, 2016). That is single linkage,
where merges of equal similarity are one merge, of as many components as there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from wayword.kernels.threads import one_blas_thread
from wayword.models.theme_scores import normalise_rows

# Similarities that are equal on paper differ in the last bits; rounded, they are ties.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Shape:
    """A tree without words: the parent of each node, leaves first and root last, and where each node forms."""

    parents: np.ndarray
    heights: np.ndarray


def unit_rows(topics: np.ndarray) -> np.ndarray:
    """Return topics of length one; a topic without weights stays zero."""
    # First by the largest weight, so that squares neither vanish nor overflow.
    largest = topics.max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(topics, largest, out=np.zeros_like(topics), where=largest > 0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.divide(scaled, lengths, out=np.zeros_like(scaled), where=lengths > 0)


def cosine_similarities(topics: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair of topics, 1 with itself; a topic without weights is like no other."""
    units = unit_rows(topics)
    with one_blas_thread():
        found = units @ units.T
    found = np.clip(np.round((found + found.T) / 2.0, _DIGITS), 0.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def contrast_topics(topics: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return what topics have more of than the mean topic, in roots of shares; without weights, all count alike."""
    shares = normalise_rows(topics)
    mean = normalise_rows(weights if weights.any() else np.ones(len(topics))) @ shares
    return np.maximum(np.sqrt(shares) - np.sqrt(mean), 0.0)


def join_ties(merges: np.ndarray, leaf_height: float, heights: np.ndarray) -> Shape:
    """Return a tree in which merges of equal height on top of each other are one node.

    Parameters
    ----------
    merges : int array of shape (n_topics - 1, 2)
        The two nodes that join each time, as scipy numbers them.
    leaf_height : float
        The height of topics.
    heights : array of shape (n_topics - 1,)
        Where they join.
    """
    n_topics = len(merges) + 1
    parents = np.full(n_topics + len(merges), -1)
    for node, pair in enumerate(merges.tolist(), n_topics):
        parents[pair] = node
    every = np.concatenate([np.full(n_topics, leaf_height), heights])
    kept = np.ones(len(parents), dtype=bool)
    kept[n_topics:-1] = every[n_topics:-1] != every[parents[n_topics:-1]]
    stands_for = np.arange(len(parents))
    for node in range(len(parents) - 2, n_topics - 1, -1):
        if not kept[node]:
            stands_for[node] = stands_for[parents[node]]
    places = np.cumsum(kept) - 1
    parents[:-1] = places[stands_for[parents[:-1]]]
    return Shape(parents[kept], every[kept])


def link_single(similarities: np.ndarray) -> Shape:
    """Return the tree of the components of threshold graphs; heights are similarities."""
    if len(similarities) == 1:
        return Shape(np.array([-1]), np.array([1.0]))
    levels, ranks = np.unique(squareform(similarities, checks=False), return_inverse=True)
    # Only the order matters, so ranks do, and equal ones stay equal.
    merged = hierarchy.linkage((len(levels) - ranks).astype(np.float64), method="single")
    heights = levels[len(levels) - merged[:, 2].astype(np.intp)]
    return join_ties(merged[:, :2].astype(np.intp), 1.0, heights)


def link_average(similarities: np.ndarray) -> Shape:
    """Return the tree in which the two groups join that are most similar on average; heights are similarities."""
    if len(similarities) == 1:
        return Shape(np.array([-1]), np.array([1.0]))
    merged = hierarchy.linkage(1.0 - squareform(similarities, checks=False), method="average")
    return join_ties(merged[:, :2].astype(np.intp), 1.0, np.round(1.0 - merged[:, 2], _DIGITS))


def link_ward(topics: np.ndarray) -> Shape:
    """Return the tree in which groups join that spread the least, of topics of length one; heights are distances."""
    if len(topics) == 1:
        return Shape(np.array([-1]), np.array([0.0]))
    merged = hierarchy.linkage(pdist(unit_rows(topics)), method="ward")
    return join_ties(merged[:, :2].astype(np.intp), 0.0, np.round(merged[:, 2], _DIGITS))
