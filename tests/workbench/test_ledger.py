"""The ledger, and what is settled, followed from one act to the next."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayword.errors import InputError
from wayword.guidance.actions import (
    AddLabel,
    Adjudicate,
    DeleteLabel,
    Flag,
    Label,
    MergeLabels,
    Redo,
    Undo,
    Unlabel,
)
from wayword.guidance.journal import Journal
from wayword.store.memory import MemoryStore
from wayword.workbench.ledger import Ledger, new_ids
from wayword.workbench.live import Settling

DOCUMENTS, LABELS, PEOPLE = ("d0", "d1", "d2"), ("a", "b", "c"), ("ada", "ben")
documents = st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=2, unique=True)
labels = st.lists(st.sampled_from(LABELS), min_size=1, max_size=2, unique=True)
some_act = st.one_of(
    st.builds(Label, documents, labels),
    st.builds(Unlabel, documents),
    st.builds(Adjudicate, documents, labels),
    st.builds(lambda label: AddLabel(label, label.upper()), st.sampled_from(LABELS)),
    st.builds(DeleteLabel, st.sampled_from(LABELS)),
    st.sampled_from([MergeLabels(("a",), "b"), MergeLabels(("c",), "a")]),
    st.builds(Flag, documents),
)
move = st.sampled_from(["undo", "redo"])
steps = st.lists(st.tuples(st.sampled_from(PEOPLE), st.one_of(move, st.lists(some_act, min_size=1, max_size=3))))


def play(ledger: Ledger, step) -> None:
    who, what = step
    if what == "undo":
        ledger.undo(who)
    elif what == "redo":
        ledger.redo(who)
    else:
        ledger.append(ledger.sign(what, who, new_ids(len(what))))


@settings(max_examples=150)
@given(steps)
def test_what_is_settled_is_the_same_followed_step_by_step_and_found_at_once(taken):
    ledger, settling = Ledger(MemoryStore()), Settling()
    for name in LABELS:
        play(ledger, ("ada", [AddLabel(name, name.upper())]))
    for step in taken:
        play(ledger, step)
        found = settling.resolutions(ledger.guidance)
        expected = ledger.guidance.resolutions()
        assert {d: r for d, r in found.items() if r.status != "open"} == {
            d: r for d, r in expected.items() if r.status != "open"
        }
        assert settling.settled(ledger.guidance) == {
            d: r.labels for d, r in expected.items() if r.status not in ("open", "disagreement")
        }


@settings(max_examples=100)
@given(steps, st.lists(some_act, min_size=1, max_size=4))
def test_an_undo_takes_back_the_whole_step_and_a_redo_puts_it_back(taken, step):
    ledger = Ledger(MemoryStore())
    for one in taken:
        play(ledger, one)
    before = ledger.guidance
    play(ledger, ("ada", step))
    after = ledger.guidance
    assert len(ledger.undo("ada")) == len(step)
    assert ledger.guidance == before
    assert len(ledger.redo("ada")) == len(step)
    assert ledger.guidance == after
    assert ledger.redo("ada") == []


@settings(max_examples=50)
@given(steps, st.lists(some_act, min_size=1, max_size=3))
def test_an_undo_and_a_redo_that_are_sent_again_under_their_id_add_nothing(taken, step):
    ledger = Ledger(MemoryStore())
    for one in [*taken, ("ada", step)]:
        play(ledger, one)
    for kind in (Undo, Redo):
        numbers = ledger.move(kind, "ada", f"a {kind.kind}")
        state, n_acts = ledger.guidance, len(ledger)
        assert len(numbers) == len(ledger.targets(numbers)) == len(step)
        assert ledger.move(kind, "ada", f"a {kind.kind}") == numbers
        assert (ledger.guidance, len(ledger)) == (state, n_acts)
    for kind, who in ((Redo, "ada"), (Undo, "ben")):
        with pytest.raises(InputError, match="that of another act"):
            ledger.move(kind, who, "a undo")


@given(steps)
def test_a_ledger_of_the_first_acts_is_the_journal_of_the_first_acts(taken):
    ledger = Ledger(MemoryStore())
    for one in taken:
        play(ledger, one)
    entries = list(ledger.journal)
    for number in range(0, len(entries) + 1, 3):
        assert ledger.at(number).guidance == Journal(entries[:number]).guidance


@given(steps)
def test_two_ledgers_of_one_store_say_the_same_after_catching_up(taken):
    store = MemoryStore()
    one, two = Ledger(store), Ledger(store)
    for place, step in enumerate(taken):
        ledger = (one, two)[place % 2]
        ledger.catch_up()
        play(ledger, step)
    one.catch_up()
    two.catch_up()
    assert one.guidance == two.guidance
    assert [e.act_id for e in one.journal] == [e.act_id for e in two.journal]
    assert all(isinstance(entry.act, Undo | Redo) or one.is_known(entry) for entry in one.journal)
