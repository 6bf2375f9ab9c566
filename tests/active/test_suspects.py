import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from active.test_guesses import plant, plant_pairs
from wayword.active import ActiveLearner, build_space
from wayword.active.suspects import find_suspects
from wayword.errors import InputError

X, TRUTH = plant()
SPACE = build_space(X)
IDS = [f"d{row}" for row in range(len(TRUTH))]


def make(labels):
    learner = ActiveLearner(X, ids=IDS, space=SPACE)
    for row, label in labels.items():
        learner.label(IDS[row], f"l{label}")
    return learner


@given(st.sets(st.integers(0, 39), min_size=1, max_size=4))
@settings(max_examples=15)
def test_planted_slips_are_the_first_suspects(slips):
    labels = {row: (TRUTH[row] + (row in slips)) % 3 for row in range(40)}
    found = find_suspects(make(labels), least_chance=0.5)
    assert {suspect.row for suspect in found[: len(slips)]} == slips
    for suspect in found[: len(slips)]:
        assert suspect.id == IDS[suspect.row]
        assert suspect.label == f"l{(TRUTH[suspect.row] + 1) % 3}"
        assert suspect.other == f"l{TRUTH[suspect.row]}"
        assert 0.5 <= suspect.chance <= 1


def test_suspects_come_in_order_of_doubt_and_no_less_than_asked_for():
    labels = {row: (TRUTH[row] + (row < 6)) % 3 for row in range(40)}
    learner = make(labels)
    every = [suspect.chance for suspect in find_suspects(learner, least_chance=0.0)]
    assert every == sorted(every, reverse=True)
    some = find_suspects(learner, least_chance=every[3])
    assert [suspect.chance for suspect in some] == [chance for chance in every if chance >= every[3]]


def test_a_label_that_no_other_document_has_is_not_doubted():
    labels = {row: TRUTH[row] for row in range(20)} | {0: 7}
    assert all(suspect.row != 0 for suspect in find_suspects(make(labels), least_chance=0.0))


@pytest.mark.parametrize("labels", [{}, {0: 0}, {0: 0, 1: 1}, {0: 0, 3: 0, 6: 0}], ids=["none", "one", "two", "alike"])
def test_of_too_few_answers_none_is_doubted(labels):
    assert find_suspects(make(labels)) == []


def test_of_several_labels_the_least_likely_is_doubted():
    documents, has = plant_pairs()
    learner = ActiveLearner(documents)
    for row in range(60):
        learner.label(row, [f"l{label}" for label in np.flatnonzero(has[row])])
    learner.label(1, ["l0", "l1", "l2"])
    learner.label(2, ["l1"])
    found = {suspect.row: suspect for suspect in find_suspects(learner, least_chance=0.5)}
    assert found[2].label == "l1"
    assert found[2].other == "l2"
    assert 1 not in found  # it has every label, so that no other is likelier


def test_answers_alone_are_enough_and_rows_are_their_ids():
    labels = {row: (TRUTH[row] + (row < 2)) % 3 for row in range(40)}
    learner = make(labels)
    named = find_suspects(learner, least_chance=0.5)
    found = find_suspects(learner.answers(), held_back=learner.answers().guess_each(), least_chance=0.5)
    assert [(suspect.id, suspect.label, suspect.chance) for suspect in found] == [
        (suspect.row, suspect.label, suspect.chance) for suspect in named
    ]


def test_bad_input_is_an_error():
    learner = make({row: TRUTH[row] for row in range(6)})
    with pytest.raises(InputError, match="least_chance must be a number from 0 to 1"):
        find_suspects(learner, least_chance=2.0)
    with pytest.raises(InputError, match="held_back must be what guess_each"):
        find_suspects(learner, held_back=np.zeros((2, 2)))
