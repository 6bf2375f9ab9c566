import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierarchy.trees import draw_tree
from naive import hierarchy as naive
from wayword.errors import InputError
from wayword.hierarchy import build_tree, dendrogram_purity, triplet_agreement

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 9)
STAR = np.eye(4)


def same(found, expected):
    return found == pytest.approx(expected, nan_ok=True)


@given(seeds, seeds, sizes)
def test_triplet_agreement_is_that_of_the_naive_twin(seed, other, n_topics):
    tree, truth = draw_tree(seed, n_topics), draw_tree(other, n_topics, "level")
    assert same(triplet_agreement(tree, truth), naive.triplet_agreement(tree, truth))


@given(seeds, seeds, sizes)
def test_purity_is_that_of_the_naive_twin(seed, other, n_topics):
    tree = draw_tree(seed, n_topics)
    rng = np.random.default_rng(other)
    classes = rng.gamma(0.5, size=(n_topics, 3)) * (rng.random((n_topics, 3)) < 0.6)
    assert same(dendrogram_purity(tree, classes), naive.dendrogram_purity(tree, classes))


@given(seeds, seeds, sizes)
def test_names_of_classes_are_weights_of_one(seed, other, n_topics):
    tree = draw_tree(seed, n_topics)
    classes = np.random.default_rng(other).integers(3, size=n_topics)
    expected = dendrogram_purity(tree, np.eye(3)[classes])
    assert same(dendrogram_purity(tree, classes), expected)
    assert same(dendrogram_purity(tree, [f"class {k}" for k in classes]), expected)


@given(seeds, st.integers(3, 9))
def test_a_tree_agrees_with_itself(seed, n_topics):
    tree = build_tree(np.random.default_rng(seed).random((n_topics, 5)))
    assert triplet_agreement(tree, tree) == 1.0


@given(seeds, seeds, st.integers(2, 9), st.floats(0.01, 100))
def test_the_scale_of_weights_changes_no_purity(seed, other, n_topics, scale):
    tree = draw_tree(seed, n_topics)
    classes = np.random.default_rng(other).random((n_topics, 2))
    assert dendrogram_purity(tree, scale * classes) == pytest.approx(dendrogram_purity(tree, classes))


def test_a_tree_without_groups_agrees_on_nothing_and_decides_nothing():
    star, pairs = build_tree(STAR), build_tree([[1, 0, 0], [2, 1, 0], [0, 0, 1], [0, 1, 2]])
    assert triplet_agreement(star, pairs) == 0.0
    assert np.isnan(triplet_agreement(pairs, star))


def test_a_tree_without_groups_is_as_pure_as_all_topics_together():
    assert dendrogram_purity(build_tree(STAR), ["a", "a", "b", "b"]) == 0.5


def test_purity_of_classes_that_never_meet_is_not_a_number():
    assert np.isnan(dendrogram_purity(build_tree(STAR), ["a", "b", "c", "d"]))


def test_a_hundred_topics_have_all_triplets_looked_at():
    # Pairs in a row of nested groups: the third topic of any three is the last to join.
    n_topics = 100
    chain = build_tree(np.triu(np.ones((n_topics, n_topics))))
    flipped = build_tree(np.triu(np.ones((n_topics, n_topics)))[::-1])
    assert triplet_agreement(chain, chain) == 1.0
    assert triplet_agreement(flipped, chain) == 0.0


def test_trees_of_other_topics_are_an_error():
    with pytest.raises(InputError, match="trees must have the same topics, got 4 and 2 topics"):
        triplet_agreement(build_tree(STAR), build_tree(np.eye(2)))


@pytest.mark.parametrize("labels", ["abcd", ["a", "b"], 3, None])
def test_labels_that_are_not_one_for_each_topic_are_an_error(labels):
    with pytest.raises(InputError, match="labels must name a class, or weigh all classes, for each of 4 topics"):
        dendrogram_purity(build_tree(STAR), labels)


def test_wrong_weights_of_classes_are_an_error():
    with pytest.raises(InputError, match=r"labels must have the shape \(n_topics=4, n_classes\), got \(2, 2\)"):
        dendrogram_purity(build_tree(STAR), np.eye(2))
    with pytest.raises(InputError, match="labels must hold finite numbers of 0 or more, got -1"):
        dendrogram_purity(build_tree(STAR), -np.eye(4))
