"""How well a tree agrees with another, or with what is known about its topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wayword.errors import InputError
from wayword.hierarchy.tree import TopicTree, sum_upwards
from wayword.models.theme_scores import check_weights, share_against


def common_ancestors(tree: TopicTree) -> np.ndarray:
    """Return the lowest node above both of two topics: an int array of shape (n_topics, n_topics)."""
    n_topics = tree.n_topics
    found = np.full((n_topics, n_topics), -1)
    for node, topics in enumerate(tree.topics_below()):
        block = np.ix_(topics, topics)
        # Children come first, so what is set already is lower.
        found[block] = np.where(found[block] < 0, node, found[block])
    return found


def _depths(tree: TopicTree) -> np.ndarray:
    """Return how many steps below the root the lowest common node of two topics is."""
    depths = np.zeros(tree.n_nodes, dtype=np.intp)
    for node in range(tree.n_nodes - 2, -1, -1):
        depths[node] = depths[tree.parents[node]] + 1
    return depths[common_ancestors(tree)]


def triplet_agreement(tree: TopicTree, truth: TopicTree) -> float:
    """Return how often two trees say the same of three topics: which two of them are closest.

    Looks at all triplets of topics. Only those count that `truth` decides: where two topics are in a node that the
    third is not in. Chance gives a third to a tree that decides all.

    Parameters
    ----------
    tree, truth : TopicTree
        Trees of the same topics, in the same order; match topics first, see `match_topics`.

    Returns
    -------
    float
        From 0 to 1; NaN if `truth` decides no triplet.

    Examples
    --------
    >>> from wayword import build_tree, triplet_agreement
    >>> truth = build_tree([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 2], [0, 1, 1, 2]])
    >>> tree = build_tree([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 2], [0, 4, 1, 2]])
    >>> triplet_agreement(truth, truth), triplet_agreement(tree, truth)
    (1.0, 0.5)
    """
    if tree.n_topics != truth.n_topics:
        raise InputError(f"trees must have the same topics, got {tree.n_topics} and {truth.n_topics} topics")
    found, known = _depths(tree), _depths(truth)
    same = decided = 0
    for third in range(len(known)):
        # Depths from the root obey: if i and j meet below where i meets the third, then so they do for j.
        apart = np.triu(known > known[:, third, None], 1)
        decided += int(apart.sum())
        same += int((apart & (found > found[:, third, None])).sum())
    return same / decided if decided else float("nan")


def _read_classes(labels: Any, n_topics: int) -> np.ndarray:
    """Return how much of each class is in each topic, of names or of numbers."""
    if np.ndim(labels) == 2:
        return check_weights("labels", labels, n_topics=n_topics, n_classes=None)
    names = list(labels) if isinstance(labels, Sequence | np.ndarray) and not isinstance(labels, str) else None
    if names is None or len(names) != n_topics:
        raise InputError(f"labels must name a class, or weigh all classes, for each of {n_topics} topics")
    classes = {name: column for column, name in enumerate(dict.fromkeys(names))}
    return np.eye(len(classes))[[classes[name] for name in names]]


def dendrogram_purity(tree: TopicTree, labels: Any) -> float:
    """Return how pure the groups of a tree are: what of a group is of the class that brought two topics together.

    Two different topics are drawn that hold the same class, each as likely as it holds much of it. The purity is the
    share of that class in the lowest node above both; this is its mean.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    labels : sequence of n_topics names, or array of shape (n_topics, n_classes)
        The class of each topic; or how much of each class is in each topic, for example how many documents of it.

    Returns
    -------
    float
        From 0 to 1; NaN if no two topics hold the same class.

    Examples
    --------
    >>> from wayword import build_tree, dendrogram_purity
    >>> tree = build_tree([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 2], [0, 0, 1, 1]])
    >>> dendrogram_purity(tree, ["fruit", "fruit", "ships", "ships"])
    1.0
    >>> dendrogram_purity(tree, ["fruit", "ships", "fruit", "ships"])
    0.5
    """
    classes = _read_classes(labels, tree.n_topics)
    held = sum_upwards(tree.parents, classes)
    totals = held.sum(axis=1, keepdims=True)
    purity = share_against(held, totals - held)
    together = common_ancestors(tree)
    total = weight = 0.0
    for column in range(classes.shape[1]):
        pairs = np.outer(classes[:, column], classes[:, column])
        np.fill_diagonal(pairs, 0.0)
        total += float((pairs * purity[together, column]).sum())
        weight += float(pairs.sum())
    return total / weight if weight else float("nan")
