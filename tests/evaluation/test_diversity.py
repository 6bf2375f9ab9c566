"""How much topics differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import coherence as naive
from wayword.errors import InputError
from wayword.evaluation.diversity import inverted_rbo, topic_diversity
from wayword.evaluation.term_lists import top_columns

lists = st.lists(st.integers(0, 8), unique=True, max_size=6)
several = st.lists(lists, min_size=2, max_size=4)


@given(several, st.floats(0.1, 0.95))
def test_inverted_rbo_is_the_infinite_sum(topics, persistence):
    expected = naive.inverted_rbo(topics, persistence)
    assert inverted_rbo(topics, persistence=persistence) == pytest.approx(expected, abs=1e-9)


@given(several)
def test_both_measures_lie_between_0_and_1(topics):
    assert 0 <= inverted_rbo(topics) <= 1
    if any(topics):
        assert 0 < topic_diversity(topics) <= 1


@given(several)
def test_words_score_as_columns_do(topics):
    words = [[f"term {term}" for term in topic] for topic in topics]
    assert inverted_rbo(words) == inverted_rbo(topics)


@given(several)
def test_the_order_of_topics_makes_no_difference(topics):
    assert inverted_rbo(topics[::-1]) == pytest.approx(inverted_rbo(topics))


def test_topics_without_a_term_in_common_are_as_diverse_as_can_be():
    topics = [[0, 1], [2, 3], [4, 5]]
    assert topic_diversity(topics) == inverted_rbo(topics) == 1.0


def test_topics_that_are_the_same_are_not_diverse():
    topics = [[3, 1, 2]] * 4
    assert topic_diversity(topics) == 0.25
    assert inverted_rbo(topics) == pytest.approx(0.0, abs=1e-12)


def test_a_term_shared_at_the_top_counts_more_than_one_at_the_end():
    top, end = [[0, 1, 2], [0, 3, 4]], [[1, 2, 0], [3, 4, 0]]
    assert topic_diversity(top) == topic_diversity(end)
    assert inverted_rbo(top) < inverted_rbo(end)


def test_a_lower_persistence_looks_at_the_first_ranks_more():
    same_first = [[0, 1, 2, 3], [0, 4, 5, 6]]
    assert inverted_rbo(same_first, persistence=0.5) < inverted_rbo(same_first, persistence=0.95)


def test_one_topic_overlaps_with_nothing():
    assert inverted_rbo([[0, 1]]) == 1.0


def test_arrays_are_lists_of_terms_too():
    assert topic_diversity(np.array([[0, 1], [1, 2]])) == 0.75


def test_top_columns_are_the_heaviest_first_and_leave_zeros_out():
    components = [[0.0, 3.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.5]]
    assert top_columns(components, 3) == [[1, 3, 2], [3]]
    assert top_columns(components, 1) == [[1], [3]]


@pytest.mark.parametrize("measure", [topic_diversity, inverted_rbo])
@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([], "at least one topic, got none"),
        ("bed", "topics must be lists of terms"),
        (["bed", "room"], "each topic of topics must be a list of its top terms, got 'bed'"),
        ([[0, 1, 0]], "must name a term once"),
        (np.array([[0.7, 0.3]]), "top_columns finds the top terms"),
    ],
)
def test_wrong_topics_are_errors(measure, topics, said):
    with pytest.raises(InputError, match=said):
        measure(topics)


def test_empty_topics_have_no_diversity():
    with pytest.raises(InputError, match="at least one term"):
        topic_diversity([[], []])


@pytest.mark.parametrize("persistence", [0, 1, -1, 2])
def test_a_wrong_persistence_is_an_error(persistence):
    with pytest.raises(InputError, match="persistence must"):
        inverted_rbo([[0], [1]], persistence=persistence)


@pytest.mark.parametrize(("components", "said"), [([1.0], "shape"), ([[-1.0]], "0 or more"), ([[np.nan]], "finite")])
def test_wrong_components_are_errors(components, said):
    with pytest.raises(InputError, match=said):
        top_columns(components)
