from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import plots
from wayword.errors import InputError
from wayword.plots import Node

NODES = [
    Node("a1", "a", "apple", 2, "red or green"),
    Node("a", None, "fruit", 99),
    Node("a2", "a", "pear", 6),
    Node("a2x", "a2", "williams", 1),
    Node("a2y", "a2", "conference", 3),
]


def named(figure):
    """Return value and colour of each node by its label."""
    trace = figure.data[0]
    return {
        label: (value, colour)
        for label, value, colour in zip(trace.labels, trace.values.tolist(), trace.marker.colors, strict=True)
    }


@st.composite
def trees(draw):
    """Return nodes of a random tree in random order."""
    n_nodes = draw(st.integers(2, 20))
    parents = [None, *(draw(st.integers(0, place - 1)) for place in range(1, n_nodes))]
    weights = draw(st.lists(st.floats(0.1, 100), min_size=n_nodes, max_size=n_nodes))
    nodes = [Node(place, parents[place], f"n{place}", weights[place]) for place in range(n_nodes)]
    return draw(st.permutations(nodes))


@given(trees())
def test_a_parent_is_as_large_as_its_children_together(nodes):
    trace = plots.sunburst(nodes).data[0]
    values, parents = dict(zip(trace.ids, trace.values, strict=True)), list(trace.parents)
    given_ = {node.name: node.weight for node in nodes}
    for name, own in zip(trace.ids, trace.values, strict=True):
        below = [values[child] for child, parent in zip(trace.ids, parents, strict=True) if parent == name]
        label = trace.labels[int(name)]
        assert own == pytest.approx(sum(below) if below else given_[label])
    assert parents.count("") == 1


@given(trees(), st.randoms())
def test_importance_is_scaled_to_one_and_a_parent_has_the_mean_of_its_children_by_weight(nodes, random):
    inner = {node.parent for node in nodes}
    importance = {node.id: random.random() + 0.01 for node in nodes if node.id not in inner}
    trace = plots.sunburst(nodes, color="importance", importance=importance).data[0]
    colours, values = np.array(trace.marker.colors), np.array(trace.values)
    labels, largest = list(trace.labels), max(importance.values())
    for place, label in enumerate(labels):
        below = [child for child, parent in enumerate(trace.parents) if parent == str(place)]
        expected = np.average(colours[below], weights=values[below]) if below else importance[int(label[1:])] / largest
        assert colours[place] == pytest.approx(expected)
    assert (trace.marker.cmin, trace.marker.cmax) == (0, 1)


def test_yellow_is_one_and_blue_is_zero():
    scale = plots.sunburst(NODES, color="importance", importance=[1, 0, 0]).data[0].marker.colorscale
    channels = {end: [int(colour[k : k + 2], 16) for k in (1, 3, 5)] for end, colour in (scale[0], scale[-1])}
    (red, _, blue), (bright_red, bright_green, bright_blue) = channels[0.0], channels[1.0]
    assert blue > red
    assert min(bright_red, bright_green) > 2 * bright_blue


def test_class_weights_are_summed_over_labels():
    weights = np.array([[1.0, 0.0, 2.0], [1.0, 1.0, 2.0]])
    by_matrix = plots.sunburst(NODES, color="importance", importance=weights)
    by_sums = plots.sunburst(NODES, color="importance", importance=weights.sum(axis=0) / weights.sum())
    assert by_matrix.to_json() == by_sums.to_json()
    colours = {label: colour for label, (_, colour) in named(by_sums).items()}
    assert colours["apple"] == pytest.approx(0.5)
    assert colours["conference"] == 1.0


def test_numbers_are_for_leaves_in_the_order_given():
    by_place = plots.sunburst(NODES, color="importance", importance=[3, 2, 1])
    by_name = plots.sunburst(NODES, color="importance", importance={"a2y": 1, "a1": 3, "a2x": 2})
    assert by_place.to_json() == by_name.to_json()


def test_hovering_tells_name_share_and_text():
    trace = plots.sunburst(NODES).data[0]
    told = dict(zip(trace.labels, trace.hovertext, strict=True))
    assert told["apple"] == "<b>apple</b><br>red or green<br>33% of the whole"
    assert "2 topics directly inside" in told["pear"]


