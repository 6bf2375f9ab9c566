"""A tree of topics as rings: the root in the middle, its children around it, theirs around them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_choice, check_whole
from wayword.plots.inputs import as_weights
from wayword.plots.look import BLUE_TO_YELLOW, NEUTRAL, PALETTE, Mode, lighten, rgba, start
from wayword.plots.text import explain, percent, show_label, show_lines

# A label of a few short lines fits more sectors than one long line.
_LABEL = 14, 3
_PALER, _PALEST = 0.22, 0.6
# Smaller than this a label is left out, and hovering tells it.
_LEAST_FONT = 9
_MOST_SECTORS, _MOST_LEVELS = 160, 6
_TITLES = {
    "theme": "A colour for each theme; area is weight. Click a topic to look into it, the middle to come back.",
    "importance": "Yellow topics say most about the labels, blue ones least; area is weight. Click to look into a topic.",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A topic of a tree.

    Attributes
    ----------
    id : hashable
        Unlike that of any other node.
    parent : hashable or None
        The id of the node that holds it; None for the root.
    name : str
        What is written on it.
    weight : float
        How large it is; of a node with children, their sum is taken instead.
    text : str
        What hovering tells besides.
    """

    id: Hashable
    parent: Hashable | None
    name: str
    weight: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Family:
    """A checked tree, every node before its children; leaves are listed in the order in which they were given."""

    nodes: list[Node]
    parents: list[int]
    children: list[list[int]]
    leaves: list[int]
    values: np.ndarray


def _read_nodes(tree: Any) -> list[Node]:
    """Return the nodes of a tree, or of a sequence of nodes, each by its id, parent, name and weight."""
    found = list(getattr(tree, "nodes", tree))
    if not found:
        raise InputError("tree must have one node or more, got none")
    try:
        return [
            Node(node.id, node.parent, str(node.name), node.weight, str(getattr(node, "text", ""))) for node in found
        ]
    except AttributeError as error:
        raise InputError(f"a node of tree must have id, parent, name and weight: {error}") from None


def _under_one_root(nodes: list[Node]) -> list[Node]:
    """Return nodes of which one has no parent; several such get a root of their own."""
    roots = [node for node in nodes if node.parent is None]
    if len(roots) == 1:
        return nodes
    if not roots:
        raise InputError("tree must have a root, whose parent is None, but every node has a parent")
    root = Node(("root",), None, "all topics", 0.0)
    above = [Node(node.id, root.id, node.name, node.weight, node.text) if node in roots else node for node in nodes]
    return [root, *above]


def _walk_down(children: list[list[int]], root: int) -> list[int]:
    order, waiting = [], [root]
    while waiting:
        place = waiting.pop()
        order.append(place)
        waiting.extend(reversed(children[place]))
    return order


