"""What single acts do, and when they do nothing."""

import pytest
from hypothesis import given

from guidance.strategies import journals, sign
from wayword.errors import InputError
from wayword.guidance.actions import (
    AddAnchor,
    AddLabel,
    Adjudicate,
    BanTerm,
    Comment,
    DeleteLabel,
    Flag,
    ForbidTerm,
    FreezeTopic,
    Import,
    Label,
    MergeLabels,
    MergeTopics,
    PromoteTopic,
    Redo,
    RemoveAnchor,
    RenameLabel,
    RenameTopic,
    SetAnchors,
    SetPurity,
    Skip,
    SplitLabel,
    SplitTopic,
    Undo,
    Unlabel,
)
from wayword.guidance.journal import Journal

SPACE, TAX = AddLabel("space", "Space"), AddLabel("tax", "Tax")
X, Y = Label(["d"], ["space"]), Label(["d"], ["tax"])


def tell(*said):
    return Journal(sign([one if isinstance(one, tuple) else ("ada", one) for one in said]))


def state(*said):
    journal = tell(*said)
    assert journal.without_effect() == {}
    return journal.guidance


def reason(*said):
    """Return why the last act has no effect, having seen that it changes nothing."""
    journal = tell(*said)
    assert journal.guidance == tell(*said[:-1]).guidance
    assert list(journal.without_effect()) == [len(said)]
    return journal.without_effect()[len(said)]


def settled(*said):
    found = tell(SPACE, TAX, *said).guidance.resolve("d")
    return found.status, found.labels


@given(journals)
def test_whatever_is_said_the_state_holds_together(entries):
    guidance = Journal(entries).guidance
    live = {record.id for record in guidance.live_labels()}
    assert len({guidance.label_set[label].name for label in live}) == len(live)
    for topic, terms in guidance.anchors.items():
        assert not set(terms) & (guidance.banned | guidance.forbidden.get(topic, frozenset()))
    for topic in [*guidance.anchors, *guidance.forbidden, *guidance.frozen]:
        assert guidance.topic_now(topic) == topic
    for document, found in guidance.resolutions().items():
        assert guidance.resolve(document) == found
        assert set(found.labels) <= live
        assert bool(found.labels) == (found.status not in ("open", "disagreement"))
    assert all(guidance.skips.values())


@given(journals)
def test_labels_once_added_keep_their_ids_and_order(entries):
    lasting = [entry for entry in entries if not isinstance(entry.act, Undo | Redo)]
    seen = []
    journal = Journal()
    for entry in lasting:
        journal.append(entry)
        now = list(journal.guidance.label_set)
        assert now[: len(seen)] == seen
        seen = now


def test_labels_of_several_people_are_kept_apart_and_settled_by_the_rule():
    bob_x, bob_y = ("bob", X), ("bob", Y)
    decide_x = ("eve", Adjudicate(["d"], ["space"]))
    assert settled() == ("open", ())
    assert settled(X) == ("single", ("space",))
    assert settled(X, bob_x) == ("agreed", ("space",))
    assert settled(X, bob_y) == ("disagreement", ())
    assert settled(X, bob_y, decide_x) == ("adjudicated", ("space",))
    assert settled(Y, decide_x) == ("adjudicated", ("space",))
    assert settled(decide_x) == ("adjudicated", ("space",))
    assert settled(X, bob_y, decide_x, bob_x) == ("agreed", ("space",))
    assert settled(X, bob_y, decide_x, bob_y) == ("disagreement", ())
    assert settled(X, bob_x, decide_x, Y, bob_y) == ("agreed", ("tax",))
    assert settled(X, bob_y, ("bob", Unlabel(["d"]))) == ("single", ("space",))
    both = tell(SPACE, TAX, X, bob_y).guidance
    assert {who: said.labels for who, said in both.labels["d"].items()} == {"ada": ("space",), "bob": ("tax",)}
    assert both.disagreements() == ("d",)


def test_merged_labels_agree_and_deleted_ones_no_longer_count():
    assert settled(X, ("bob", Y), MergeLabels(["tax"], "space")) == ("agreed", ("space",))
    assert settled(X, ("bob", Y), DeleteLabel("tax")) == ("single", ("space",))
    assert settled(Y, DeleteLabel("tax")) == ("open", ())
    assert settled(MergeLabels(["tax"], "space"), Y) == ("single", ("space",))
    assert settled(Label(["d"], ["tax", "space"]), MergeLabels(["tax"], "space")) == ("single", ("space",))


def test_a_label_that_is_not_there_labels_nothing():
    assert reason(SPACE, Label(["d"], ["space", "tax"])) == "there is no label 'tax'"
    assert reason(TAX, DeleteLabel("tax"), Y) == "the label 'tax' is gone: deleted"
    assert reason(TAX, SPACE, MergeLabels(["tax"], "space"), DeleteLabel("space"), Adjudicate(["d"], ["tax"])) == (
        "the label 'tax' is gone: deleted"
    )


