"""Whether topics come again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import stability as naive
from wayword.errors import InputError
from wayword.evaluation.stability import average_jaccard, topic_stability

lists = st.lists(st.integers(0, 8), unique=True, max_size=5)
runs = st.lists(lists, min_size=1, max_size=4)


@given(runs, runs)
def test_similarity_is_the_mean_over_depths(a, b):
    expected = [[naive.average_jaccard(left, right) for right in b] for left in a]
    np.testing.assert_allclose(average_jaccard(a, b), expected, atol=1e-12)


@given(runs, runs)
def test_agreement_is_that_of_the_best_pairing(a, b):
    assert topic_stability(a, b).mean == pytest.approx(naive.agreement(a, b))


@given(runs, runs, st.randoms())
def test_neither_the_order_of_runs_nor_of_topics_matters(a, b, random):
    shuffled = random.sample(b, len(b))
    assert topic_stability(a, b).mean == pytest.approx(topic_stability(shuffled, a).mean)


@given(st.lists(runs, min_size=2, max_size=4))
def test_several_runs_agree_as_two_of_them_do_on_average(sets):
    found = topic_stability(*sets)
    pairs = [topic_stability(a, b).mean for i, a in enumerate(sets) for b in sets[i + 1 :]]
    assert found.mean == pytest.approx(np.mean(pairs))
    assert found.runs == pytest.approx(found.runs.T)
    np.testing.assert_array_equal(np.diag(found.runs), 1.0)
    assert found.topics.shape == (len(sets[0]),)
    assert ((found.topics >= 0) & (found.topics <= 1)).all()


def test_shuffled_topics_agree_fully():
    topics = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    found = topic_stability(topics, topics[::-1], [topics[1], topics[0], topics[2]])
    assert found.mean == 1.0
    np.testing.assert_array_equal(found.topics, 1.0)


def test_a_worked_example():
    first = ["album", "music", "best", "award", "win"]
    second = ["sport", "best", "win", "medal", "award"]
    assert average_jaccard([first], [second])[0, 0] == pytest.approx((0 + 0 + 1 / 5 + 1 / 7 + 3 / 7) / 5)


def test_high_ranks_count_more_than_low_ones():
    same_top, same_end = average_jaccard([[0, 1, 2, 3]], [[0, 1, 8, 9], [8, 9, 2, 3]])[0]
    assert same_top > same_end


def test_the_topic_that_changed_is_told():
    first = [["bed", "room"], ["desk", "staff"]]
    found = topic_stability(first, [["coffee", "egg"], ["bed", "room"]])
    assert found.topics.tolist() == [1.0, 0.0]
    assert found.mean == 0.5


def test_a_topic_that_the_other_run_lacks_counts_as_nothing():
    found = topic_stability([[0, 1], [2, 3]], [[2, 3]])
    assert found.topics.tolist() == [0.0, 1.0]
    assert found.mean == 0.5


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (([], [[0]]), "topics_a must hold at least one topic"),
        (([[0]], [[1, 1]]), "topics_b must name a term once"),
        (([[0]], [[1]], [[0.5]]), "each of more must name terms, got weights"),
        (([[0]], 3), "topics_b must be lists of terms"),
    ],
)
def test_wrong_topics_are_errors(sets, said):
    with pytest.raises(InputError, match=said):
        topic_stability(*sets)
