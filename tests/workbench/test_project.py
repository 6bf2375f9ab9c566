"""Projects: acts are kept, everything follows them, and nothing is lost."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict

import numpy as np
import pytest

from wayword import Corpus
from wayword.errors import DiskFullError, InputError, NotAProjectError, StoreError, UnknownTermError
from wayword.guidance import actions as acts
from wayword.guidance.actions import AddLabel, BanTerm, Comment, Flag, Label, Skip, Undo, Unlabel
from wayword.store.base import Annotator
from wayword.store.urls import open_store
from wayword.workbench.project import Project
from workbench.states import assert_same_state, state_of

HOSTILE = [
    "<script>alert(1)</script> room & <b>bed</b>",
    "\u202eright to left\u202c room bed",
    "half a character \ud800 room",
    "a NUL \0 inside a room",
    "🛏 room 🛏 bed 🛏",
    "",
    "   \n\t  ",
]


def add_themes(project: Project, names=("theme0", "theme1", "theme2", "theme3")) -> None:
    project.apply([AddLabel(name, name.title()) for name in names], annotator="ada")


def label_some(project: Project, truth, rows=range(12), annotator="ada") -> None:
    for row in rows:
        project.apply(Label((f"d{row}",), (truth[row],)), annotator=annotator)


# Making and opening


def test_a_new_project_has_its_documents_terms_and_topics_and_no_labels(project, planted):
    view = project.view()
    assert view.n_documents == len(planted[0])
    assert view.n_terms == 4 * 8 + 4
    assert view.n_topics == 4
    assert (view.n_labelled, view.n_acts, view.labels) == (0, 0, [])
    assert sum(topic.share for topic in project.topics()) == pytest.approx(1.0)


def test_labels_of_a_corpus_come_in_as_an_act_that_can_be_undone(make, planted):
    corpus, truth = planted
    labels = [truth[row] if row < 20 else None for row in range(len(corpus))]
    project = make(Corpus(corpus.texts, ids=corpus.ids, labels=labels))
    assert [label.n_documents for label in project.labels()] == [truth[:20].count(f"theme{k}") for k in range(4)]
    done = project.undo("import")
    assert len(done.undone) == 20
    assert project.labels() == []


def test_names_of_labels_become_readable_ids(make):
    corpus = Corpus(["red apple pie", "blue deep sea", "old grey stone"], labels=["Sci. Space", "sci space", "É!"])
    assert [(label.id, label.name) for label in make(corpus).labels()] == [
        ("sci-space", "Sci. Space"),
        ("sci-space-2", "sci space"),
        ("e", "É!"),
    ]


def test_an_existing_file_is_never_replaced(file, planted):
    before = file.read_bytes()
    with pytest.raises(StoreError, match="there is a file already"):
        Project.create(file, planted[0])
    assert file.read_bytes() == before


def test_an_empty_corpus_is_refused_and_leaves_no_file(tmp_path):
    for corpus in (Corpus([]), Corpus(["", " "])):
        with pytest.raises(InputError):
            Project.create(tmp_path / "none.wayword", corpus)
    assert not list(tmp_path.iterdir())


def test_a_store_without_a_finished_project_is_not_opened(tmp_path):
    path = tmp_path / "half.wayword"
    store = open_store(path, create=True)
    store.add_documents(Corpus(["one text"]))
    store.close()
    with pytest.raises(NotAProjectError, match="was not finished"):
        Project.open(path)


def test_reopening_gives_the_same_state_and_topics_to_the_last_bit(reopen, planted):
    with reopen() as project:
        add_themes(project)
        label_some(project, planted[1])
        project.refresh()
        first = project.topics()
        project.apply(acts.RenameTopic(first[0].id, "Mine"), annotator="ada")
        project.refresh()
        project.apply(acts.FreezeTopic(project.topics()[1].id), annotator="ada")
        project.apply(BanTerm("t0w0"), annotator="ben")
        project.undo("ada")
        project.redo("ada")
        before, topics = state_of(project), project.topics()
        journal = project.journal()
    again = reopen()
    assert_same_state(before, state_of(again))
    assert again.topics() == topics
    assert again.journal() == journal


# Acts


def test_undo_restores_everything_to_the_last_bit_and_redo_puts_it_back(project, planted):
    add_themes(project)
    label_some(project, planted[1], range(8))
    states = [state_of(project)]
    topic = project.topics()[0].id
    other = project.topics()[1].id
    given = [
        Label(("d8",), (planted[1][8],)),
        BanTerm("t1w0"),
        acts.RenameTopic(topic, "Mine"),
        acts.MergeTopics((other,), topic),
        acts.ForbidTerm(topic, "common0"),
        Label(("d9", "d10"), (planted[1][9],)),
    ]
    for act in given:
        project.apply(act, annotator="ada")
        states.append(state_of(project))
    for before in reversed(states[:-1]):
        project.undo("ada")
        assert_same_state(before, state_of(project))
    for after in states[1:]:
        assert not project.redo("ada").reason
        assert_same_state(after, state_of(project))


def test_what_was_done_in_one_step_is_taken_back_in_one_step(project):
    project.apply([AddLabel("a", "A"), Label(("d0",), ("a",)), Flag(("d0",))], annotator="ada")
    assert project.undo("ada").undone == ["d0"]
    assert project.labels() == []
    assert not project.document("d0", "ada").flagged
    project.redo("ada")
    seen = project.document("d0", "ada")
    assert (seen.labels, seen.flagged) == (["a"], True)


def test_undo_with_nothing_to_undo_says_so(project):
    done = project.undo("ada")
    assert done.reason == "there is nothing to undo"
    assert not done.in_force


def test_a_request_that_is_sent_again_adds_nothing(project):
    given = [AddLabel("a", "A"), Label(("d0",), ("a",))]
    first = project.apply(given, annotator="ada", act_ids=["x", "y"])
    assert project.apply(given, annotator="ada", act_ids=["x", "y"]) == first
    topic = project.topics()[0].id
    once = project.apply(acts.RenameTopic(topic, "Mine"), annotator="ada", act_ids=["z"])
    assert project.apply(acts.RenameTopic(topic, "Mine"), annotator="ada", act_ids=["z"]) == once
    with pytest.raises(InputError, match="that of another act"):
        project.apply(Flag(("d1",)), annotator="ada", act_ids=["x"])
    assert project.view().n_acts == once.number


@pytest.mark.parametrize(
    ("act", "error", "hint"),
    [
        (Label(("d999",), ("theme0",)), InputError, "did you mean 'd9'"),
        (Label(("d0",), ("theme9",)), InputError, "did you mean 'theme3'"),
        (Label(("d0",), ("Theme0",)), InputError, "did you mean 'theme0'"),
        (BanTerm("commom0"), UnknownTermError, "did you mean 'common0'"),
        (acts.RenameTopic("zzz", "Mine"), InputError, "no topic has the id 'zzz'"),
        (acts.MergeTopics(("zzz",), "yyy"), InputError, "no topic has the id"),
        (acts.DeleteLabel("nothing"), InputError, "no label has the id"),
        (acts.AddAnchor("zzz", "t0w0"), InputError, "no topic has the id"),
        (Comment("nowhere", "hm"), InputError, "no document has the id"),
        (Label(("d0",), ("theme0", "theme1")), InputError, "has one label, got 2"),
    ],
)
def test_what_names_something_unknown_is_refused_with_near_matches_and_changes_nothing(project, act, error, hint):
    add_themes(project)
    with pytest.raises(error, match=hint):
        project.apply([Flag(("d0",)), act], annotator="ada")
    assert project.view().n_acts == 4


@pytest.mark.parametrize("given", [[], ["label"], [None]])
def test_what_is_no_act_is_refused(project, given):
    with pytest.raises(InputError, match="expected an act"):
        project.apply(given, annotator="ada")


def test_a_store_that_refuses_leaves_the_project_as_it_was(project, monkeypatch):
    add_themes(project)
    before = project.view()

    def refuse(*_):
        raise DiskFullError("no room left")

    monkeypatch.setattr(project.store, "append_all", refuse)
    with pytest.raises(DiskFullError):
        project.apply(Label(("d0",), ("theme0",)), annotator="ada")
    with pytest.raises(DiskFullError):
        project.undo("ada")
    monkeypatch.undo()
    assert project.view() == before
    assert project.apply(Label(("d0",), ("theme0",)), annotator="ada").number == 5


def test_a_label_that_is_gone_makes_the_act_without_effect_and_says_why(project):
    add_themes(project)
    project.apply(acts.DeleteLabel("theme0"), annotator="ben")
    done = project.apply(Label(("d0",), ("theme0",)), annotator="ada")
    assert done.reason == "the label 'theme0' is gone: deleted"


# Several people


def test_two_projects_on_one_file_see_each_others_acts(reopen, planted):
    one, two = reopen(), reopen()
    add_themes(one)
    two.apply(Label(("d0",), ("theme0",)), annotator="ben")
    assert one.document("d0", "ben").labels == ["theme0"]
    assert one.view().n_acts == two.view().n_acts == 5
    label_some(one, planted[1], range(1, 6))
    one.undo("ada")
    assert_same_state(state_of(one), state_of(two))


def test_threads_that_label_at_once_lose_nothing(reopen, planted):
    projects = [reopen(), reopen()]
    add_themes(projects[0])
    failures = []

    def work(place: int) -> None:
        try:
            for _ in range(6):
                project = projects[place % 2]
                question = project.question(f"coder{place}", wait=0.0)
                id = question.document.id
                project.apply(Label((id,), (planted[1][int(id[1:])],)), annotator=f"coder{place}")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    for project in projects:
        view = project.view()
        assert view.n_acts == 4 + 36
        assert view.n_labelled == 36  # nobody was handed what another had
    assert_same_state(state_of(projects[0]), state_of(projects[1]))


def test_listeners_hear_of_acts_and_topics_until_they_leave(project):
    heard = []
    arrived = threading.Event()

    def listen(kind, value):
        heard.append((kind, value))
        if kind == "topics" and value == 4:
            arrived.set()

    leave = project.subscribe(listen)
    add_themes(project)
    assert arrived.wait(30)
    assert ("acts", 4) in heard
    leave()
    n_heard = len(heard)
    project.apply(Flag(("d0",)), annotator="ada")
    project.refresh()
    assert len(heard) == n_heard
    assert ("acts", 5) in project.events(4)
    assert project.events(5) == []


def test_a_listener_that_fails_stops_nobody(project, caplog):
    def fail(*_):
        raise ValueError("no")

    project.subscribe(fail)
    assert project.apply(Flag(("d0",)), annotator="ada").number == 1
    assert "a listener failed" in caplog.text


def test_annotators_are_those_who_labelled_and_those_who_were_added(project):
    add_themes(project)
    project.apply(Label(("d0",), ("theme0",)), annotator="zoe")
    project.store.put_annotator(Annotator("cay", {"team": "two"}))
    for name in ("ben", "cay", "ben"):
        project.add_annotator(name)
    assert project.annotators() == ["ben", "cay", "zoe"]
    assert project.store.annotators() == [Annotator("ben"), Annotator("cay", {"team": "two"})]


# What is seen


def test_documents_of_hostile_texts_can_be_seen_and_sent(make):
    corpus = Corpus([*HOSTILE, "the room and the bed", "breakfast and coffee", "coffee at breakfast"])
    project = make(corpus, language="en", n_topics=2)
    project.apply([AddLabel("r", "R"), AddLabel("b", "B")], annotator="ada")
    project.apply([Label(("7",), ("r",)), Label(("8",), ("b",))], annotator="ada")
    project.refresh()
    for id, text in zip(corpus.ids, corpus.texts, strict=True):
        seen = project.document(id, "ada")
        seen.text.encode()
        assert len(seen.text) == len(text)
        units = seen.text.encode("utf-16-le")
        for word in seen.words:
            piece = units[2 * word.start : 2 * word.end].decode("utf-16-le")
            assert piece.isalnum(), piece
    bed = project.document("4", "ada")
    pieces = {bed.text.encode("utf-16-le")[2 * w.start : 2 * w.end].decode("utf-16-le") for w in bed.words}
    assert pieces == {"room", "bed"}


def test_a_very_long_document_is_cut_and_says_so(make):
    project = make(Corpus(["room bed " * 100_000, "room and coffee", "coffee bed"]), n_topics=2)
    seen = project.document("0", "ada")
    assert seen.truncated
    assert len(seen.text) == 100_000


def test_words_speak_for_the_label_whose_documents_hold_them(project, planted):
    add_themes(project)
    label_some(project, planted[1], range(24))
    project.refresh()
    seen = project.document("d30", "ada")
    text = seen.text
    own = [word.label for word in seen.words if text[word.start : word.end].startswith(f"t{planted[1][30][-1]}w")]
    assert own
    assert set(own) == {planted[1][30]}
    assert max(word.weight for word in seen.words) == 1.0
    assert seen.suggestions[0].label == planted[1][30]
    assert sum(view.share for view in seen.label_shares) == pytest.approx(1.0)
    assert seen.sentences[0].label == planted[1][30]
    assert seen.neighbours
    assert sum(view.share for view in seen.topic_shares) == pytest.approx(1.0, abs=0.1)


def test_an_annotator_sees_their_own_labels_and_those_of_others(project):
    add_themes(project)
    project.apply([Label(("d0",), ("theme0",)), Comment("d0", "sure?"), Flag(("d0",))], annotator="ada")
    project.apply(Label(("d0",), ("theme1",)), annotator="ben")
    seen = project.document("d0", "ben")
    assert seen.labels == ["theme1"]
    assert [(said.annotator, said.labels) for said in seen.labellings] == [("ada", ["theme0"]), ("ben", ["theme1"])]
    assert seen.status == "disagreement"
    assert [view.document.id for view in project.disagreements()] == ["d0"]
    project.apply(acts.Adjudicate(("d0",), ("theme1",)), annotator="zoe")
    assert project.document("d0", "ada").settled == ["theme1"]
    assert project.disagreements() == []


def test_an_unknown_document_is_refused_with_near_matches(project):
    with pytest.raises(InputError, match="did you mean 'd0'"):
        project.document("d0x", "ada")


def test_completion_gives_the_most_frequent_terms_first(project):
    found = project.complete("t0", 5)
    assert len(found) == 5
    assert all(term.startswith("t0") for term in found)
    vocabulary = project._ground.vocabulary
    frequencies = [int(vocabulary.term_frequencies[vocabulary.column(term)]) for term in found]
    assert frequencies == sorted(frequencies, reverse=True)
    assert project.complete("zzz") == []


def test_the_journal_says_acts_in_words_and_what_counts(project):
    add_themes(project)
    project.apply(Label(("d0",), ("theme0",)), annotator="ada")
    project.undo("ada")
    lines = project.journal(limit=2)
    assert [line.text for line in lines] == ["took back an act, number 5", "labelled d0 as Theme0"]
    assert [line.in_force for line in lines] == [False, False]
    assert [line.number for line in project.journal(offset=4, limit=1, newest_first=False)] == [5]


@pytest.mark.data
def test_a_sample_of_newsgroups_is_learnt_from_few_labels(data_path, make):
    from wayword import read_corpus

    corpus = read_corpus(data_path("20newsgroups.jsonl.gz")).split("train")
    kinds = ("sci.space", "rec.autos", "talk.politics.guns")
    chosen = [document for kind in kinds for document in [d for d in corpus if d.labels[0] == kind][:50]]
    truth = {document.id: document.labels[0] for document in chosen}
    bare = Corpus([document.text for document in chosen], ids=list(truth))
    project = make(bare, language="en", n_topics=8)
    project.apply([AddLabel(kind, kind) for kind in kinds], annotator="ada")
    for _ in range(20):
        question = project.question("ada", wait=60.0)
        assert question.document is not None
        assert question.reasons
        project.apply(Label((question.document.id,), (truth[question.document.id],)), annotator="ada")
    state = state_of(project)
    guessed = [state.labels[place] for place in state.guesses[0]]
    assert np.mean([guess == truth[id] for guess, id in zip(guessed, bare.ids, strict=True)]) > 0.8


def test_unlabel_frees_and_skip_passes_over(project):
    add_themes(project)
    project.apply(Label(("d0",), ("theme0",)), annotator="ada")
    project.apply(Unlabel(("d0",)), annotator="ada")
    assert project.document("d0", "ada").status == "open"
    project.apply(Skip(("d0",)), annotator="ada")
    seen = project.document("d0", "ada")
    assert (seen.status, seen.skipped) == ("skipped", True)


def test_an_undo_act_given_to_apply_takes_back_one_act(project):
    project.apply([AddLabel("a", "A"), AddLabel("b", "B")], annotator="ada")
    project.apply(Undo(), annotator="ada")
    assert [label.id for label in project.labels()] == ["a"]


def test_all_that_is_seen_is_plain_json(project, planted):
    add_themes(project)
    label_some(project, planted[1])
    project.refresh()
    seen = [
        project.view(),
        project.question("ada"),
        project.overview(),
        project.moves(0),
        project.documents(),
        project.document("d0", "ada"),
        project.agreement(),
        *project.topics(),
        *project.labels(),
        *project.journal(),
        *project.jobs(),
    ]
    for view in seen:
        json.dumps(asdict(view), allow_nan=False)
