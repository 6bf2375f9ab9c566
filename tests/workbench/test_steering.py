"""What people do to topics, and what becomes of the topics."""

from __future__ import annotations

import numpy as np
import pytest

from wayword.errors import InputError
from wayword.guidance import actions as acts
from wayword.guidance.actions import BanTerm, Label
from wayword.workbench.views import MovesView


def do(project, *given):
    done = project.apply(list(given), annotator="ada")
    assert not done.reason
    project.refresh()
    return {topic.id: topic for topic in project.topics()}


def components(project):
    project.refresh()
    state = project._live.wait(0, None)
    return dict(zip(state.ids, state.topics.components, strict=True))


def test_a_found_topic_is_known_by_its_anchor(project):
    for topic in project.topics():
        assert topic.anchors == [topic.id]
        assert not topic.pinned
        assert topic.name == ", ".join(term.term for term in topic.terms[:3])


def test_planted_topics_are_found(project):
    tops = sorted(tuple(sorted({term.term[:2] for term in topic.terms[:5]})) for topic in project.topics(purity=1.0))
    assert tops == [("t0",), ("t1",), ("t2",), ("t3",)]


def test_renaming_pins_a_topic_and_changes_no_id(project):
    ids = {topic.id for topic in project.topics()}
    topic = min(ids)
    found = do(project, acts.RenameTopic(topic, "Mine"))
    assert set(found) == ids
    assert found[topic].name == "Mine"
    assert found[topic].pinned
    assert found[topic].anchors == [topic]


def test_a_banned_term_leaves_every_topic_and_comes_back(project):
    before = {topic.id: topic for topic in project.topics()}
    term = project.topics()[0].terms[0].term
    found = do(project, BanTerm(term))
    assert all(term not in [view.term for view in topic.terms] for topic in found.values())
    column = project._ground.vocabulary.column(term)
    assert all(row[column] == 0 for row in components(project).values())
    assert do(project, BanTerm(term, banned=False)) == before


def test_a_forbidden_term_leaves_its_topic_alone(project):
    topic = project.topics()[0]
    term = next(view.term for view in topic.terms if view.term not in topic.anchors)
    found = do(project, acts.ForbidTerm(topic.id, term))
    assert term not in [view.term for view in found[topic.id].terms]
    assert found[topic.id].forbidden == [term]
    column = project._ground.vocabulary.column(term)
    assert components(project)[topic.id][column] == 0
    assert sum(row[column] > 0 for row in components(project).values()) > 0


def test_merging_makes_tandem_anchors_and_one_topic_fewer(project):
    one, two, *_ = project.topics()
    found = do(project, acts.MergeTopics((two.id,), one.id))
    assert len(found) == 3
    assert two.id not in found
    assert sorted(found[one.id].anchors) == sorted([*one.anchors, *two.anchors])
    assert not {t for topic in found.values() if topic.id != one.id for t in topic.anchors} & {
        *one.anchors,
        *two.anchors,
    }
    project.undo("ada")
    project.refresh()
    assert len(project.topics()) == 4


def test_splitting_gives_parts_anchors_of_the_topic_and_one_topic_more(project):
    topic = project.topics()[0]
    strong = {view.term for view in project.topics(purity=0.0)[0].terms}
    found = do(project, acts.SplitTopic(topic.id, (topic.id, "part")))
    assert len(found) == 5
    anchors = found[topic.id].anchors + found["part"].anchors
    assert len(set(anchors)) == 2
    assert set(anchors) & strong
    assert found["part"].pinned


def test_a_topic_that_is_split_away_is_gone_for_ever(project):
    topic = project.topics()[0].id
    found = do(project, acts.SplitTopic(topic, ("left", "right")))
    assert topic not in found
    assert {"left", "right"} <= set(found)
    with pytest.raises(InputError, match="no topic has the id"):
        project.apply(acts.RenameTopic(topic, "Mine"), annotator="ada")


def test_parts_keep_the_anchors_that_they_are_given(project):
    topic = project.topics()[0].id
    given = acts.SetAnchors("left", ("t0w0", "t0w1"))
    found = do(project, acts.SplitTopic(topic, ("left", "right")), given)
    assert found["left"].anchors == ["t0w0", "t0w1"]
    assert len(found["right"].anchors) == 1


def test_anchors_make_a_topic_and_stay_exactly_as_they_are(project, planted):
    found = do(project, acts.SetAnchors("mine", ("t2w0", "t2w1")))
    assert found["mine"].anchors == ["t2w0", "t2w1"]
    found = do(project, acts.AddAnchor("mine", "t2w2"), acts.RemoveAnchor("mine", "t2w0"))
    assert found["mine"].anchors == ["t2w1", "t2w2"]
    found = do(project, acts.AddLabel("a", "A"), acts.AddLabel("b", "B"))
    found = do(project, Label(("d0", "d1"), ("a",)), Label(("d2", "d3"), ("b",)))
    assert found["mine"].anchors == ["t2w1", "t2w2"]