def test_ids_and_names_of_labels_stay_with_them():
    guidance = state(SPACE, TAX, RenameLabel("space", "Cosmos"), AddLabel("new", "Space"))
    assert [(record.id, record.name) for record in guidance.live_labels()] == [
        ("space", "Cosmos"),
        ("tax", "Tax"),
        ("new", "Space"),
    ]
    guidance = state(SPACE, TAX, MergeLabels(["tax"], "space"))
    assert (guidance.label_now("tax"), guidance.label_set["tax"].name) == ("space", "Tax")
    with pytest.raises(InputError, match="no label has the id 'moon'"):
        guidance.label_now("moon")


def test_two_labels_cannot_have_one_id_or_one_name():
    assert reason(SPACE, AddLabel("space", "Other")) == "the id 'space' is that of another label"
    assert reason(SPACE, AddLabel("new", "Space")) == "the name 'Space' is that of the label 'space'"
    assert reason(SPACE, TAX, RenameLabel("tax", "Space")) == "the name 'Space' is that of the label 'space'"
    assert reason(SPACE, RenameLabel("space", "Space")) == "the label 'space' has the name 'Space' already"
    assert reason(SPACE, DeleteLabel("space"), AddLabel("space", "S")) == "the id 'space' is that of another label"
    assert reason(RenameLabel("moon", "Moon")) == "there is no label 'moon'"
    assert state(SPACE, DeleteLabel("space"), AddLabel("new", "Space")).live_labels()[0].id == "new"


def test_a_divided_label_is_asked_about_again_unless_it_is_one_of_its_parts():
    gone = state(SPACE, X, SplitLabel("space", ["near", "far"], ["Space", "Far"]))
    assert (gone.resolve("d").status, gone.label_set["space"].into) == ("open", ("near", "far"))
    kept = state(SPACE, X, SplitLabel("space", ["far", "space"], ["Space", "Near"]))
    assert kept.resolve("d").labels == ("space",)
    assert {record.id: record.name for record in kept.live_labels()} == {"space": "Near", "far": "Space"}
    assert reason(SPACE, TAX, SplitLabel("space", ["a", "tax"], ["A", "B"])) == "the id 'tax' is that of another label"
    assert "is that of the label 'tax'" in reason(SPACE, TAX, SplitLabel("space", ["a", "b"], ["A", "Tax"]))


def test_skips_are_ones_own_and_end_when_one_labels():
    assert state(Skip(["d"]), ("bob", Skip(["d"]))).skips == {"d": {"ada", "bob"}}
    assert state(SPACE, Skip(["d"]), ("bob", Skip(["d"])), X).skips == {"d": {"bob"}}
    assert "passed over the documents before" in reason(Skip(["d"]), Skip(["d"]))


def test_flags_and_comments_belong_to_the_document():
    assert state(Flag(["d", "e"]), ("bob", Flag(["d"], False))).flags == {"e": "ada"}
    assert reason(Flag(["d"]), Flag(["d"])) == "the documents are flagged already"
    assert reason(Flag(["d"], False)) == "the documents are not flagged"
    remarks = state(Comment("d", "one"), ("bob", Comment("d", "two"))).comments["d"]
    assert [(remark.annotator, remark.text, remark.number) for remark in remarks] == [
        ("ada", "one", 1),
        ("bob", "two", 2),
    ]
    assert reason(Unlabel(["d"])) == "'ada' has not labelled the documents"


def test_anchors_are_set_added_removed_and_given_back_to_the_model():
    assert state(SetAnchors("t", ["moon"]), AddAnchor("t", "ship")).anchors == {"t": ("moon", "ship")}
    assert state(SetAnchors("t", ["moon"]), RemoveAnchor("t", "moon")).anchors == {}
    assert state(SetAnchors("t", ["moon"]), SetAnchors("t", [])).anchors == {}
    assert reason(SetAnchors("t", [])) == "the topic 't' has these anchors already"
    assert reason(AddAnchor("t", "moon"), AddAnchor("t", "moon")) == "the topic 't' has the anchor 'moon' already"
    assert reason(RemoveAnchor("t", "moon")) == "the topic 't' has no anchor 'moon'"


def test_banned_and_forbidden_terms_are_no_anchors():
    assert state(SetAnchors("t", ["moon", "ship"]), BanTerm("moon")).anchors == {"t": ("ship",)}
    assert state(SetAnchors("t", ["moon"]), ForbidTerm("t", "moon")).anchors == {}
    assert reason(BanTerm("moon"), AddAnchor("t", "moon")) == "the term 'moon' is banned"
    assert reason(ForbidTerm("t", "moon"), SetAnchors("t", ["moon"])) == "the term 'moon' is forbidden in the topic 't'"
    assert state(BanTerm("moon"), BanTerm("moon", False), AddAnchor("t", "moon")).anchors == {"t": ("moon",)}
    assert state(ForbidTerm("t", "moon"), ForbidTerm("t", "moon", False)).forbidden == {}
    assert reason(BanTerm("moon", False)) == "the term 'moon' is not banned"
    assert reason(ForbidTerm("t", "moon"), ForbidTerm("t", "moon")) == "the term 'moon' is forbidden already"


