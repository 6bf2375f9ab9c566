import numpy as np
import pytest

from active.test_guesses import plant
from wayword.active import ActiveLearner, LiveTopics, TopicSet, build_space, compare_topics
from wayword.errors import InputError

X, TRUTH = plant()
NAMES = np.array(["corn", "oil", "ship"])[TRUTH]
SPACE, LIVE = build_space(X), LiveTopics(X, n_topics=4)


def make(n_labelled):
    learner = ActiveLearner(X, space=SPACE, topics=LIVE)
    for row in range(n_labelled):
        learner.label(row, NAMES[row])
    return learner


def topics(anchors, components):
    components = np.array(components, dtype=float)
    shares = np.full(len(components), 1.0 / len(components))
    columns = np.arange(components.shape[1])
    no_labels = np.zeros((len(components), 0))
    return TopicSet(tuple(anchors), components, components.T, columns, len(columns), shares, no_labels)


def same(first, second):
    assert first.anchors == second.anchors
    np.testing.assert_array_equal(first.components, second.components)


def test_topics_follow_every_answer_and_go_back_with_it():
    learner = make(9)
    before = learner.topics_
    learner.label(9, "new")
    assert learner.topics_.label_chances.shape[1] == len(learner.classes_)
    learner.unlabel(9)
    same(learner.topics_, before)
    same(make(9).topics_, before)


def test_before_two_labels_topics_are_those_of_documents_alone():
    learner = make(0)
    same(learner.topics_, LIVE.refresh())
    learner.label(0, "corn")
    same(learner.topics_, LIVE.refresh())


def test_before_and_after_are_the_states_around_the_last_answer_whenever_they_are_asked_for():
    asked, unasked = make(9), make(9)
    before = asked.topics_
    for learner in (asked, unasked):
        learner.label(9, NAMES[9])
        found = learner.topics_before_after()
        same(found.before, before)
        same(found.after, make(10).topics_)
    guesses = unasked.predict_proba()
    np.testing.assert_array_equal(guesses, make(10).predict_proba())


def test_without_an_answer_nothing_has_changed():
    found = make(0).topics_before_after()
    assert found.came == found.went == []
    assert all(not change.came and not change.went for change in found.changes)


def test_words_and_anchors_that_came_and_went_are_named():
    before = topics([(0,), (3,)], [[0.5, 0.4, 0.1, 0.0], [0.0, 0.0, 0.3, 0.7]])
    after = topics([(3,), (1,)], [[0.0, 0.1, 0.2, 0.7], [0.4, 0.6, 0.0, 0.0]])
    found = compare_topics(before, after, ["room", "bed", "view", "lake"], n_terms=2)
    same_topic, moved = found.changes
    assert (same_topic.before, same_topic.after) == (("lake",), ("lake",))
    assert (same_topic.stayed, same_topic.came, same_topic.went) == (["lake", "view"], [], [])
    assert (moved.before, moved.after) == (("room",), ("bed",))
    assert moved.stayed == ["bed", "room"]
    assert found.came == [("bed",)]
    assert found.went == [("room",)]


def test_topics_that_are_new_or_gone_have_one_side_only():
    one = topics([(0,)], [[0.9, 0.1]])
    two = topics([(0,), (1,)], [[0.9, 0.1], [0.1, 0.9]])
    grown, shrunk = compare_topics(one, two, n_terms=1), compare_topics(two, one, n_terms=1)
    assert grown.changes[1].before == ()
    assert grown.changes[1].came == [1]
    assert shrunk.changes[1].after == ()
    assert shrunk.changes[1].went == [1]
    assert shrunk.went == [(1,)]


def test_no_terms_at_all_are_refused():
    with pytest.raises(InputError, match="n_terms"):
        make(0).topics_before_after(n_terms=0)
