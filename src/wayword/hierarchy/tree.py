"""A tree of topics: which topics belong together, and how closely.

Nodes are numbered from the leaves up: leaf i is topic i, the other nodes follow, every child comes before its parent,
and the last node is the root. So one walk forward visits children before parents, and one walk back the reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from wayword.errors import FormatError, InputError, shorten
from wayword.hierarchy.writing import draw_html, format_tree, read_json, write_graph, write_json, write_newick
from wayword.models.inputs import check_choice, check_number, check_whole
from wayword.models.theme_scores import as_weights

Measure = Literal["similarity", "distance", "level"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True, eq=False)
class TopicNode:
    """One node of a tree: a topic, or topics that belong together.

    Attributes
    ----------
    id : int
        Its number in the tree; that of a leaf is the number of its topic.
    parent : int or None
        The node above; None for the root.
    children : tuple of int
        The nodes below.
    height : float
        How similar its topics are, how far apart they are, or how many levels are below it; see `TopicTree.measure`.
    vector : array of shape (n_terms,)
        Weight of each term; of an inner node usually the sum over its children.
    weight : float
        How much of the corpus it is about.
    topics : tuple of int
        The topics at or below it.
    name : str
        What to call it.
    """

    id: int
    parent: int | None
    children: tuple[int, ...]
    height: float
    vector: np.ndarray
    weight: float
    topics: tuple[int, ...]
    name: str

    @property
    def is_leaf(self) -> bool:
        """Whether it is a topic."""
        return not self.children


def list_children(parents: np.ndarray) -> list[tuple[int, ...]]:
    """Return the children of each node, in order."""
    found: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents[:-1].tolist()):
        found[parent].append(node)
    return [tuple(children) for children in found]


def sum_upwards(parents: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """Return what leaves have, and for every other node the sum over its children."""
    values = np.zeros((len(parents), *leaves.shape[1:]))
    values[: len(leaves)] = leaves
    for node, parent in enumerate(parents[:-1].tolist()):
        values[parent] += values[node]
    return values


def _check_parents(parents: np.ndarray) -> None:
    """Raise unless leaves come first, children before parents, and the root last."""
    n_nodes = len(parents)
    rightly = parents.ndim == 1 and n_nodes > 0 and parents[-1] == -1
    if rightly:
        places = np.arange(n_nodes - 1)
        rightly = bool(((parents[:-1] > places) & (parents[:-1] < n_nodes)).all())
    if rightly:
        inner = np.unique(parents[:-1])
        rightly = bool((inner == np.arange(n_nodes - len(inner), n_nodes)).all())
    if not rightly:
        raise InputError(
            "parents must name a node further on for each node, and -1 for the root, which is last; nodes without "
            f"children come first; got {shorten(parents.tolist())}"
        )


def _check_heights(parents: np.ndarray, heights: np.ndarray, measure: Measure) -> None:
    """Raise unless heights fall, or rise, towards the root."""
    first = len(parents) - len(np.unique(parents[:-1]))
    steps = heights[parents[first:-1]] - heights[first:-1]
    if not np.isfinite(heights).all() or ((steps > 0) if measure == "similarity" else (steps < 0)).any():
        way = "fall" if measure == "similarity" else "rise"
        raise InputError(f"heights must be finite and {way} towards the root, because they are of {measure}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TopicTree:
    """Topics, and the groups they form.

    Leaf i is topic i. The other nodes follow, children before their parents; the last node is the root.

    Attributes
    ----------
    parents : int array of shape (n_nodes,)
        The parent of each node; -1 for the root.
    heights : array of shape (n_nodes,)
        Where each node forms, by `measure`.
    vectors : array of shape (n_nodes, n_terms)
        Weight of each term in each node.
    weights : array of shape (n_nodes,)
        How much of the corpus each node is about; that of a parent is the sum over its children.
    names : tuple of str
        What each node is called.
    measure : {"similarity", "distance", "level"}
        What heights are: similarities, which fall towards the root; distances, or levels counted from the leaves,
        which rise.
    terms : tuple of str, or None
        The term of each column of `vectors`, where known.

    Examples
    --------
    >>> from wayword import build_tree
    >>> topics = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 3, 1]]
    >>> tree = build_tree(topics, terms=["apple", "pear", "ship", "sail"], n_terms=2)
    >>> print(tree)
    all topics [0.00]
    ├── ship sail
    └── apple pear [0.95]
        ├── apple pear
        └── pear apple
    >>> tree.cut(height=0.9).tolist()
    [0, 0, 1]
    """

    parents: np.ndarray
    heights: np.ndarray
    vectors: np.ndarray
    weights: np.ndarray
    names: tuple[str, ...]
    measure: Measure = "similarity"
    terms: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("parents", "heights", "vectors", "weights"):
            view = np.asarray(getattr(self, name)).view()
            view.flags.writeable = False  # trees share arrays, see `rename`
            object.__setattr__(self, name, view)
        check_choice("measure", self.measure, MEASURES)
        _check_parents(self.parents)
        n_nodes, n_terms = len(self.parents), None if self.terms is None else len(self.terms)
        for name in ("heights", "vectors", "weights", "names"):
            if len(getattr(self, name)) != n_nodes:
                raise InputError(f"{name} must have one entry for each of {n_nodes} nodes")
        if n_terms not in (None, self.vectors.shape[1]):
            raise InputError(f"terms must name each of {self.vectors.shape[1]} columns of vectors, got {n_terms}")
        for name in ("vectors", "weights"):
            as_weights(name, getattr(self, name))
        _check_heights(self.parents, self.heights, self.measure)

    @property
    def n_nodes(self) -> int:
        """How many nodes, leaves and root among them."""
        return len(self.parents)

    @property
    def n_topics(self) -> int:
        """How many topics, that is leaves."""
        return len(self.parents) - len(np.unique(self.parents[:-1]))

    @property
    def root(self) -> TopicNode:
        """The node above all others."""
        return self.nodes[-1]

    @property
    def nodes(self) -> tuple[TopicNode, ...]:
        """All nodes, leaves first and the root last."""
        children, topics = list_children(self.parents), self.topics_below()
        return tuple(
            TopicNode(
                node,
                int(self.parents[node]) if self.parents[node] >= 0 else None,
                children[node],
                float(self.heights[node]),
                self.vectors[node],
                float(self.weights[node]),
                topics[node],
                self.names[node],
            )
            for node in range(self.n_nodes)
        )

    def topics_below(self) -> list[tuple[int, ...]]:
        """Return the topics at or below each node, in order."""
        found: list[list[int]] = [[node] if node < self.n_topics else [] for node in range(self.n_nodes)]
        for node, parent in enumerate(self.parents[:-1].tolist()):
            found[parent] += found[node]
        return [tuple(sorted(topics)) for topics in found]

    def _leaves_of_cut(self, height: float | None, n_clusters: int | None) -> list[int]:
        """Return the nodes that a cut leaves as clusters, in the order of their first topics."""
        if (height is None) == (n_clusters is None):
            raise InputError("give either height or n_clusters: where to cut, or how many clusters to leave")
        if height is not None:
            check_number("height", height, least=-np.inf)
            opened = self._opened_by_height(float(height))
        else:
            check_whole("n_clusters", n_clusters)
            opened = self._opened_by_number(int(n_clusters or 0))
        topics = self.topics_below()
        found = [node for node in range(self.n_nodes) if node not in opened]
        found = [node for node in found if self.parents[node] < 0 or int(self.parents[node]) in opened]
        return sorted(found, key=lambda node: topics[node])

    def _opened_by_height(self, height: float) -> set[int]:
        """Return the nodes whose topics are less similar, or farther apart, than that."""
        too_loose = self.heights < height if self.measure == "similarity" else self.heights > height
        return {node for node in range(self.n_topics, self.n_nodes) if too_loose[node]}

    def _opened_by_number(self, n_clusters: int) -> set[int]:
        """Return the nodes to open, the loosest first, as long as there are no more clusters than that."""
        sign = 1.0 if self.measure == "similarity" else -1.0
        children = list_children(self.parents)
        # Of nodes at one height, parents come before children because their numbers are larger.
        inner = sorted(range(self.n_topics, self.n_nodes), key=lambda node: (sign * self.heights[node], -node))
        opened, count = set(), 1
        for node in inner:
            count += len(children[node]) - 1
            if count > n_clusters:
                break
            opened.add(node)
        return opened

    def cut(self, *, height: float | None = None, n_clusters: int | None = None) -> np.ndarray:
        """Return the cluster of each topic.

        Parameters
        ----------
        height : float, optional
            Topics are together if a node of at least this similarity, or of at most this distance or level, holds
            them.
        n_clusters : int, optional
            How many clusters at most. The loosest nodes are opened first. Where a node has more than two children,
            there may be fewer.

        Returns
        -------
        int array of shape (n_topics,)
            Numbers of clusters, in the order of their first topics.
        """
        topics, clusters = self.topics_below(), np.empty(self.n_topics, dtype=np.intp)
        for cluster, node in enumerate(self._leaves_of_cut(height, n_clusters)):
            clusters[list(topics[node])] = cluster
        return clusters

    def prune(self, *, height: float | None = None, n_clusters: int | None = None) -> TopicTree:
        """Return a smaller tree, whose leaves are the clusters of `cut`.

        Parameters
        ----------
        height, n_clusters
            As for `cut`; leaf i is cluster i.
        """
        leaves = self._leaves_of_cut(height, n_clusters)
        kept, below = set(leaves), set(leaves)
        for node in leaves:
            parent = int(self.parents[node])
            while parent >= 0 and parent not in kept:
                kept.add(parent)
                parent = int(self.parents[parent])
        order = leaves + sorted(kept - below)
        places = {node: place for place, node in enumerate(order)}
        return TopicTree(
            np.array([places.get(int(self.parents[node]), -1) for node in order]),
            self.heights[order],
            self.vectors[order],
            self.weights[order],
            tuple(self.names[node] for node in order),
            self.measure,
            self.terms,
        )

    def rename(self, names: Sequence[str]) -> TopicTree:
        """Return the same tree with other names.

        Parameters
        ----------
        names : sequence of str
            A name for each topic, or for each node.
        """
        names = tuple(map(str, names))
        if len(names) not in (self.n_topics, self.n_nodes):
            raise InputError(
                f"names must name each of {self.n_topics} topics or each of {self.n_nodes} nodes, got {len(names)}"
            )
        every = (*names, *self.names[len(names) :])
        return TopicTree(self.parents, self.heights, self.vectors, self.weights, every, self.measure, self.terms)

    def to_json(self) -> str:
        """Return the whole tree as JSON; `from_json` makes the same tree of it, bit for bit."""
        return write_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> TopicTree:
        """Return the tree that `to_json` has written.

        Parameters
        ----------
        text : str
            JSON; anything else is a `FormatError`.
        """
        try:
            return cls(**read_json(text))
        except InputError as error:
            raise FormatError(f"damaged tree: {error}") from None

    def to_newick(self) -> str:
        """Return the tree in Newick's format, for programs that draw trees.

        Names are quoted, so that any character may be in them; a branch is as long as its ends are apart in height.
        """
        return write_newick(self)

    def to_networkx(self) -> Any:
        """Return a directed graph, from parents to children; needs the extra ``networkx``.

        Nodes are numbers with the attributes `name`, `height`, `weight` and `topics`.
        """
        return write_graph(self)

    def __str__(self) -> str:
        return format_tree(self)

    def __repr__(self) -> str:
        return f"TopicTree(n_topics={self.n_topics}, n_nodes={self.n_nodes}, measure={self.measure!r})"

    def _repr_html_(self) -> str:
        return draw_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TopicTree):
            return NotImplemented
        arrays = ("parents", "heights", "vectors", "weights")
        rest = ("names", "measure", "terms")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays) and all(
            getattr(self, name) == getattr(other, name) for name in rest
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]
