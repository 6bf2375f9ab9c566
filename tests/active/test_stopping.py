import math

import numpy as np
import pytest

from active.test_guesses import plant, plant_pairs
from wayword.active import ActiveLearner, build_space, stopping
from wayword.active.stopping import estimate_gain, learning_curve
from wayword.errors import InputError


def plant_hard(n_documents=400, seed=0):
    """Return documents of which every third has the words of another label."""
    X, labels = plant(n_documents, seed=seed)
    rng = np.random.default_rng(seed)
    wrong = rng.random(n_documents) < 1 / 3
    return X, np.where(wrong, rng.integers(3, size=n_documents), labels)


def make(X, labels, rows, space=None):
    learner = ActiveLearner(X, space=space or build_space(X))
    for row in rows:
        learner.label(int(row), f"l{labels[row]}")
    return learner


EASY, HARD = plant(400), plant_hard()
EASY_SPACE, HARD_SPACE = build_space(EASY[0]), build_space(HARD[0])


def accuracy_of(learner, labels):
    without = np.setdiff1d(np.arange(len(labels)), learner.answers().rows)
    return np.mean(np.array(learner.predict())[without] == np.array([f"l{label}" for label in labels])[without])


@pytest.mark.parametrize(("corpus", "space"), [(EASY, EASY_SPACE), (HARD, HARD_SPACE)], ids=["easy", "hard"])
@pytest.mark.parametrize("asked", [False, True], ids=["drawn", "asked"])
def test_the_accuracy_is_within_its_interval(corpus, space, asked):
    X, labels = corpus
    learner = make(X, labels, range(10 if asked else 60), space)
    while learner.n_labelled < 60:
        row = learner.next()[0].row
        learner.label(row, f"l{labels[row]}")
    found = estimate_gain(learner)
    assert found.low <= accuracy_of(learner, labels) <= found.high
    assert 0 <= found.low <= found.accuracy <= found.high <= 1
    assert found.gain_low <= found.gain <= found.gain_high
    assert found.gain <= 1 - found.accuracy


def test_more_labels_bring_more_and_hard_documents_leave_more_to_gain():
    easy, hard = (make(*corpus, range(40), space) for corpus, space in ((EASY, EASY_SPACE), (HARD, HARD_SPACE)))
    assert estimate_gain(hard).accuracy < estimate_gain(easy).accuracy
    gains = [estimate_gain(hard, n_more).gain for n_more in (5, 25, 100)]
    assert gains == sorted(gains)
    assert gains[0] > 0


def test_an_estimate_is_the_same_each_time_and_does_not_depend_on_the_order_of_answers():
    first, second = make(*EASY, range(30), EASY_SPACE), make(*EASY, reversed(range(30)), EASY_SPACE)
    assert estimate_gain(first) == estimate_gain(first) == estimate_gain(second)
    assert learning_curve(first) == learning_curve(second)


def test_what_is_known_already_is_not_guessed_again():
    learner = make(*EASY, range(30), EASY_SPACE)
    held_back = learner.answers().guess_each()
    told = []
    found = estimate_gain(learner, held_back=held_back, progress=lambda *said: told.append(said[0]))
    assert found == estimate_gain(learner)
    assert set(told) == {"halves"}
    with pytest.raises(InputError, match="held_back must be what guess_each"):
        estimate_gain(learner, held_back=held_back[:5])


def test_an_estimate_can_be_of_several_labels():
    X, has = plant_pairs(300)
    learner = ActiveLearner(X)
    for row in range(40):
        learner.label(row, [f"l{label}" for label in np.flatnonzero(has[row])])
    found = estimate_gain(learner)
    chances = learner.predict_proba()[40:]
    right = has[40:][np.arange(260), chances.argmax(axis=1)].mean()
    assert found.low <= right <= found.high


def test_the_advice_says_it_in_words():
    found = estimate_gain(make(*HARD, range(40), HARD_SPACE))
    gain, low, high = (stopping._points(share) for share in (found.gain, found.gain_low, found.gain_high))
    assert gain.startswith("+")
    assert found.advice == f"25 more labels would bring about {gain} points (between {low} and {high})."


