import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from naive import hierarchy as naive
from wayword.hierarchy import build_tree
from wayword.hierarchy.linkage import cosine_similarities, link_average, link_single

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 9)
LINKAGES = ["single", "average", "ward"]
every_linkage = pytest.mark.parametrize("method", LINKAGES)


def draw_similarities(seed, n_topics, n_values):
    """Return similarities of few values, so that many are equal."""
    rng = np.random.default_rng(seed)
    values = rng.choice(np.round(rng.random(n_values), 3), size=(n_topics, n_topics))
    similarities = np.triu(values, 1) + np.triu(values, 1).T
    np.fill_diagonal(similarities, 1.0)
    return similarities


def draw_topics(seed, n_topics, n_terms=4):
    """Return topics of small whole numbers: some are multiples of others, some are empty, many are equally similar."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, size=(n_topics, n_terms)) * (rng.random((n_topics, n_terms)) < 0.6)
    return topics * rng.choice([0.5, 1.0, 3.0], size=(n_topics, 1))


def groups_of(tree):
    """Return the topics of each inner node with its height."""
    return {frozenset(node.topics): node.height for node in tree.nodes if node.children}


def groups_of_shape(shape, n_topics):
    below = [{node} if node < n_topics else set() for node in range(len(shape.parents))]
    for node, parent in enumerate(shape.parents[:-1]):
        below[parent] |= below[node]
    return {frozenset(topics): shape.heights[node] for node, topics in enumerate(below) if node >= n_topics}


@given(seeds, sizes, st.integers(1, 12))
def test_single_linkage_is_the_tree_of_threshold_graphs(seed, n_topics, n_values):
    similarities = draw_similarities(seed, n_topics, n_values)
    shape = link_single(similarities)
    assert groups_of_shape(shape, n_topics) == naive.threshold_tree(similarities)


@given(seeds, sizes)
def test_tree_of_topics_is_that_of_their_threshold_graphs(seed, n_topics):
    topics = draw_topics(seed, n_topics)
    assert groups_of(build_tree(topics)) == naive.threshold_tree(naive.similarities(topics))


@given(seeds, sizes)
def test_cosines_are_those_of_the_naive_twin(seed, n_topics):
    topics = np.random.default_rng(seed).gamma(0.3, 100.0, size=(n_topics, 6))
    expected = naive.similarities(topics)
    np.testing.assert_allclose(cosine_similarities(topics), expected, atol=2e-12)


@given(seeds, sizes, st.integers(-300, 300))
def test_scales_of_topics_change_no_similarity(seed, n_topics, power):
    topics = np.random.default_rng(seed).random((n_topics, 5))
    scaled = topics * np.exp2(float(power))
    np.testing.assert_array_equal(cosine_similarities(scaled), cosine_similarities(topics))


@given(seeds, st.integers(2, 9))
def test_average_linkage_without_ties_is_that_of_scipy(seed, n_topics):
    topics = np.random.default_rng(seed).random((n_topics, 6))
    similarities = cosine_similarities(topics)
    merged = hierarchy.linkage(1.0 - squareform(similarities, checks=False), method="average")
    shape = link_average(similarities)
    assert len(shape.parents) == 2 * n_topics - 1
    np.testing.assert_allclose(shape.heights[n_topics:], 1.0 - merged[:, 2], atol=1e-12)
    for node, pair in enumerate(merged[:, :2].astype(int), n_topics):
        assert shape.parents[pair].tolist() == [node, node]


@every_linkage
@given(seed=seeds, n_topics=sizes)
def test_parents_are_the_sums_of_their_children(method, seed, n_topics):
    topics = draw_topics(seed, n_topics)
    weights = np.random.default_rng(seed).random(n_topics)
    tree = build_tree(topics, method=method, weights=weights)
    np.testing.assert_array_equal(tree.vectors[:n_topics], topics)
    for node in tree.nodes:
        np.testing.assert_allclose(node.vector, topics[list(node.topics)].sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(node.weight, weights[list(node.topics)].sum(), rtol=1e-12)


@every_linkage
@given(seed=seeds, n_topics=sizes)
def test_topics_in_another_order_form_the_same_groups(method, seed, n_topics):
    # Without ties: among equals, average linkage and Ward's go by the order.
    topics = np.random.default_rng(seed).random((n_topics, 6))
    order = np.random.default_rng(seed).permutation(n_topics)
    renamed = {
        frozenset(order[list(topics)].tolist()): height
        for topics, height in groups_of(build_tree(topics[order], method=method)).items()
    }
    expected = groups_of(build_tree(topics, method=method))
    assert renamed.keys() == expected.keys()
    for group, height in expected.items():
        assert renamed[group] == pytest.approx(height, abs=1e-9)


@every_linkage
@given(seed=seeds, n_topics=sizes)
def test_no_inner_node_has_a_single_child_or_the_height_of_its_parent(method, seed, n_topics):
    tree = build_tree(draw_topics(seed, n_topics), method=method)
    for node in tree.nodes:
        assert len(node.children) != 1
        if node.children and node.parent is not None:
            assert node.height != tree.heights[node.parent]


@every_linkage
def test_duplicates_and_multiples_of_a_topic_join_in_one_node(method):
    tree = build_tree([[1, 2, 0], [2, 4, 0], [10, 20, 0], [0, 0, 1]], method=method)
    assert tree.nodes[4].children == (0, 1, 2)
    assert tree.nodes[4].height == (0.0 if method == "ward" else 1.0)
    assert tree.root.children == (3, 4)


def test_equal_similarities_make_one_node_of_many_children():
    tree = build_tree(np.eye(5) + 1.0)
    assert tree.root.children == (0, 1, 2, 3, 4)
    assert tree.n_nodes == 6


def test_a_topic_without_weights_joins_at_similarity_zero():
    tree = build_tree([[1, 2], [0, 0], [2, 1], [0, 0]])
    assert tree.root.height == 0.0
    assert tree.root.children == (1, 3, 4)
    assert tree.nodes[4].topics == (0, 2)
    assert tree.nodes[4].height == pytest.approx(0.8)


@every_linkage
def test_one_topic_is_a_tree_of_one_node(method):
    tree = build_tree([[3, 1]], method=method)
    assert (tree.n_nodes, tree.n_topics, tree.root.id, tree.root.parent) == (1, 1, 0, None)
    assert tree.names == ("topic 0",)
    assert tree.cut(n_clusters=1).tolist() == [0]


@every_linkage
@pytest.mark.parametrize("topics", [[[1, 0], [0, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 0]], [[0, 0], [1, 2]]])
def test_two_topics_are_children_of_the_root(method, topics):
    tree = build_tree(topics, method=method)
    assert tree.parents.tolist() == [2, 2, -1]


def test_two_topics_join_at_their_cosine_and_their_distance():
    topics = [[3.0, 4.0], [4.0, 3.0]]
    assert build_tree(topics).root.height == pytest.approx(0.96)
    assert build_tree(topics, method="average").root.height == pytest.approx(0.96)
    assert build_tree(topics, method="ward").root.height == pytest.approx(np.sqrt(2 * (1 - 0.96)))
