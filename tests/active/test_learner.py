from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from active.test_guesses import plant, plant_pairs
from wayword.active import ActiveLearner, build_space
from wayword.errors import InputError

X, TRUTH = plant()
NAMES = np.array(["corn", "oil", "ship"])[TRUTH]
IDS = [f"d{row}" for row in range(len(TRUTH))]
SPACE = build_space(X)


def make(n_labelled=0):
    learner = ActiveLearner(X, ids=IDS, space=SPACE)
    for row in range(n_labelled):
        learner.label(IDS[row], NAMES[row])
    return learner


def test_every_answer_is_followed_at_once():
    learner = make(6)
    assert learner.classes_ == ["corn", "oil", "ship"]
    assert np.mean(np.array(learner.predict()) == NAMES) > 0.95
    learner.label(IDS[6], "new")
    assert "new" in learner.classes_
    assert learner.predict()[6] == "new"


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["corn", "oil", "ship"])), max_size=5), st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_labelling_then_unlabelling_restores_everything_to_the_last_bit(answers, row):
    learner = make()
    for other, name in [(10, "corn"), (11, "oil"), *answers]:
        if other != row:
            learner.label(IDS[other], name)
    before, asked = learner.predict_proba(), learner.next(3)
    learner.label(IDS[row], "ship")
    learner.predict_proba()
    learner.unlabel(IDS[row])
    np.testing.assert_array_equal(learner.predict_proba(), before)
    assert learner.next(3) == asked


def test_the_order_of_answers_makes_no_difference():
    first, second = make(), make()
    for row in range(5):
        first.label(IDS[row], NAMES[row])
    for row in reversed(range(5)):
        second.label(IDS[row], "wrong")
        second.label(IDS[row], NAMES[row])
    np.testing.assert_array_equal(first.predict_proba(), second.predict_proba())


def test_what_is_asked_next_is_neither_labelled_nor_skipped_and_has_reasons():
    learner = make(4)
    first = learner.next()[0]
    assert first.row >= 4
    assert any("likeliest labels" in reason for reason in first.reasons)
    assert any("documents near it" in reason for reason in first.reasons)
    learner.skip(first.id)
    assert learner.next()[0].id != first.id
    learner.unskip(first.id)
    assert learner.next()[0].id == first.id
    batch = learner.next(10)
    assert len({question.id for question in batch}) == 10


def test_without_labels_typical_documents_of_different_topics_are_asked_about():
    asked = make().next(8)
    assert {NAMES[question.row] for question in asked} == {"corn", "oil", "ship"}
    learner = make(1)
    assert learner.next()[0].row != 0
    assert learner.predict() == ["corn"] * len(IDS)


def test_a_batch_can_be_asked_for_where_documents_are_nearer_than_rounding_allows():
    near = SPACE.nearness.copy()
    near.data *= np.float32(1 + 1e-5) / near.data.max()
    learner = ActiveLearner(X, ids=IDS, space=replace(SPACE, nearness=near))
    for row in range(4):
        learner.label(IDS[row], NAMES[row])
    assert len(learner.next(5)) == 5


def test_when_all_are_labelled_nothing_is_asked():
    assert make(len(IDS)).next() == []


def test_labels_have_chances_of_their_own_as_soon_as_a_document_has_two():
    learner = make(4)
    before = learner.predict_proba()
    assert not learner.multilabel_
    learner.label(IDS[5], ["corn", "oil"])
    assert learner.multilabel_
    np.testing.assert_array_equal(learner.predict_proba()[5], [1.0, 1.0, 0.0])
    assert learner.predict()[5] == ["corn", "oil"]
    learner.unlabel(IDS[5])
    np.testing.assert_array_equal(learner.predict_proba(), before)
    assert learner.predict()[0] == "corn"


def test_several_labels_are_shares_if_labels_are_said_to_exclude_each_other():
    learner = ActiveLearner(X, ids=IDS, space=SPACE, multilabel=False)
    learner.label(IDS[5], ["corn", "oil"])
    learner.label(IDS[2], "ship")
    np.testing.assert_allclose(learner.predict_proba()[5], [0.5, 0.5, 0.0])
    np.testing.assert_allclose(learner.predict_proba().sum(axis=1), 1.0)


SEVERAL, HAS = plant_pairs()
SEVERAL_SPACE = build_space(SEVERAL)


def make_several(n_labelled, multilabel=None):
    learner = ActiveLearner(SEVERAL, space=SEVERAL_SPACE, multilabel=multilabel)
    for row in range(n_labelled):
        learner.label(row, [name for name, has in zip(("corn", "oil", "ship"), HAS[row], strict=True) if has])
    return learner


def test_all_labels_as_likely_as_not_are_predicted_and_the_likeliest_anyway():
    learner = make_several(18)
    chances, predicted = learner.predict_proba(), learner.predict()
    for row, names in enumerate(predicted):
        likely = {name for name, chance in zip(learner.classes_, chances[row], strict=True) if chance >= 0.5}
        assert set(names) == likely | {learner.classes_[chances[row].argmax()]}
    truth = [[name for name, has in zip(("corn", "oil", "ship"), row, strict=True) if has] for row in HAS]
    assert np.mean([names == known for names, known in zip(predicted, truth, strict=True)]) > 0.85
    assert {len(names) for names in learner.predict(plant_pairs(seed=1)[0])} == {1, 2}