def test_the_advice_says_when_more_labels_will_hardly_help():
    assert stopping._advise(1, 0.002, -0.001, 0.004) == (
        "1 more label would bring about +0.2 points (between -0.1 and +0.4). More will hardly help."
    )


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0123, "1"), (0.0096, "1"), (0.004, "0.4"), (0.0, "0"), (-0.0001, "0"), (-0.02, "-2"), (0.2, "20")],
)
def test_shares_are_said_as_a_person_would(share, words):
    assert stopping._percent(share) == words


@pytest.mark.parametrize(
    ("share", "words"), [(0.008, "+0.8"), (0.04, "+4"), (-0.002, "-0.2"), (0.0, "0"), (-0.0001, "0"), (0.0001, "0")]
)
def test_changes_are_said_with_their_sign(share, words):
    assert stopping._points(share) == words


@pytest.mark.parametrize(
    ("n_labelled", "advice"),
    [
        (0, "label 10 more documents, of two labels or more"),
        (1, "label 9 more documents"),
        (9, "label 1 more document, of"),
    ],
)
def test_of_too_few_answers_nothing_is_said_but_what_to_do(n_labelled, advice):
    learner = make(*EASY, range(n_labelled), EASY_SPACE)
    found = estimate_gain(learner)
    assert math.isnan(found.accuracy)
    assert math.isnan(found.gain)
    assert advice in found.advice
    assert learning_curve(learner) == []


def test_of_one_label_nothing_is_said_but_what_to_do():
    learner = make(EASY[0], np.zeros(400, dtype=int), range(20), EASY_SPACE)
    assert "the same label; label one with another" in estimate_gain(learner).advice


def test_when_all_documents_have_labels_there_is_nothing_to_gain():
    X, labels = plant(30)
    learner = make(X, labels, range(30))
    found = estimate_gain(learner)
    assert (found.n_more, found.gain, found.advice) == (0, 0.0, "All documents have labels.")
    assert learning_curve(learner) == []
    learner.unlabel(3)
    assert estimate_gain(learner).n_more == 1


def test_a_learning_curve_rises_to_the_estimate_of_all_answers():
    learner = make(*EASY, range(50), EASY_SPACE)
    curve = learning_curve(learner)
    assert [point[0] for point in curve] == [10, 20, 40, 45, 50]
    assert curve[0][1] < curve[-1][1]
    assert all(low <= accuracy <= high for _, accuracy, low, high in curve)
    found = estimate_gain(learner)
    assert curve[-1] == (50, found.accuracy, found.low, found.high)


def test_sizes_of_a_learning_curve_can_be_given():
    learner = make(*EASY, range(20), EASY_SPACE)
    assert [point[0] for point in learning_curve(learner, [5, 15])] == [5, 15]
    with pytest.raises(InputError, match="no more than the 20 documents"):
        learning_curve(learner, [21])
    with pytest.raises(InputError, match="each of sizes must be a whole number"):
        learning_curve(learner, [0])


def test_work_can_be_ended_by_whoever_is_told_how_far_it_is():
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate_gain(make(*EASY, range(20), EASY_SPACE), progress=stop)


def test_trust_learns_that_guesses_are_less_sure_than_they_look():
    rng = np.random.default_rng(0)
    sure = rng.normal(1.0, 1.5, size=4000)
    right = (rng.random(4000) < 1 / (1 + np.exp(-(0.6 * sure - 0.5)))).astype(float)
    found, _ = stopping._fit_trust(sure, right, slope=True)
    np.testing.assert_allclose(found, [-0.5, 0.6], atol=0.1)
    shifted, spread = stopping._fit_trust(sure, right, slope=False)
    assert shifted[1] == pytest.approx(1.0, abs=1e-6)
    assert (1 / (1 + np.exp(-(sure + shifted[0])))).mean() == pytest.approx(right.mean(), abs=1e-3)
    assert 0 < spread < 0.1
