import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance.strategies import WHEN, acts, annotators
from wayword.errors import InputError
from wayword.guidance.actions import ACTS, Act, Entry, Import, Label, MergeTopics, SplitLabel, new_act_id


@given(acts, annotators)
def test_an_act_comes_back_from_json_as_it_was(act, annotator):
    assert Act.from_dict(json.loads(json.dumps(act.to_dict()))) == act
    entry = Entry(act, annotator, WHEN, "x1")
    assert Entry.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry
    assert hash(act) == hash(Act.from_dict(act.to_dict()))


def test_a_class_a_kind_and_a_body_have_one_name():
    for kind, act in ACTS.items():
        assert kind == re.sub("([a-z])([A-Z])", r"\1_\2", act.__name__).lower()
    assert MergeTopics(["a", "b"], "c").to_dict() == {"kind": "merge_topics", "topics": ["a", "b"], "into": "c"}
    assert len(ACTS) == 25


def test_fields_cannot_be_changed_and_lists_become_tuples():
    act = Label(["d1"], ["space"])
    assert act.documents == ("d1",)
    with pytest.raises(AttributeError):
        act.documents = ("d2",)


BAD = [
    ({"kind": "merge_topic"}, "did you mean 'merge_topics'"),
    ({"kind": "paint"}, "kinds are label, unlabel"),
    ({"kind": 7}, "no act has the kind 7"),
    ({}, "no act has the kind None"),
    ({"kind": "label", "documents": ["d"]}, "the field 'labels' is missing; label takes documents, labels"),
    ({"kind": "undo", "steps": 2}, "no field 'steps'; undo takes no fields"),
    ({"kind": "label", "documents": "d1", "labels": ["x"]}, r"label: documents must be a list, got str 'd1'; write \['d1'\]"),
    ({"kind": "label", "documents": [], "labels": ["x"]}, "documents must have 1 to 100,000 items, got 0"),
    ({"kind": "label", "documents": ["d"], "labels": ["x", "x"]}, "labels must name each item once"),
    ({"kind": "label", "documents": [3], "labels": ["x"]}, "documents must be text, got int 3"),
    ({"kind": "add_label", "label": "x", "name": "  "}, "name must not be empty"),
    ({"kind": "add_label", "label": "x", "name": "a\nb"}, "name must stand on one line"),
    ({"kind": "add_label", "label": "x", "name": "n" * 201}, "name may have 200 characters, got 201"),
    ({"kind": "add_label", "label": "a\0b", "name": "n"}, "take out NUL"),
    ({"kind": "comment", "document": "d", "text": "\ud800"}, "broken characters"),
    ({"kind": "comment", "document": "d", "text": "x" * 10_001}, "may have 10,000 characters"),
    ({"kind": "flag", "documents": ["d"], "flagged": 1}, "flagged must be true or false, got int 1"),
    ({"kind": "set_purity", "purity": True}, "purity must be a number from 0 to 1"),
    ({"kind": "set_purity", "purity": float("nan")}, "purity must be a number from 0 to 1"),
    ({"kind": "set_purity", "purity": 1.5}, "purity must be a number from 0 to 1"),
    ({"kind": "merge_topics", "topics": ["a"], "into": "a"}, "cannot be merged into itself"),
    ({"kind": "split_topic", "topic": "a", "into": ["b"]}, "into must have 2 to"),
    ({"kind": "split_label", "label": "a", "into": ["b", "c"], "names": ["B", "C", "D"]}, "2 parts have 3 names"),
    ({"kind": "import", "source": "s", "labels": ["d1"]}, "labels must be a table"),
    ({"kind": "import", "source": "s", "labels": {}}, "labels must have 1 to"),
    ({"kind": "import", "source": "s", "labels": {"d": "x"}}, "a value must be a list"),
    ({"kind": "import", "source": "s", "labels": [["d", ["x"]], ["d", ["y"]]]}, "each key once"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), BAD)
def test_a_wrong_act_says_what_was_expected(body, message):
    with pytest.raises(InputError, match=message):
        Act.from_dict(body)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(list(ACTS)), st.data())
def test_any_json_is_an_act_or_an_input_error(kind, data):
    body = {"kind": kind} | {name: data.draw(anything) for name in ACTS[kind].__dataclass_fields__}
    try:
        act = Act.from_dict(body)
    except InputError:
        return
    assert Act.from_dict(json.loads(json.dumps(act.to_dict()))) == act


def test_names_lose_blanks_and_accents_have_one_spelling():
    act = Act.from_dict({"kind": "add_label", "label": "c", "name": " Cafe\u0301 "})
    assert act.to_dict()["name"] == "Caf\u00e9"


def test_tables_are_kept_as_pairs_and_written_as_objects():
    act = Import("file", {"d1": ["x"]}, {"x": "X"})
    assert act.labels == (("d1", ("x",)),)
    assert act.to_dict()["names"] == {"x": "X"}
    with pytest.raises(InputError, match="2 parts have 3 names"):
        SplitLabel("a", ["b", "c"], ["B", "C", "D"])


def test_times_are_kept_in_utc_and_need_a_zone():
    act = ACTS["undo"]()
    here = datetime(2026, 1, 31, 14, tzinfo=timezone(timedelta(hours=2)))
    assert Entry(act, "ada", here, "x").when == WHEN
    assert Entry(act, "ada", here, "x").when.tzinfo is UTC
    assert Entry.from_dict(Entry(act, "ada", "2026-01-31T12:00:00Z", "x").to_dict()).when == WHEN
    for bad in (datetime(2026, 1, 31), "yesterday", 7, "2026-01-31T12:00:00"):
        with pytest.raises(InputError, match="when must be a time"):
            Entry(act, "ada", bad, "x")


def test_an_entry_needs_who_when_and_which():
    body = Entry(ACTS["undo"](), "ada", WHEN, "x").to_dict()
    for name in ("annotator", "when", "act_id"):
        with pytest.raises(InputError, match=f"the field '{name}' is missing"):
            Entry.from_dict({key: value for key, value in body.items() if key != name})
    with pytest.raises(InputError, match="annotator must not be empty"):
        Entry(ACTS["undo"](), "", WHEN, "x")
    assert new_act_id() != new_act_id()
