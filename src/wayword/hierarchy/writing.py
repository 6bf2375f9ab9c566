"""Trees as text: JSON, Newick, an indented list, HTML; and as a graph of networkx."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from wayword.errors import FormatError, InputError, MissingExtraError
from wayword.models.inputs import check_whole

if TYPE_CHECKING:
    from wayword.hierarchy.tree import TopicTree

_FORMAT, _VERSION = "wayword tree", 1


def _write_vector(vector: np.ndarray) -> list[list[Any]]:
    """Return the columns that have a weight, and the weights."""
    columns = np.flatnonzero(vector)
    return [columns.tolist(), vector[columns].tolist()]


def write_json(tree: TopicTree) -> str:
    """Return a tree as JSON; vectors are lists of columns and weights."""
    contents = {
        "format": _FORMAT,
        "version": _VERSION,
        "measure": tree.measure,
        "n_terms": tree.vectors.shape[1],
        "terms": None if tree.terms is None else list(tree.terms),
        "names": list(tree.names),
        "parents": tree.parents.tolist(),
        "heights": tree.heights.tolist(),
        "weights": tree.weights.tolist(),
        "vectors": [_write_vector(vector) for vector in tree.vectors],
    }
    return json.dumps(contents, ensure_ascii=False, allow_nan=False)


def _read_numbers(name: str, values: Any, dtype: type) -> np.ndarray:
    """Return a list of numbers as an array; booleans, text and fractions of places are errors."""
    allowed = (int,) if dtype is np.intp else (int, float)
    if not isinstance(values, list) or any(type(value) not in allowed for value in values):
        raise InputError(f"{name} must be a list of {'whole ' if dtype is np.intp else ''}numbers")
    return np.array(values, dtype=dtype)


def _read_names(name: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"{name} must be a list of texts")
    return tuple(values)


def _read_vectors(rows: Any, n_terms: Any) -> np.ndarray:
    """Return vectors of lists of columns and weights."""
    check_whole("n_terms", n_terms, least=0)
    if not isinstance(rows, list):
        raise InputError("vectors must be a list")
    vectors = np.zeros((len(rows), n_terms))
    for row, vector in zip(rows, vectors, strict=True):
        if not isinstance(row, list) or len(row) != 2:
            raise InputError("a vector must be a list of columns and a list of weights")
        columns, weights = _read_numbers("columns", row[0], np.intp), _read_numbers("weights", row[1], np.float64)
        if len(columns) != len(weights) or ((columns < 0) | (columns >= n_terms)).any():
            raise InputError(f"a vector must have as many weights as columns, which are from 0 to {n_terms - 1}")
        vector[columns] = weights
    return vectors


def read_json(text: str | bytes) -> dict[str, Any]:
    """Return the parts of a tree that `write_json` has written."""
    try:
        contents = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"cannot be read as a tree: {error}") from None
    if not isinstance(contents, dict) or contents.get("format") != _FORMAT:
        raise FormatError("not a Wayword tree; expected what TopicTree.to_json has written")
    if contents.get("version") != _VERSION:
        raise FormatError(
            f"version {contents.get('version')!r} of the format, this Wayword reads {_VERSION}; upgrade it"
        )
    try:
        return _read_parts(contents)
    except (InputError, OverflowError, MemoryError) as error:
        raise FormatError(f"damaged tree: {error}") from None
    except KeyError as error:
        raise FormatError(f"damaged tree: {error} is missing") from None


def _read_parts(contents: dict[str, Any]) -> dict[str, Any]:
    return {
        "parents": _read_numbers("parents", contents["parents"], np.intp),
        "heights": _read_numbers("heights", contents["heights"], np.float64),
        "vectors": _read_vectors(contents["vectors"], contents["n_terms"]),
        "weights": _read_numbers("weights", contents["weights"], np.float64),
        "names": _read_names("names", contents["names"]),
        "measure": contents["measure"],
        "terms": None if contents["terms"] is None else _read_names("terms", contents["terms"]),
    }


def _quote(name: str) -> str:
    """Return a name in quotes, as Newick has it: a quote inside is doubled, everything else stands for itself."""
    return "'" + name.replace("'", "''") + "'"


def write_newick(tree: TopicTree) -> str:
    """Return a tree in Newick's format."""
    written = [""] * tree.n_nodes
    for node in tree.nodes:
        below = ",".join(written[child] for child in node.children)
        length = "" if node.parent is None else f":{abs(node.height - float(tree.heights[node.parent]))!r}"
        written[node.id] = (f"({below})" if node.children else "") + _quote(node.name) + length
    return written[-1] + ";"


def write_graph(tree: TopicTree) -> Any:
    """Return a directed graph of networkx."""
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("networkx", "networkx", "a tree as a graph") from None
    graph = networkx.DiGraph(measure=tree.measure)
    for node in tree.nodes:
        graph.add_node(node.id, name=node.name, height=node.height, weight=node.weight, topics=node.topics)
        graph.add_edges_from((node.id, child) for child in node.children)
    return graph


def _on_one_line(name: str) -> str:
    """Return a name without line breaks and other signs that would disturb a list."""
    return "".join(sign if sign.isprintable() else " " for sign in name)


def _walk(tree: TopicTree, write: Callable[[int], str]) -> Iterator[str]:
    """Yield a line for each node, parents before children, drawn with branches."""
    nodes = tree.nodes
    waiting = [(nodes[-1].id, "", "")]
    while waiting:
        place, lead, indent = waiting.pop()
        yield lead + write(place)
        children = nodes[place].children
        for child in reversed(children):
            last = child == children[-1]
            waiting.append((child, indent + ("└── " if last else "├── "), indent + ("    " if last else "│   ")))


def format_tree(tree: TopicTree, *, weights: bool = False, digits: int = 2) -> str:
    """Return a tree as an indented list of names.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    weights : bool
        Whether to say what share of the corpus each node is about.
    digits : int
        Digits of heights, which stand in brackets behind nodes with children; levels have none.

    Examples
    --------
    >>> from wayword import build_tree, format_tree
    >>> print(format_tree(build_tree([[4, 2, 0], [3, 3, 0], [0, 0, 3]], weights=[6, 3, 1]), weights=True))
    all topics [0.00] 100 %
    ├── topic 2 10 %
    └── node 3 [0.95] 90 %
        ├── topic 0 60 %
        └── topic 1 30 %
    """
    check_whole("digits", digits, least=0)
    total = float(tree.weights[-1]) or 1.0
    heights = tree.measure != "level"

    def write(node: int) -> str:
        height = f" [{tree.heights[node]:.{digits}f}]" if heights and node >= tree.n_topics else ""
        share = f" {tree.weights[node] / total:.0%}".replace("%", " %") if weights else ""
        return _on_one_line(tree.names[node]) + height + share

    return "\n".join(_walk(tree, write))


def draw_html(tree: TopicTree) -> str:
    """Return a tree as nested lists that open and close; names are text, whatever they hold."""
    drawn = [""] * tree.n_nodes
    for node in tree.nodes:
        name = html.escape(node.name)
        if node.is_leaf:
            drawn[node.id] = f"<li>{name}</li>"
            continue
        height = "" if tree.measure == "level" else f" <small>{node.height:.2f}</small>"
        below = "".join(drawn[child] for child in node.children)
        drawn[node.id] = f"<li><details open><summary>{name}{height}</summary><ul>{below}</ul></details></li>"
    return f'<ul class="wayword-tree">{drawn[-1]}</ul>'
