from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from wayword import match_topics, resolved_topics, topic_coverage, weighted_jaccard
from wayword.errors import InputError

weights = st.floats(0, 5)
pairs = st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda size: st.tuples(
        hnp.arrays(float, (size[0], size[1]), elements=weights), hnp.arrays(float, (size[0], size[2]), elements=weights)
    )
)


def naive_jaccard(a, b):
    """Equation 14 of the second seed."""
    larger = sum(max(x, y) for x, y in zip(a, b, strict=True))
    return sum(min(x, y) for x, y in zip(a, b, strict=True)) / larger if larger > 0 else 0.0


@given(pairs)
def test_similarity_is_equation_14_for_each_topic_and_label(matrices):
    W, W_true = matrices
    expected = [[naive_jaccard(topic, label) for label in W_true.T] for topic in W.T]
    np.testing.assert_allclose(weighted_jaccard(W, W_true), expected, rtol=1e-9, atol=1e-12)
    sparse_too = weighted_jaccard(sparse.csr_matrix(W), sparse.csr_matrix(W_true))
    np.testing.assert_allclose(sparse_too, expected, rtol=1e-9, atol=1e-12)


@given(pairs)
def test_similarity_lies_between_0_and_1_and_a_topic_is_like_itself(matrices):
    W, W_true = matrices
    similarity = weighted_jaccard(W, W_true)
    assert ((similarity >= 0) & (similarity <= 1 + 1e-12)).all()
    itself = np.diag(weighted_jaccard(W, W))
    np.testing.assert_allclose(itself, (W.sum(axis=0) > 0).astype(float))


@given(hnp.arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.floats(0, 1)))
def test_no_other_pairing_adds_up_to_more(similarity):
    match = match_topics(similarity)
    best = similarity if similarity.shape[0] <= similarity.shape[1] else similarity.T
    totals = [best[range(len(best)), columns].sum() for columns in permutations(range(best.shape[1]), len(best))]
    assert match.similarities.sum() == pytest.approx(max(totals))
    assert len(set(match.topics)) == len(match.topics) == min(similarity.shape)
    assert match.labels.tolist() == sorted(match.labels)


def test_shuffled_topics_are_found_again():
    rng = np.random.default_rng(0)
    W_true = rng.dirichlet(np.full(6, 0.1), size=200)
    order = rng.permutation(6)
    match = match_topics(weighted_jaccard(W_true[:, order], W_true))
    assert order[match.topics].tolist() == match.labels.tolist()
    assert match.mean == pytest.approx(1.0)
    assert resolved_topics(match).tolist() == list(range(6))


def test_resolved_means_more_similar_than_the_threshold():
    match = match_topics([[0.1, 0.0], [0.0, 0.2]])
    assert resolved_topics(match).tolist() == [1]
    assert resolved_topics(match, threshold=0.05).tolist() == [0, 1]


def test_coverage_is_the_share_of_labels_seen():
    labels = [("a",), ("b", "c"), ("d",), ()]
    assert topic_coverage(labels, [0, 1]) == 0.75
    assert topic_coverage(labels, []) == 0.0
    assert topic_coverage(labels, range(4)) == 1.0


@pytest.mark.parametrize(
    ("W", "W_true", "said"),
    [
        ([[1.0]], [[1.0], [1.0]], "W has 1 documents, W_true 2"),
        ([1.0], [[1.0]], "W must be a matrix"),
        ([[np.nan]], [[1.0]], "W must hold finite"),
        ([[1.0]], [[-1.0]], "W_true must hold finite"),
    ],
)
def test_wrong_weights_are_errors(W, W_true, said):
    with pytest.raises(InputError, match=said):
        weighted_jaccard(W, W_true)


@pytest.mark.parametrize("wrong", [[], [[np.nan]], [1.0]])
def test_wrong_similarities_are_errors(wrong):
    with pytest.raises(InputError, match="topics by labels"):
        match_topics(wrong)


def test_coverage_without_labels_is_an_error():
    with pytest.raises(InputError, match="no document has a label"):
        topic_coverage([(), ()], [0])