def _list_children(nodes: list[Node], places: dict[Hashable, int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in nodes]
    for place, node in enumerate(nodes):
        if node.parent is None:
            continue
        if node.parent not in places:
            raise InputError(f"node {shorten(node.id)} has the parent {shorten(node.parent)}, which is not in tree")
        children[places[node.parent]].append(place)
    return children


def _read_family(tree: Any) -> _Family:
    nodes = _under_one_root(_read_nodes(tree))
    places = {node.id: place for place, node in enumerate(nodes)}
    if len(places) < len(nodes):
        raise InputError(f"each node of tree must have an id of its own, got {len(nodes)} nodes with {len(places)} ids")
    children = _list_children(nodes, places)
    order = _walk_down(children, next(place for place, node in enumerate(nodes) if node.parent is None))
    if len(order) < len(nodes):
        lost = nodes[min(set(range(len(nodes))) - set(order))]
        raise InputError(f"node {shorten(lost.id)} is its own ancestor; a tree has no circles")
    new = {place: k for k, place in enumerate(order)}
    parents = [-1, *(new[places[nodes[place].parent]] for place in order[1:])]
    below = [[new[child] for child in children[place]] for place in order]
    leaves = [new[place] for place in range(len(nodes)) if not children[place]]
    in_order = [nodes[place] for place in order]
    return _Family(in_order, parents, below, leaves, _sum_up(in_order, parents, leaves))


def _sum_up(nodes: list[Node], parents: list[int], leaves: list[int]) -> np.ndarray:
    """Return the weights of the leaves, added up to the root."""
    weights = as_weights("weights of tree", [node.weight for node in nodes], n_nodes=None)
    values = np.zeros(len(weights))
    values[leaves] = weights[leaves]
    if not values.any():
        raise InputError("the leaves of tree have no weight, so there is nothing to draw; give one a weight above 0")
    for place in range(len(values) - 1, 0, -1):
        values[parents[place]] += values[place]
    return values


def _colour_by_theme(family: _Family) -> list[str]:
    """Return a colour for each child of the root, paler with each ring below it."""
    themes = sorted(family.children[0], key=lambda place: -family.values[place])
    hues = {place: PALETTE[k % len(PALETTE)] for k, place in enumerate(themes)}
    if len(themes) > 1 and len(themes) % len(PALETTE) == 1:
        hues[themes[-1]] = PALETTE[len(PALETTE) // 2]  # or it would be that of its neighbour, the first
    colours, paler = [rgba(NEUTRAL, 0.15)], [0.0]
    bases = [NEUTRAL]
    for place in range(1, len(family.nodes)):
        parent = family.parents[place]
        bases.append(hues.get(place, bases[parent]))
        paler.append(0.0 if place in hues else min(paler[parent] + _PALER, _PALEST))
        colours.append(lighten(bases[place], paler[place]))
    return colours


def _read_importance(importance: Any, family: _Family) -> np.ndarray:
    """Return c_i of each leaf, the largest 1."""
    if importance is None:
        raise InputError("color='importance' needs importance: a number for each leaf, such as topic_importance_")
    ids = [family.nodes[place].id for place in family.leaves]
    if isinstance(importance, Mapping):
        missing = [name for name in ids if name not in importance]
        if missing:
            raise InputError(f"importance must have a number for each leaf, but has none for {shorten(missing[0])}")
        importance = [importance[name] for name in ids]
    values = np.asarray(importance, dtype=np.float64)
    if values.ndim == 2:
        values = as_weights("importance", values, n_labels=None, n_leaves=len(ids)).sum(axis=0)
    values = as_weights("importance", values, n_leaves=len(ids))
    return values / values.max() if values.any() else values


def _average_up(leaves: np.ndarray, family: _Family) -> np.ndarray:
    """Return a number for every node: of a parent, the mean of its children by weight."""
    numbers = np.zeros(len(family.nodes))
    numbers[family.leaves] = leaves
    for place in range(len(numbers) - 1, -1, -1):
        children = family.children[place]
        if children:
            weights = family.values[children] if family.values[place] > 0 else None
            numbers[place] = np.average(numbers[children], weights=weights)
    return numbers


def _explain_node(family: _Family, place: int, importance: float | None) -> str:
    node, total = family.nodes[place], family.values[0]
    n_children = len(family.children[place])
    inside = "" if not n_children else f"{n_children} topic{'' if n_children == 1 else 's'} directly inside"
    worth = "" if importance is None else f"predictive importance {importance:.2f} of 1"
    text = show_lines(node.text) if node.text else ""
    return explain(node.name, text, f"{percent(family.values[place] / total)} of the whole", worth, inside)


def _count_levels(family: _Family, max_depth: int | str | None) -> int:
    """Return how many levels plotly shows, the middle among them; -1 for all."""
    if max_depth is None:
        return -1
    if max_depth != "auto":
        return int(max_depth) + 1
    depths = [0]
    for parent in family.parents[1:]:
        depths.append(depths[parent] + 1)
    shown = np.cumsum(np.bincount(depths))
    enough = int((shown <= _MOST_SECTORS).sum())
    return min(max(enough, 2), _MOST_LEVELS)


def sunburst(
    tree: Any,
    *,
    color: Literal["theme", "importance"] = "theme",
    importance: Mapping[Any, float] | Sequence[float] | np.ndarray | None = None,
    max_depth: int | Literal["auto"] | None = "auto",
    title: str = "Topics and what they hold",
    mode: Mode = "light",
) -> go.Figure:
    """Draw a tree of topics as rings.

    Parameters
    ----------
    tree : TopicTree, or sequence of nodes
        Whatever has nodes with an `id`, a `parent` (None for the root), a `name` and a `weight`, such as `Node`;
        a `text` is told when hovering. The area of a leaf is its weight, that of a parent the sum of its leaves.
        Several nodes without parent get a root of their own.
    color : {"theme", "importance"}
        One colour for each child of the root and all below it; or from blue for leaves that say nothing about the
        labels to yellow for the one that says most.
    importance : mapping of id to float, array of shape (n_leaves,) or (n_labels, n_leaves), optional
        How much each leaf says about the labels, by id or in the order of the leaves in `tree`, such as
        `topic_importance_` of `SemiSupervisedNMF`. A matrix is taken as its `class_weights_` B, and topic i says
        c_i = sum_j B_ji / sum_ji B_ji, its share over all labels j. Either way the numbers are scaled so that the
        largest is 1; a parent has the mean of its children by weight.
    max_depth : int, "auto" or None
        How many rings around the middle are shown at a time; clicking goes deeper. By default at most five, and fewer
        where there would be more sectors than can be read and drawn at once; None shows all.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> from wayword import plots
    >>> nodes = [plots.Node(0, None, "all", 0), plots.Node(1, 0, "fruit", 3), plots.Node(2, 0, "ships", 1)]
    >>> plots.sunburst(nodes).data[0].values.tolist()
    [4.0, 3.0, 1.0]
    """
    check_choice("color", color, _TITLES)
    if max_depth not in (None, "auto"):
        check_whole("max_depth", max_depth)
    family = _read_family(tree)
    n, coloured = len(family.nodes), None
    if color == "importance":
        coloured = _average_up(_read_importance(importance, family), family)
    figure = start(title, mode, subtitle=_TITLES[color], height=620, margin={"l": 16, "r": 16, "b": 16})
    figure.add_sunburst(
        ids=[str(place) for place in range(n)],
        parents=["" if parent < 0 else str(parent) for parent in family.parents],
        labels=[show_label(node.name, *_LABEL) for node in family.nodes],
        values=family.values,
        branchvalues="total",
        hovertext=[_explain_node(family, k, None if coloured is None else float(coloured[k])) for k in range(n)],
        hoverinfo="text",
        marker=_mark(family, coloured),
        leaf={"opacity": 1},
        maxdepth=_count_levels(family, max_depth),
        insidetextorientation="auto",
    )
    return figure.update_layout(uniformtext={"minsize": _LEAST_FONT, "mode": "hide"})


def _mark(family: _Family, importance: np.ndarray | None) -> dict[str, Any]:
    if importance is None:
        return {"colors": _colour_by_theme(family)}
    scale = {"title": {"text": "predictive importance", "side": "right"}, "len": 0.5, "tickvals": [0, 0.5, 1]}
    return {
        "colors": importance,
        "colorscale": BLUE_TO_YELLOW,
        "cmin": 0,
        "cmax": 1,
        "showscale": True,
        "colorbar": scale,
    }
