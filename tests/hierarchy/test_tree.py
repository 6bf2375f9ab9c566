import html
import json
import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierarchy.trees import HOSTILE, draw_tree
from naive import hierarchy as naive
from wayword.errors import FormatError, InputError, MissingExtraError
from wayword.hierarchy import TopicTree, build_tree, format_tree, node_terms

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 9)
MEASURES = ["similarity", "distance", "level"]
names_of = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))


def small_tree(names=("a", "b", "c")):
    return build_tree([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 3, 1]], names=names, terms=["w", "x", "y", "z"])


@given(seeds, sizes)
def test_children_parents_and_topics_of_nodes_fit_together(seed, n_topics):
    tree = draw_tree(seed, n_topics)
    nodes = tree.nodes
    assert [node.id for node in nodes] == list(range(tree.n_nodes))
    assert [node.id for node in nodes if node.is_leaf] == list(range(tree.n_topics)) == list(range(n_topics))
    assert tree.root.topics == tuple(range(n_topics))
    for node in nodes:
        assert all(nodes[child].parent == node.id for child in node.children)
        below = {topic for child in node.children for topic in nodes[child].topics} or {node.id}
        assert set(node.topics) == below


@given(seeds, sizes, st.lists(names_of, min_size=1, max_size=6), st.sampled_from(MEASURES))
def test_json_and_back_is_the_same_tree(seed, n_topics, names, measure):
    tree = draw_tree(seed, n_topics, measure, names)
    back = TopicTree.from_json(tree.to_json())
    assert back == tree
    assert back.names == tree.names
    assert back.vectors.tobytes() == tree.vectors.tobytes()


@given(seeds, sizes, st.lists(names_of, min_size=1, max_size=6), st.sampled_from(MEASURES))
def test_newick_and_back_has_the_same_names_children_and_lengths(seed, n_topics, names, measure):
    tree = draw_tree(seed, n_topics, measure, names)
    nodes = tree.nodes

    def expect(node):
        length = None if node.parent is None else abs(node.height - nodes[node.parent].height)
        return node.name, length, [expect(nodes[child]) for child in node.children]

    assert naive.parse_newick(tree.to_newick()) == expect(tree.root)


@given(seeds, sizes, st.lists(names_of, min_size=1, max_size=6))
def test_text_has_one_line_for_each_node_whatever_the_names(seed, n_topics, names):
    tree = draw_tree(seed, n_topics, names=names)
    lines = format_tree(tree, weights=True).split("\n")
    assert len(lines) == len(str(tree).splitlines()) == tree.n_nodes


@pytest.mark.parametrize("name", HOSTILE)
def test_html_shows_names_as_text(name):
    shown = small_tree((name, "b", "c"))._repr_html_()
    assert f"<li>{html.escape(name)}</li>" in shown
    assert "<script" not in shown
    assert shown.count("<li>") == shown.count("</li>") == 5


def test_text_is_indented_with_heights_of_inner_nodes():
    assert str(small_tree()).split("\n") == [
        "all topics [0.00]",
        "├── c",
        "└── w x [0.95]",
        "    ├── a",
        "    └── b",
    ]


def test_text_shows_shares_of_the_corpus():
    tree = build_tree([[1, 0], [0, 1]], names=["a", "b"], weights=[3, 1])
    assert format_tree(tree, weights=True, digits=1) == "all topics [0.0] 100 %\n├── a 75 %\n└── b 25 %"


def test_graph_has_an_edge_from_each_parent_to_each_child():
    networkx = pytest.importorskip("networkx")
    tree = small_tree(("it's", "<b>", "c"))
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph)
    assert sorted(graph.edges) == [(3, 0), (3, 1), (4, 2), (4, 3)]
    assert graph.nodes[0]["name"] == "it's"
    assert graph.nodes[3]["topics"] == (0, 1)
    assert graph.nodes[3]["height"] == tree.heights[3]


def test_without_networkx_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'wayword\[networkx\]'"):
        small_tree().to_networkx()


@given(seeds, sizes, st.sampled_from(MEASURES), st.floats(-0.2, 1.2))
def test_a_cut_puts_topics_together_that_a_close_enough_node_holds(seed, n_topics, measure, height):
    tree = draw_tree(seed, n_topics, measure)
    clusters = tree.cut(height=height)
    close = tree.heights >= height if measure == "similarity" else tree.heights <= height
    groups = [set(node.topics) for node in tree.nodes if node.children and close[node.id]]
    for i in range(n_topics):
        for j in range(n_topics):
            together = i == j or any({i, j} <= group for group in groups)
            assert (clusters[i] == clusters[j]) == together


