import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayword import NMF
from wayword.errors import InputError
from wayword.hierarchy import TopicTree
from wayword.hierarchy.linkage import cosine_similarities
from wayword.testing import planted_topics, planted_tree

seeds = st.integers(0, 2**32 - 2)
branchings = st.lists(st.integers(1, 3), min_size=1, max_size=3)
shares = st.floats(0, 0.5)
few = settings(max_examples=20)


def assert_sound(corpus, n_topics, n_documents):
    """Everything has the shape it should have, and shares sum to one."""
    n_terms = len(corpus.terms)
    assert corpus.X.shape == (n_documents, n_terms)
    assert corpus.topics.shape == (n_topics, n_terms)
    assert corpus.weights.shape == (n_documents, n_topics)
    assert len(set(corpus.terms)) == n_terms
    np.testing.assert_allclose(corpus.topics.sum(axis=1), 1.0)
    np.testing.assert_allclose(corpus.weights.sum(axis=1), 1.0)
    np.testing.assert_array_equal(corpus.labels, corpus.weights.argmax(axis=1))
    assert (corpus.X.data == np.floor(corpus.X.data)).all()
    assert (np.asarray(corpus.X.sum(axis=1)) >= 2).all()
    np.testing.assert_array_equal(corpus.tree.vectors[:n_topics], corpus.topics)
    assert corpus.tree.weights[-1] == pytest.approx(1.0)
    assert corpus.tree.terms == corpus.terms


@few
@given(seeds, st.integers(1, 6), st.integers(1, 30), st.integers(1, 4), st.integers(0, 4), shares, st.floats(0, 1))
def test_flat_corpora_are_sound(seed, n_topics, n_documents, n_words, n_common, common, mixing):
    settings_ = {"n_words": n_words, "n_common": n_common, "common": common, "mixing": mixing}
    corpus = planted_topics(n_topics, n_documents, random_state=seed, **settings_)
    assert_sound(corpus, n_topics, n_documents)
    assert corpus.tree.parents.tolist() == [n_topics] * n_topics + [-1]


@few
@given(seeds, branchings, st.integers(1, 30), st.integers(1, 4), st.integers(0, 4), shares, shares)
def test_trees_of_corpora_are_sound(seed, branching, n_documents, n_words, n_common, common, inherited):
    settings_ = {"n_words": n_words, "n_common": n_common, "common": common, "inherited": min(inherited, 0.49)}
    corpus = planted_tree(branching, n_documents, random_state=seed, **settings_)
    assert_sound(corpus, int(np.prod(branching)), n_documents)
    assert corpus.tree.root.height == len(branching)


@few
@given(seeds)
def test_the_same_seed_gives_the_same_corpus_and_another_another(seed):
    first, again, other = (planted_tree((2, 2), 20, random_state=each) for each in (seed, seed, seed + 1))
    assert (first.X != again.X).nnz == 0
    np.testing.assert_array_equal(first.weights, again.weights)
    assert first.tree == again.tree
    assert (first.X != other.X).nnz > 0


def test_topics_hold_the_words_of_their_groups_and_no_others():
    corpus = planted_tree((2, 2), 10, n_words=2, n_common=1, common=0.2, inherited=0.4)
    held = {term for term, weight in zip(corpus.terms, corpus.topics[1], strict=True) if weight}
    assert held == {"t0x1w0", "t0x1w1", "t0w0", "t0w1", "common0"}
    by_word = dict(zip(corpus.terms, corpus.topics[1], strict=True))
    assert by_word["common0"] == pytest.approx(0.2)
    assert by_word["t0w0"] + by_word["t0w1"] == pytest.approx(0.4)
    assert by_word["t0w0"] == pytest.approx(2 * by_word["t0w1"])


def test_topics_of_a_group_are_more_alike_than_others():
    corpus = planted_tree((2, 2, 2), 1)
    similarities = cosine_similarities(corpus.topics)
    assert similarities[0, 1] > similarities[0, 2] > similarities[0, 4] > 0


def test_topics_have_equally_many_documents():
    corpus = planted_topics(3, 60, mixing=0.0)
    assert np.bincount(corpus.labels).tolist() == [20, 20, 20]
    assert ((corpus.weights == 0) | (corpus.weights == 1)).all()


def test_counts_are_drawn_from_the_mixtures():
    corpus = planted_topics(3, 3000, length=100)
    expected = corpus.weights @ corpus.topics
    found = np.asarray(corpus.X.sum(axis=0)).ravel() / corpus.X.sum()
    np.testing.assert_allclose(found, expected.mean(axis=0), atol=0.002)
    assert corpus.X.sum(axis=1).mean() == pytest.approx(100, rel=0.02)


def test_a_factorisation_finds_flat_topics():
    corpus = planted_topics(4, 600)
    topics = NMF(4).fit(corpus.X).components_
    similarity = cosine_similarities(np.vstack([topics, corpus.topics]))[:4, 4:]
    assert (similarity.max(axis=0) > 0.95).all()


def test_a_planted_tree_survives_json():
    tree = planted_tree((2, 3), 10).tree
    assert TopicTree.from_json(tree.to_json()) == tree


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"branching": ()}, "branching must be a sequence of whole numbers"),
        ({"branching": "32"}, "branching must be a sequence of whole numbers"),
        ({"branching": 3}, "branching must be a sequence of whole numbers"),
        ({"branching": (3, 0)}, "every number in branching must be a whole number of 1 or more, got 0"),
        ({"n_documents": 0}, "n_documents must be a whole number of 1 or more, got 0"),
        ({"n_words": 0}, "n_words must be a whole number of 1 or more, got 0"),
        ({"n_common": -1}, "n_common must be a whole number of 0 or more, got -1"),
        ({"common": 0.7, "inherited": 0.6}, "common [+] inherited must be a number from 0 to 1, got 1.2"),
        ({"common": 1.0, "inherited": 0.0}, "topics must have words of their own"),
        ({"mixing": 1.1}, "mixing must be a number from 0 to 1, got 1.1"),
        ({"length": -1}, "length must be a number of 0 or more, got -1"),
    ],
)
def test_wrong_settings_are_errors(change, said):
    with pytest.raises(InputError, match=said):
        planted_tree(**change)