def test_several_roots_get_a_root_of_their_own():
    trace = plots.sunburst([Node(1, None, "a", 1), Node(2, None, "b", 3)]).data[0]
    assert trace.labels == ("all topics", "a", "b")
    assert trace.parents == ("", "0", "0")


def test_below_a_theme_all_have_its_hue_and_neighbouring_themes_another():
    nodes = [Node("r", None, "r", 0), *(Node(k, "r", str(k), 9 - k) for k in range(8)), Node("x", 0, "x", 9)]
    colours = {label: colour for label, (_, colour) in named(plots.sunburst(nodes)).items()}
    around = [colours[str(k)] for k in range(8)]
    assert all(one != other for one, other in zip(around, around[1:] + around[:1], strict=True))
    assert colours["x"] != colours["0"]


def test_a_tree_of_topics_is_drawn_by_its_nodes():
    tree = SimpleNamespace(
        nodes=tuple(SimpleNamespace(id=n.id, parent=n.parent, name=n.name, weight=n.weight) for n in NODES)
    )
    plain = [Node(n.id, n.parent, n.name, n.weight) for n in NODES]
    assert plots.sunburst(tree).to_json() == plots.sunburst(plain).to_json()


def test_a_built_tree_is_drawn():
    build = pytest.importorskip("wayword.hierarchy.build")
    tree = build.build_tree([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 3, 1]], terms=["apple", "pear", "ship", "sail"])
    trace = plots.sunburst(tree, color="importance", importance=[1, 1, 2]).data[0]
    assert len(trace.ids) == tree.n_nodes
    assert trace.values.max() == pytest.approx(sum(node.weight for node in tree.nodes if not node.children))


def test_fewer_rings_are_shown_on_request():
    assert plots.sunburst(NODES, max_depth=1).data[0].maxdepth == 2
    assert plots.sunburst(NODES, max_depth=None).data[0].maxdepth == -1
    with pytest.raises(InputError, match="max_depth must be a whole number of 1 or more, got 0"):
        plots.sunburst(NODES, max_depth=0)


def test_rings_that_would_be_too_full_wait_for_a_click():
    root = Node("all", None, "all", 0)
    groups = [Node(place, "all", "group", 0) for place in range(10)]
    leaves = [Node((group, place), group, "leaf", 1) for group in range(10) for place in range(20)]
    assert plots.sunburst([root, *groups, *leaves]).data[0].maxdepth == 2
    assert plots.sunburst([root, *groups, *leaves[:100]]).data[0].maxdepth == 3
    chain = [Node(place, place - 1 if place else None, "link", 1) for place in range(20)]
    assert plots.sunburst(chain).data[0].maxdepth == 6
    flat = [root, *(Node(place, "all", "leaf", 1) for place in range(300))]
    assert plots.sunburst(flat).data[0].maxdepth == 2


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "one node or more"),
        ([Node(1, None, "a", 0)], "leaves of tree have no weight"),
        ([Node(1, None, "a", 1), Node(1, 1, "b", 1)], "id of its own"),
        ([Node(1, None, "a", 1), Node(2, 7, "b", 1)], "parent 7, which is not in tree"),
        ([Node(1, 2, "a", 1), Node(2, 1, "b", 1)], "must have a root"),
        ([Node(0, None, "r", 1), Node(1, 2, "a", 1), Node(2, 1, "b", 1)], "is its own ancestor"),
        ([Node(0, None, "r", float("nan"))], "finite numbers, got NaN"),
        ([Node(0, None, "r", -1)], "numbers of 0 or more"),
        ([("a", None)], "must have id, parent, name and weight"),
    ],
)
def test_what_is_no_tree_is_an_error(nodes, message):
    with pytest.raises(InputError, match=message):
        plots.sunburst(nodes)


@pytest.mark.parametrize(
    ("importance", "message"),
    [
        (None, "needs importance"),
        ([1, 2], r"shape \(n_leaves=3\), got \(2,\)"),
        ({"a1": 1}, "none for 'a2x'"),
        ([1, 2, -1], "0 or more"),
    ],
)
def test_importance_must_fit_the_leaves(importance, message):
    with pytest.raises(InputError, match=message):
        plots.sunburst(NODES, color="importance", importance=importance)


def test_no_importance_at_all_is_all_blue():
    assert not np.array(plots.sunburst(NODES, color="importance", importance=[0, 0, 0]).data[0].marker.colors).any()