def test_a_frozen_topic_keeps_its_terms_whatever_else_happens(project, planted):
    do(project, *(acts.AddLabel(name, name) for name in ("theme0", "theme1", "theme2", "theme3")))
    topic = project.topics()[0].id
    do(project, acts.FreezeTopic(topic))
    row = components(project)[topic]
    for place in range(8):
        do(project, Label((f"d{place}",), (planted[1][place],)))
    assert components(project)[topic].tobytes() == row.tobytes()
    assert {view.id: view.frozen for view in project.topics()}[topic]
    term = project._ground.vocabulary[int(row.argmax())]
    do(project, BanTerm(term))
    left = components(project)[topic]
    assert left[project._ground.vocabulary.column(term)] == 0
    assert left.sum() == pytest.approx(1.0)
    assert np.argsort(-left)[0] == np.argsort(-row)[1]


def test_freezing_again_keeps_the_terms_of_that_time_and_undo_those_of_the_first(project, planted):
    do(project, *(acts.AddLabel(name, name) for name in ("theme0", "theme1", "theme2", "theme3")))
    topic = project.topics()[0].id
    do(project, acts.FreezeTopic(topic))
    first = components(project)[topic]
    do(project, acts.FreezeTopic(topic, frozen=False))
    do(project, *(Label((f"d{place}",), (planted[1][place],)) for place in range(16)))
    do(project, acts.FreezeTopic(topic))
    second = components(project)[topic]
    for _ in range(3):
        project.undo("ada")
    assert components(project)[topic].tobytes() == first.tobytes()
    for _ in range(3):
        project.redo("ada")
    assert components(project)[topic].tobytes() == second.tobytes()


def test_a_topic_can_be_made_and_frozen_in_one_step(project):
    fresh = acts.SetAnchors("new", ("t1w1", "t1w2"))
    do(project, fresh)
    expected = components(project)["new"]
    project.undo("ada")
    project.refresh()
    do(project, fresh, acts.FreezeTopic("new"))
    np.testing.assert_allclose(components(project)["new"], expected, rtol=1e-12)


def test_parts_of_a_topic_can_be_frozen_and_divided_before_topics_have_followed(project, monkeypatch):
    topic = project.topics()[0].id
    project.refresh()
    state = project._live.wait(0, None)
    with monkeypatch.context() as patched:
        patched.setattr(project._live, "wake", lambda number: None)
        project.apply(acts.SplitTopic(topic, ("one", "two")), annotator="ada")
        assert project._live.wait(0, None) is state
        project.apply(acts.FreezeTopic("one"), annotator="ada")
    project._live.wake(len(project._ledger))
    do(project, acts.SplitTopic("two", ("two", "three")))
    found = {view.id: view for view in project.topics()}
    assert found["one"].frozen
    assert {"two", "three"} <= set(found)
    assert topic not in found


def test_a_topic_without_terms_cannot_be_frozen_and_nothing_is_kept(project):
    given = [acts.SetAnchors("new", ("t1w1",)), acts.SetAnchors("new", ()), acts.FreezeTopic("new")]
    with pytest.raises(InputError, match="'new' has no terms that could be frozen; give it an anchor"):
        project.apply(given, annotator="ada")
    assert project.view().n_acts == 0


def test_freezing_a_topic_that_is_gone_is_without_effect_and_says_why(project):
    one, two = (topic.id for topic in project.topics()[:2])
    do(project, acts.MergeTopics((two,), one))
    done = project.apply([acts.SetAnchors(two, ("t1w1",)), acts.FreezeTopic(two)], annotator="ada")
    assert f"the topic '{two}' is gone" in done.reason
    project.refresh()


def test_a_promoted_topic_becomes_a_label_with_its_terms_and_documents(project):
    topic = project.topics()[0]
    do(project, acts.PromoteTopic(topic.id, "new", "New"))
    assert [label.id for label in project.labels()] == ["new"]
    view = {theme.label.id: theme for theme in project.overview().themes}["new"]
    assert view.topics == [topic.id]
    assert [term.term for term in view.terms][:3] == [term.term for term in topic.terms][:3]
    assert view.documents
    assert topic.id not in [other.id for other in project.overview().new_topics]


