"""The coherence of topics."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from naive import coherence as naive
from wayword.errors import InputError
from wayword.evaluation.coherence import c_v, npmi, umass

MEASURES = [npmi, umass, c_v]
every_measure = pytest.mark.parametrize("measure", MEASURES)
counts = st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=2, max_size=12)
topics = st.permutations(range(4)).flatmap(lambda terms: st.integers(2, 4).map(lambda n: terms[:n]))


@given(counts, topics, st.floats(-1, 0))
def test_npmi_equals_the_definition(rows, topic, unseen):
    expected = naive.npmi(topic, rows, unseen)
    assert npmi([topic], np.array(rows), unseen=unseen)[0] == pytest.approx(expected)


@given(counts, topics)
def test_umass_equals_the_definition(rows, topic):
    assert umass([topic], np.array(rows))[0] == pytest.approx(naive.umass(topic, rows))


@given(counts, topics)
def test_c_v_equals_the_definition(rows, topic):
    assert c_v([topic], np.array(rows))[0] == pytest.approx(naive.c_v(topic, rows), abs=1e-9)


@every_measure
@given(counts, topics)
def test_topics_of_two_terms_or_more_have_a_finite_score(measure, rows, topic):
    assert np.isfinite(measure([topic, topic[::-1]], np.array(rows))).all()


@given(counts, topics)
def test_npmi_and_c_v_lie_between_minus_one_and_one(rows, topic):
    for measure in (npmi, c_v):
        assert -1 - 1e-9 <= measure([topic], np.array(rows))[0] <= 1 + 1e-9


@every_measure
@given(counts, topics, st.integers(1, 3))
def test_other_topics_make_no_difference(measure, rows, topic, n):
    X = np.array(rows)
    np.testing.assert_array_equal(measure([[0, 1, 2, 3]] * n + [topic], X)[-1:], measure([topic], X))


@every_measure
def test_counts_do_not_matter_only_presence(measure):
    X = np.random.RandomState(0).poisson(0.7, (30, 5))
    assert measure([[0, 1, 2]], X) == pytest.approx(measure([[0, 1, 2]], (X > 0).astype(int)))


@every_measure
def test_sparse_and_dense_counts_score_the_same(measure):
    X = np.random.RandomState(1).poisson(0.7, (30, 5))
    np.testing.assert_array_equal(measure([[0, 1, 4]], X), measure([[0, 1, 4]], sparse.csr_matrix(X)))


@every_measure
def test_terms_that_go_together_score_more_than_terms_that_do_not(measure):
    rng = np.random.default_rng(0)
    X = rng.poisson(np.repeat([[1, 1, 1, 0.05, 0.05, 0.05], [0.05, 0.05, 0.05, 1, 1, 1]], 100, axis=0))
    together, mixed = measure([[0, 1, 2], [0, 3, 1]], X)
    assert together > mixed


@every_measure
def test_a_topic_of_one_term_or_none_has_no_score(measure):
    assert np.isnan(measure([[0], []], [[1, 0]])).all()


@every_measure
def test_a_corpus_without_documents_has_a_finite_score(measure):
    assert np.isfinite(measure([[0, 1]], np.zeros((0, 2)))).all()


def test_terms_that_always_come_together_have_npmi_one():
    assert npmi([[0, 1]], [[1, 1, 0], [2, 1, 0], [0, 0, 1]])[0] == pytest.approx(1.0)


def test_terms_that_never_meet_score_what_unseen_says():
    assert npmi([[0, 1]], [[1, 0], [0, 1]])[0] == -1.0
    assert npmi([[0, 1]], [[1, 0], [0, 1]], unseen=0)[0] == 0.0


def test_umass_looks_at_the_documents_of_the_term_that_ranks_higher():
    X = [[1, 1], [1, 0], [1, 0], [0, 1]]
    assert umass([[0, 1], [1, 0]], X) == pytest.approx([log(2 / 3), log(2 / 2)])


def test_a_term_that_is_nowhere_has_the_least_umass():
    X = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 1], [0, 1, 1]])
    assert umass([[0, 1], [1, 0]], X) == pytest.approx([log(1 / 4), log(1 / 3)])


@every_measure
@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([[0, 5]], "has 2 columns"),
        ([[-1, 0]], "has 2 columns"),
        ([[0.7, 0.3]], "lists of columns, got 0.7; top_columns"),
        ([["bed", "room"]], "lists of columns, got 'bed'"),
    ],
)
def test_wrong_topics_are_errors(measure, topics, said):
    with pytest.raises(InputError, match=said):
        measure(topics, [[1, 0]])


@pytest.mark.parametrize("unseen", [-2, 0.5, "none"])
def test_a_wrong_score_of_unseen_pairs_is_an_error(unseen):
    with pytest.raises(InputError, match="unseen must be a number from -1 to 0"):
        npmi([[0, 1]], [[1, 1]], unseen=unseen)
