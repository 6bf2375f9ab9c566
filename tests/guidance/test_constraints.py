import numpy as np
import pytest
from hypothesis import given

from guidance.strategies import journals, sign
from wayword import Vocabulary
from wayword.errors import InputError, UnknownTermError
from wayword.guidance.actions import (
    AddAnchor,
    AddLabel,
    BanTerm,
    Comment,
    ForbidTerm,
    FreezeTopic,
    Import,
    Label,
    MergeLabels,
    SetAnchors,
)
from wayword.guidance.constraints import Lookup
from wayword.guidance.journal import Journal

VOCABULARY = Vocabulary(["court", "money", "moon", "ship"])
IDS = ["d0", "d1", "d2", "d3"]


def constrain(*acts):
    return Lookup(VOCABULARY, IDS).constraints(Journal(sign([("ada", act) for act in acts])).guidance)


@given(journals)
def test_arrays_say_what_the_guidance_says(entries):
    guidance = Journal(entries).guidance
    found = Lookup(VOCABULARY, IDS).constraints(guidance)
    assert {
        topic: tuple(VOCABULARY[c] for c in columns) for topic, columns in found.anchors.items()
    } == guidance.anchors
    assert {VOCABULARY[c] for c in found.banned} == guidance.banned
    assert {topic: {VOCABULARY[c] for c in columns} for topic, columns in found.forbidden.items()} == guidance.forbidden
    settled = {d: r.labels for d, r in guidance.resolutions().items() if r.labels}
    dense = found.label_matrix.toarray()
    assert {IDS[row]: {found.labels[c] for c in np.flatnonzero(dense[row])} for row in found.label_rows} == {
        document: set(labels) for document, labels in settled.items()
    }
    assert dense.sum() == sum(map(len, settled.values()))
    assert [IDS[row] for row in found.disagreements] == sorted(guidance.disagreements())
    assert [told is None for told in found.y] == [document not in settled for document in IDS]


def test_labels_are_names_for_models():
    told = constrain(
        AddLabel("s", "Space"), AddLabel("t", "Tax"), Label(["d2"], ["t", "s"]), AddLabel("u", "Sea"),
        Label(["d0"], ["u"]), MergeLabels(["u"], "s"),
    )  # fmt: skip
    assert told.labels == ("s", "t")
    assert told.y == [["Space"], None, ["Space", "Tax"], None]
    assert told.label_rows.tolist() == [0, 2]


def test_anchors_keep_their_order_and_arrays_cannot_be_changed():
    told = constrain(SetAnchors("t", ["ship", "court"]), FreezeTopic("b"), FreezeTopic("a"))
    assert told.anchors["t"].tolist() == [3, 0]
    assert told.frozen == ("a", "b")
    with pytest.raises(ValueError, match="read-only"):
        told.anchors["t"][0] = 1


def test_what_is_not_there_is_left_out_and_listed_with_near_matches():
    told = constrain(
        AddLabel("s", "Space"), Label(["d0", "gone"], ["s"]), BanTerm("mony"), SetAnchors("t", ["xyz"]),
        ForbidTerm("t", "shop"),
    )  # fmt: skip
    assert told.unknown_terms == {"mony": ("money", "moon"), "shop": ("ship",), "xyz": ()}
    assert told.unknown_documents == ("gone",)
    assert (told.banned.size, dict(told.anchors), dict(told.forbidden)) == (0, {}, {})


def test_an_act_on_unknown_terms_or_documents_is_refused_at_the_door():
    lookup = Lookup(VOCABULARY, IDS)
    for act in (AddAnchor("t", "mony"), SetAnchors("t", ["moon", "mony"]), BanTerm("mony"), ForbidTerm("t", "mony")):
        with pytest.raises(UnknownTermError, match="did you mean 'money'"):
            lookup.check(act)
    for act in (Label(["d0", "d10"], ["s"]), Comment("d10", "?"), Import("f", {"d10": ["s"]})):
        with pytest.raises(InputError, match="no document has the id 'd10'; did you mean 'd"):
            lookup.check(act)
    for act in (Label(["d0"], ["s"]), SetAnchors("new", ["moon"]), AddLabel("s", "mony")):
        lookup.check(act)


def test_documents_must_have_ids_of_their_own():
    with pytest.raises(InputError, match="must be unique"):
        Lookup(VOCABULARY, ["a", "a"])