@given(seeds, sizes, st.sampled_from(MEASURES), st.integers(1, 10))
def test_a_cut_leaves_no_more_clusters_than_asked_for(seed, n_topics, measure, n_clusters):
    tree = draw_tree(seed, n_topics, measure)
    found = len(set(tree.cut(n_clusters=n_clusters).tolist()))
    assert found <= n_clusters
    most = max(len(node.children) for node in tree.nodes)
    # The next node to open would have made too many.
    assert found == n_topics or found + most - 1 > n_clusters


@given(seeds, sizes, st.integers(1, 10))
def test_a_tree_without_ties_is_cut_into_exactly_as_many(seed, n_topics, n_clusters):
    tree = build_tree(np.random.default_rng(seed).random((n_topics, 6)), method="ward")
    clusters = tree.cut(n_clusters=n_clusters)
    assert len(set(clusters.tolist())) == min(n_clusters, n_topics)
    # Numbered in the order of first topics.
    assert list(dict.fromkeys(clusters.tolist())) == list(range(clusters.max() + 1))


@given(seeds, sizes, st.sampled_from(MEASURES), st.integers(1, 10))
def test_a_pruned_tree_has_the_clusters_as_leaves(seed, n_topics, measure, n_clusters):
    tree = draw_tree(seed, n_topics, measure)
    clusters, pruned = tree.cut(n_clusters=n_clusters), tree.prune(n_clusters=n_clusters)
    assert pruned.n_topics == clusters.max() + 1
    whole = {tuple(node.topics): node for node in tree.nodes}
    for leaf in pruned.nodes[: pruned.n_topics]:
        topics = tuple(np.flatnonzero(clusters == leaf.id).tolist())
        assert topics in whole
    names = {node.name for node in tree.nodes}
    assert {node.name for node in pruned.nodes} <= names
    assert pruned.root.name == tree.root.name
    assert pruned.measure == tree.measure


def test_cutting_needs_one_of_height_and_number():
    with pytest.raises(InputError, match="give either height or n_clusters"):
        small_tree().cut()
    with pytest.raises(InputError, match="give either height or n_clusters"):
        small_tree().prune(height=0.5, n_clusters=2)
    with pytest.raises(InputError, match="n_clusters must be a whole number of 1 or more, got 0"):
        small_tree().cut(n_clusters=0)
    with pytest.raises(InputError, match="height must be a number"):
        small_tree().cut(height=float("nan"))


def test_names_are_the_terms_that_siblings_do_not_hold():
    topics = [[9, 5, 0, 0, 0], [9, 0, 5, 0, 0], [0, 0, 0, 9, 5]]
    tree = build_tree(topics, terms=["fruit", "apple", "pear", "ship", "sail"], n_terms=1, purity_ratio=1.0)
    assert tree.names == ("apple", "pear", "ship", "fruit", "all topics")
    by_share = build_tree(topics, terms=["fruit", "apple", "pear", "ship", "sail"], n_terms=1, purity_ratio=0.0)
    assert by_share.names[:2] == ("fruit", "fruit")


def test_terms_of_nodes_are_those_of_their_names():
    tree = small_tree()
    assert [[term for term, _ in terms] for terms in node_terms(tree, 2)][3] == ["w", "x"]
    with pytest.raises(InputError, match="the tree does not know its terms"):
        node_terms(build_tree([[1, 2]]))


def test_a_topic_without_weights_is_called_by_its_number():
    assert build_tree([[1, 2], [0, 0]], terms=["a", "b"]).names == ("b a", "topic 1", "all topics")


def test_renaming_leaves_or_all_nodes():
    tree = small_tree()
    assert tree.rename(["x", "y", "z"]).names == ("x", "y", "z", *tree.names[3:])
    assert tree.rename(list("vwxyz")).names == tuple("vwxyz")
    with pytest.raises(InputError, match="names must name each of 3 topics or each of 5 nodes, got 4"):
        tree.rename(list("wxyz"))