@given(st.lists(st.tuples(st.integers(0, 9), st.sets(st.sampled_from(["corn", "oil", "tea"]), min_size=1)), max_size=4))
@settings(max_examples=15, deadline=None)
def test_labelling_then_unlabelling_several_labels_restores_everything_to_the_last_bit(answers):
    learner = make_several(12)
    before, asked = learner.predict_proba(), learner.next(3)
    for row, names in answers:
        learner.label(20 + row, names)
        learner.predict_proba()
    for row, _ in answers:
        learner.unlabel(20 + row)
    np.testing.assert_array_equal(learner.predict_proba(), before)
    assert learner.next(3) == asked


def test_questions_about_several_labels_are_about_the_most_open_one():
    learner = make_several(12)
    asked = learner.next(5)
    assert len({question.row for question in asked}) == 5
    assert all(question.row >= 12 and question.reasons for question in asked)


def test_one_label_that_every_document_has_so_far_is_expected_of_others_too():
    learner = make_several(0, multilabel=True)
    learner.label(0, "corn")
    learner.label(3, "corn")
    assert (learner.predict_proba() > 0.5).all()
    assert learner.predict() == [["corn"]] * len(HAS)
    assert learner.next()[0].row not in (0, 3)


def test_several_labels_may_be_new_while_others_are_there():
    learner = make_several(9)
    learner.label(9, ["corn", "news"])
    chances = learner.predict_proba()
    assert learner.classes_ == ["corn", "news", "oil", "ship"]
    assert chances.shape == (len(HAS), 4)
    assert chances[9].tolist() == [1.0, 1.0, 0.0, 0.0]


def test_a_rare_label_is_not_expected_everywhere():
    learner = make_several(0, multilabel=True)
    corn = np.flatnonzero(HAS[:, 0] * (HAS.sum(axis=1) == 1))
    oil = np.flatnonzero(HAS[:, 1] * (HAS.sum(axis=1) == 1))
    for row in corn[:20]:
        learner.label(int(row), "corn")
    learner.label(int(oil[0]), "oil")
    chances = learner.predict_proba()
    assert (chances[corn[20:], 1] < 0.5).mean() > 0.9
    assert chances[oil[1:], 1].mean() > 2 * chances[corn[20:], 1].mean()


def test_one_label_each_gives_the_same_bits_whether_several_are_allowed_later_or_never():
    first, second = make(9), ActiveLearner(X, ids=IDS, space=SPACE, multilabel=False)
    for row in range(9):
        second.label(IDS[row], NAMES[row])
    np.testing.assert_array_equal(first.predict_proba(), second.predict_proba())
    assert first.next(3) == second.next(3)


def test_reasons_are_given_for_the_likeliest_of_several_labels():
    reasons = make_several(18).explain(30)
    assert reasons.label in [name for name, has in zip(("corn", "oil", "ship"), HAS[30], strict=True) if has]
    assert reasons.words


def test_other_documents_are_guessed_too():
    others, truth = plant(seed=1)
    found = make(9).predict(others)
    assert np.mean(np.array(found) == np.array(["corn", "oil", "ship"])[truth]) > 0.95


def test_reasons_name_labelled_documents_words_and_topics_of_the_label():
    learner = make(9)
    reasons = learner.explain(IDS[30])
    assert reasons.label == NAMES[30]
    assert all(NAMES[IDS.index(name)] == reasons.label for name, _ in reasons.neighbours)
    assert sum(share for _, share in reasons.neighbours) <= 1 + 1e-6
    assert reasons.words
    assert all(X[30, column] > 0 and weight > 0 for column, weight in reasons.words)
    own = 10 + 15 * TRUTH[30]
    assert np.mean([own <= column < own + 15 for column, _ in reasons.words]) > 0.7
    assert reasons.topics


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda learner: learner.label("d1000", "corn"), "no document is called 'd1000'; near matches: d10"),
        (lambda learner: learner.label("d1", "  "), "expected the name of a label"),
        (lambda learner: learner.label("d1", []), "expected the name of a label"),
        (lambda learner: learner.label("d1", None), "expected the name of a label"),
        (lambda learner: learner.unlabel(7), "no document is called 7"),
        (lambda learner: learner.next(0), "n must be a whole number of 1 or more"),
        (lambda learner: learner.predict(), "no document has a label yet"),
        (lambda learner: learner.explain("d1"), "no document has a label yet"),
    ],
)
def test_bad_use_is_an_error_and_loses_nothing(act, message):
    learner = make()
    with pytest.raises(InputError, match=message):
        act(learner)
    assert learner.n_labelled == 0


def test_bad_documents_and_ids_are_errors():
    with pytest.raises(InputError, match="no document holds any term"):
        ActiveLearner(np.zeros((3, 4)))
    with pytest.raises(InputError, match="3 different names"):
        ActiveLearner(np.ones((3, 4)), ids=["a", "a", "b"])
    with pytest.raises(InputError, match="X must hold finite numbers"):
        ActiveLearner([[1.0, np.nan]])


def test_unlabelling_what_has_no_label_does_nothing():
    learner = make(2)
    learner.unlabel(IDS[50])
    assert learner.n_labelled == 2
