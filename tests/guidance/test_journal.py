import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance.strategies import WHEN, annotators, journals, lasting_acts, sign
from naive import guidance as naive
from wayword.errors import FormatError, InputError
from wayword.guidance.actions import Act, AddLabel, Entry, Label, Redo, Undo
from wayword.guidance.journal import Journal

SPACE, TAX = AddLabel("space", "Space"), AddLabel("tax", "Tax")


def tell(*said):
    """Return the journal of pairs of annotator and act; a plain act is Ada's."""
    return Journal(sign([one if isinstance(one, tuple) else ("ada", one) for one in said]))


@given(journals)
def test_a_fold_is_that_of_the_naive_twin(entries):
    journal = Journal(entries)
    state, reasons = naive.fold(entries)
    assert journal.guidance == state
    found = journal.without_effect()
    assert {n: r for n, r in found.items() if not isinstance(journal.entry(n).act, Undo | Redo)} == reasons
    force = {n for n in range(1, len(entries) + 1) if journal.outcome(n).in_force}
    assert force == naive.acts_in_force(entries)
    assert list(journal.guidance.label_set) == list(state.label_set)


@given(journals)
def test_folding_twice_is_the_same(entries):
    assert Journal(entries).guidance == Journal(entries).guidance


@given(journals, st.integers(0, 30))
def test_a_part_and_then_the_rest_is_the_whole(entries, cut):
    whole, parts, steps = Journal(entries), Journal(entries[:cut]), Journal()
    parts.extend(entries[cut:])
    for entry in entries:
        steps.append(entry)
    assert whole.guidance == parts.guidance == steps.guidance
    assert whole.without_effect() == parts.without_effect() == steps.without_effect()


@given(journals, annotators, lasting_acts)
def test_undo_after_an_act_restores_and_redo_brings_it_back(entries, annotator, act):
    journal = Journal(entries)
    before = journal.guidance
    number = journal.append(Entry(act, annotator, WHEN, "new")).number
    after, reasons = journal.guidance, journal.without_effect()
    assert journal.append(Entry(Undo(), annotator, WHEN, "undo")).target == number
    assert journal.guidance == before
    assert not journal.outcome(number).in_force
    assert journal.append(Entry(Redo(), annotator, WHEN, "redo")).target == number
    assert journal.guidance == after
    assert journal.without_effect() == reasons


@given(journals)
def test_every_annotator_can_take_back_everything(entries):
    journal = Journal(entries)
    for annotator in ("ada", "bob"):
        while journal.can_undo(annotator):
            journal.append(Entry(Undo(), annotator, WHEN, f"more {len(journal)}"))
    assert journal.guidance == Journal().guidance


@given(journals)
def test_a_journal_read_back_from_disk_folds_the_same(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    journal = Journal(entries)
    journal.save(path)
    again = Journal.load(path)
    assert list(again) == list(journal)
    assert again.guidance == journal.guidance
    assert again.without_effect() == journal.without_effect()


@given(journals)
def test_acts_sent_twice_count_once(entries):
    journal = Journal(entries)
    assert Journal([entry for entry in entries for _ in range(2)]).guidance == journal.guidance
    for entry in entries:
        journal.append(entry)
    assert len(journal) == len(entries)


@given(journals)
def test_a_state_does_not_change_when_acts_are_added(entries):
    journal = Journal(entries[:5])
    before, copy = journal.guidance, Journal(entries[:5]).guidance
    journal.extend(entries[5:])
    assert before == copy


def test_an_id_that_is_used_for_another_act_is_refused_and_nothing_is_lost():
    journal = tell(SPACE)
    with pytest.raises(InputError, match="'act 1' is that of another act"):
        journal.append(Entry(TAX, "ada", WHEN, "act 1"))
    assert len(journal) == 1
    assert journal.append(Entry(TAX, "ada", WHEN, "act 2")).number == 2


def test_undo_takes_back_ones_own_last_act_and_leaves_those_of_others():
    journal = tell(SPACE, ("bob", TAX), Undo())
    assert [record.id for record in journal.guidance.live_labels()] == ["tax"]
    journal = tell(SPACE, ("bob", TAX), Undo(), Undo())
    assert journal.outcome(4).reason == "there is nothing to undo"


def test_an_act_that_stands_on_one_taken_back_has_no_effect_until_it_is_put_back():
    said = [SPACE, ("bob", Label(["d1"], ["space"])), Undo()]
    journal = tell(*said)
    assert journal.without_effect() == {2: "there is no label 'space'"}
    assert journal.guidance.resolve("d1").status == "open"
    journal = tell(*said, Redo())
    assert journal.without_effect() == {}
    assert journal.guidance.resolve("d1").labels == ("space",)


def test_a_new_act_ends_redo():
    journal = tell(SPACE, Undo(), TAX, Redo())
    assert journal.outcome(4).reason == "there is nothing to redo"
    assert not journal.can_redo("ada")
    assert list(journal.guidance.label_set) == ["tax"]


def test_numbers_outside_the_journal_are_refused():
    with pytest.raises(InputError, match="numbers from 1 to 1, got 2"):
        tell(SPACE).entry(2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 2: no act of a journal"),
        (b"\xff", "line 2: no act of a journal"),
        (b'{"kind": "undo"}', "line 2: no act of a journal: entry: the field 'annotator' is missing"),
        (b"[" * 100_000, "line 2: no act of a journal"),
    ],
)
def test_a_damaged_file_names_the_line(tmp_path, line, message):
    path = tmp_path / "journal.jsonl"
    tell(SPACE).save(path)
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(FormatError, match=message):
        Journal.load(path)
    with pytest.raises(FormatError, match="cannot be read"):
        Journal.load(tmp_path / "none.jsonl")


def test_the_file_holds_one_act_as_json_on_each_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    tell(SPACE, Undo()).save(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [Act.from_dict({k: v for k, v in line.items() if k in ("kind", "label", "name")}) for line in lines] == [
        SPACE,
        Undo(),
    ]