def test_topics_belong_to_the_label_that_most_of_them_is(project, planted):
    do(project, *(acts.AddLabel(name, name) for name in ("theme0", "theme1", "theme2", "theme3")))
    found = do(project, *(Label((f"d{place}",), (planted[1][place],)) for place in range(24)))
    for topic in found.values():
        pure = next(term.term for term in topic.terms if not term.term.startswith("common"))
        assert topic.label == f"theme{pure[1]}"
        assert topic.label_share > 0.35
    overview = project.overview(purity=1.0)
    assert [theme.label.id for theme in overview.themes] == ["theme0", "theme1", "theme2", "theme3"]
    assert all(len(theme.topics) == 1 for theme in overview.themes)
    for theme in overview.themes:
        assert theme.terms[0].term[:2] == f"t{theme.label.id[-1]}"
        assert {line.guess for line in theme.documents} == {theme.label.id}
    assert overview.fitted_at == -1


def test_purity_ranks_frequent_or_specific_terms_and_can_be_kept(project):
    frequent = {topic.id: [term.term for term in topic.terms] for topic in project.topics(purity=0.0)}
    pure = {topic.id: [term.term for term in topic.terms] for topic in project.topics(purity=1.0)}
    assert any("common" in term for terms in frequent.values() for term in terms[:12])
    assert frequent != pure
    project.apply(acts.SetPurity(1.0), annotator="ada")
    assert {topic.id: [term.term for term in topic.terms] for topic in project.topics()} == pure
    assert project.overview().purity == 1.0
    with pytest.raises(InputError, match="purity"):
        project.topics(purity=2.0)


def test_names_of_topics_do_not_depend_on_the_purity_looked_at(project):
    first = {topic.id: topic.name for topic in project.topics(purity=0.0)}
    assert first == {topic.id: topic.name for topic in project.topics(purity=1.0)}


def test_moves_say_which_words_and_topics_came_and_went(project):
    term = project.topics()[0].terms[0].term
    n_before = project.view().n_acts
    do(project, BanTerm(term))
    moves = project.moves(n_before)
    went = {word for move in moves.moved for word in move.went} | set(moves.went)
    assert term in went
    assert (moves.since, moves.number) == (n_before, n_before + 1)
    assert project.moves(moves.number).moved == []


def test_moves_of_a_state_that_is_no_longer_kept_are_computed_again(project):
    do(project, BanTerm("t0w0"))
    do(project, BanTerm("t1w0"))
    kept = project.moves(1)
    project._live._records.clear()
    assert project.moves(1) == kept


def test_nothing_has_moved_since_an_act_that_topics_do_not_know_yet(project):
    do(project, BanTerm("t0w0"))
    assert project.moves(3) == MovesView(3, 1, [], [], [])


def test_the_project_tells_banned_terms_and_the_purity(project):
    assert (project.view().banned, project.view().purity) == ([], project.overview().purity)
    do(project, BanTerm("t1w0"))
    do(project, BanTerm("t0w0"))
    do(project, acts.SetPurity(0.25))
    assert (project.view().banned, project.view().purity) == (["t0w0", "t1w0"], 0.25)
    do(project, BanTerm("t1w0", banned=False))
    assert project.view().banned == ["t0w0"]


def test_what_is_kept_for_moves_is_bounded(project, monkeypatch):
    monkeypatch.setattr("wayword.workbench.live._STATES_KEPT", 3)
    for place in range(6):
        do(project, acts.Flag((f"d{place}",)))
    assert len(project._live._records) == 3


def test_an_act_of_several_people_on_one_topic_pins_it_once(project):
    topic = project.topics()[0].id
    do(project, acts.RenameTopic(topic, "Mine"), acts.ForbidTerm(topic, "common0"))
    kinds = [entry.kind for entry in project.journal()]
    assert kinds.count("set_anchors") == 1
    project.undo("ada")
    project.refresh()
    assert not any(view.pinned for view in project.topics())


def test_a_pinned_topic_whose_only_anchor_is_banned_stays_with_its_next_best(project):
    topic = project.topics()[0]
    do(project, acts.RenameTopic(topic.id, "Mine"))
    found = do(project, BanTerm(topic.anchors[0]))
    assert found[topic.id].name == "Mine"
    assert found[topic.id].anchors != topic.anchors
    assert found[topic.id].anchors[0] in [view.term for view in topic.terms]
    project.undo("ada")
    project.refresh()
    assert {view.id: view.anchors for view in project.topics()}[topic.id] == topic.anchors


def test_a_frozen_topic_whose_only_anchor_is_banned_keeps_its_other_terms(project):
    topic = project.topics()[0]
    do(project, acts.FreezeTopic(topic.id))
    row = components(project)[topic.id].copy()
    do(project, BanTerm(topic.anchors[0]))
    left = components(project)[topic.id]
    row[project._ground.vocabulary.column(topic.anchors[0])] = 0.0
    assert left == pytest.approx(row / row.sum())