def test_trees_that_differ_are_not_equal():
    tree = small_tree()
    assert tree == small_tree()
    assert tree != tree.rename(["x", "y", "z"])
    assert tree != build_tree(2 * tree.vectors[:3], names=["a", "b", "c"], terms=tree.terms)
    assert tree != "a tree"


def test_a_tree_cannot_be_changed_and_leaves_what_it_was_made_of_alone():
    topics = np.array([[4.0, 2.0], [1.0, 3.0]])
    tree = build_tree(topics)
    for name in ("parents", "heights", "vectors", "weights"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0
    with pytest.raises(AttributeError):
        tree.names = ()
    topics[0] = 9.0
    assert tree.vectors[0].tolist() == [4.0, 2.0]
    assert pickle.loads(pickle.dumps(tree)) == tree


@pytest.mark.parametrize(
    ("parents", "said"),
    [
        ([], "parents must name"),
        ([0], "parents must name"),
        ([2, 2, 0], "parents must name"),
        ([1, 0, -1], "parents must name"),
        ([-1, 2, -1], "parents must name"),
        ([1, 3, 3, -1], "parents must name"),
        ([9, 2, -1], "parents must name"),
    ],
)
def test_parents_that_make_no_tree_are_errors(parents, said):
    n_nodes = len(parents)
    with pytest.raises(InputError, match=said):
        TopicTree(np.array(parents), np.ones(n_nodes), np.ones((n_nodes, 1)), np.ones(n_nodes), ("",) * n_nodes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"heights": np.array([1.0, 1.0, 1.0, 0.1, 0.2])}, "heights must be finite and fall towards the root"),
        ({"heights": np.array([1.0, 1.0, 1.0, np.nan, 0.2])}, "heights must be finite"),
        ({"measure": "distance", "heights": np.array([0, 0, 0, 2.0, 1.0])}, "rise towards the root"),
        ({"measure": "size"}, "measure must be one of"),
        ({"names": ("a",)}, "names must have one entry for each of 5 nodes"),
        ({"weights": -np.ones(5)}, "weights must hold finite numbers of 0 or more"),
        ({"terms": ("a",)}, "terms must name each of 2 columns of vectors, got 1"),
    ],
)
def test_parts_that_do_not_fit_are_errors(change, said):
    right = {
        "parents": np.array([3, 3, 4, 4, -1]),
        "heights": np.array([1.0, 1.0, 1.0, 0.5, 0.0]),
        "vectors": np.ones((5, 2)),
        "weights": np.ones(5),
        "names": tuple("abcde"),
    }
    TopicTree(**right)
    with pytest.raises(InputError, match=said):
        TopicTree(**{**right, **change})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "other"}, "not a Wayword tree"),
        ({"version": 99}, "version 99 of the format, this Wayword reads 1"),
        ({"parents": [3, 3, 4, 4, "x"]}, "parents must be a list of whole numbers"),
        ({"parents": [3, 3, 4, 4, 4]}, "damaged tree: parents must name"),
        ({"parents": [3, 3, 4, 10**30, -1]}, "damaged tree"),
        ({"heights": [1, 1, 1, True, 0]}, "heights must be a list of numbers"),
        ({"names": [1, 2, 3, 4, 5]}, "names must be a list of texts"),
        ({"n_terms": -1}, "n_terms must be a whole number"),
        ({"vectors": 3}, "vectors must be a list"),
        ({"vectors": [[1]] * 5}, "a vector must be a list of columns and a list of weights"),
        ({"vectors": [[[9], [1.0]]] * 5}, "columns, which are from 0 to 3"),
        ({"vectors": [[[0], [float("nan")]]] * 5}, "finite"),
        ({"terms": "abcd"}, "terms must be a list of texts"),
    ],
)
def test_damaged_json_is_a_format_error(change, said):
    contents = json.loads(small_tree().to_json())
    with pytest.raises(FormatError, match=said):
        TopicTree.from_json(json.dumps({**contents, **change}))


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "null", "3"])
def test_what_is_no_json_of_a_tree_is_a_format_error(text):
    with pytest.raises(FormatError):
        TopicTree.from_json(text)


def test_a_missing_part_of_json_is_a_format_error():
    contents = json.loads(small_tree().to_json())
    del contents["heights"]
    with pytest.raises(FormatError, match="damaged tree: 'heights' is missing"):
        TopicTree.from_json(json.dumps(contents))