def test_merged_topics_bring_their_anchors_and_are_gone():
    guidance = state(
        SetAnchors("a", ["moon"]), SetAnchors("b", ["ship", "moon"]), ForbidTerm("b", "tax"), MergeTopics(["b"], "a")
    )
    assert guidance.anchors == {"a": ("moon", "ship")}
    assert guidance.forbidden == {}
    assert (guidance.merged_topics, guidance.topic_now("b")) == ({"b": "a"}, "a")
    for act in (AddAnchor("b", "x"), RenameTopic("b", "B"), SplitTopic("b", ["c", "d"]), FreezeTopic("b")):
        assert reason(MergeTopics(["b"], "a"), act) == "the topic 'b' is gone: merged into 'a'"
    assert "gone: merged" in reason(MergeTopics(["b"], "a"), MergeTopics(["a"], "b"))


def test_a_term_forbidden_in_a_topic_does_not_come_with_a_merge():
    assert state(SetAnchors("b", ["ship"]), ForbidTerm("a", "ship"), MergeTopics(["b"], "a")).anchors == {}


def test_divided_topics_are_gone_unless_they_are_one_of_their_parts():
    guidance = state(SetAnchors("a", ["moon"]), SplitTopic("a", ["b", "c"]))
    assert (guidance.anchors, guidance.topic_now("a")) == ({}, None)
    assert guidance.split_topics == {"a": ("b", "c")}
    kept = state(SetAnchors("a", ["moon"]), SplitTopic("a", ["a", "b"]), SplitTopic("a", ["a", "c"]))
    assert (kept.anchors, kept.topic_now("a")) == ({"a": ("moon",)}, "a")
    assert kept.split_topics == {"a": ("a", "b", "c")}
    assert reason(SplitTopic("a", ["b", "c"]), SplitTopic("d", ["c", "e"])) == "the id 'c' is that of another topic"
    assert reason(AddAnchor("c", "x"), SplitTopic("d", ["c", "e"])) == "the id 'c' is that of another topic"
    assert reason(SplitTopic("a", ["b", "c"]), RenameTopic("a", "A")) == "the topic 'a' is gone: split"


def test_a_frozen_topic_stays_as_it_is_until_it_is_let_go():
    frozen = FreezeTopic("a")
    for act in (AddAnchor("a", "x"), ForbidTerm("a", "x"), MergeTopics(["a"], "b"), SplitTopic("a", ["b", "c"])):
        assert reason(frozen, act) == "the topic 'a' is frozen"
    assert state(frozen, RenameTopic("a", "A")).topic_names == {"a": "A"}
    assert state(frozen, FreezeTopic("a", False), AddAnchor("a", "x")).anchors == {"a": ("x",)}
    assert reason(frozen, frozen) == "the topic 'a' is frozen already"


def test_a_promoted_topic_has_a_label_of_its_own():
    guidance = state(PromoteTopic("t", "moon", "Moon"))
    assert (guidance.promoted, guidance.label_set["moon"].name) == ({"t": "moon"}, "Moon")
    again = PromoteTopic("t", "moon2", "Moon 2")
    assert reason(PromoteTopic("t", "moon", "Moon"), again) == "the topic 't' is the theme 'moon' already"
    assert state(PromoteTopic("t", "moon", "Moon"), DeleteLabel("moon"), again).promoted == {"t": "moon2"}


def test_purity_is_set_even_to_zero():
    assert state().purity is None
    assert state(SetPurity(0.5), SetPurity(0)).purity == 0.0
    assert reason(SetPurity(0), SetPurity(0)) == "the purity is 0 already"


def test_an_import_adds_labels_and_labels_documents_or_does_nothing():
    act = Import("old tool", {"d": ["space"], "e": ["space", "sea"]}, {"sea": "Sea", "space": "ignored"})
    guidance = state(SPACE, act)
    assert guidance.resolve("e").labels == ("sea", "space")
    assert [record.name for record in guidance.live_labels()] == ["Space", "Sea"]
    assert reason(act, Import("x", {"d": ["law"]})) == "there is no label 'law'"
    assert "is that of the label 'space'" in reason(SPACE, Import("x", {"d": ["b"]}, {"b": "Space"}))
    assert reason(Import("x", {"d": ["b"]}, {"b": "B", "c": "B"})) == "two of the new labels have one name"
