"""What a node is called: the terms that tell it from its siblings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wayword.errors import InputError
from wayword.interpret.terms import DEFAULT_PURITY_RATIO, theme_terms, top_terms
from wayword.models.theme_scores import normalise_rows

if TYPE_CHECKING:
    from wayword.hierarchy.tree import TopicTree

ROOT = "all topics"


def specific_terms(vectors: np.ndarray, parents: np.ndarray, purity_ratio: float) -> np.ndarray:
    """Return how well each term tells each node from its siblings: an array of shape (n_nodes, n_terms).

    The background of a node is what its siblings hold, each sibling alike.
    """
    shares, scores = normalise_rows(vectors), np.empty_like(vectors)
    for node, parent in enumerate(parents.tolist()):
        siblings = parents == parent
        siblings[node] = False
        background = shares[siblings].sum(axis=0) if siblings.any() and parent >= 0 else None
        scores[node] = theme_terms(vectors[node][None], background, purity_ratio=purity_ratio)
    return scores


def name_by_terms(
    vectors: np.ndarray, parents: np.ndarray, terms: Sequence[str], n_terms: int, purity_ratio: float
) -> list[str]:
    """Return the best terms of each node as its name; that of one without weights is empty."""
    best = top_terms(specific_terms(vectors, parents, purity_ratio), terms, n_terms)
    return [" ".join(term for term, _ in found) for found in best]


def node_terms(
    tree: TopicTree, n_terms: int = 10, *, purity_ratio: float = DEFAULT_PURITY_RATIO
) -> list[list[tuple[str, float]]]:
    """Return the terms that tell each node from its siblings.

    Parameters
    ----------
    tree : TopicTree
        A tree that knows its terms.
    n_terms : int
        The most terms of a node.
    purity_ratio : float
        How much terms that siblings hold too lose, from 0 to 1; see `theme_terms`.

    Returns
    -------
    list of list of (str, float)
        For each node its terms and scores, the best first.

    Examples
    --------
    >>> from wayword import build_tree, node_terms
    >>> tree = build_tree([[4, 5, 0], [0, 5, 4], [0, 5, 4]], terms=["apple", "the", "ship"])
    >>> [[term for term, _ in terms] for terms in node_terms(tree, 1, purity_ratio=1.0)]
    [['apple'], ['the'], ['the'], ['ship'], ['the']]
    """
    if tree.terms is None:
        raise InputError("the tree does not know its terms; give terms to build_tree")
    return top_terms(specific_terms(tree.vectors, tree.parents, purity_ratio), tree.terms, n_terms)
