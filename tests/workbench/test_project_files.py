"""What comes into a project, what goes out, and what is computed in the background."""

from __future__ import annotations

import base64
import csv
import io
import json
import threading

import numpy as np
import pytest

from wayword import Corpus
from wayword.errors import FormatError, InputError
from wayword.guidance.actions import AddLabel, Adjudicate, Comment, Flag, FreezeTopic, Label, SetAnchors
from wayword.store.urls import open_store
from wayword.workbench import core
from wayword.workbench.exchange import read_exchange
from wayword.workbench.project import Project
from workbench.states import assert_same_state, state_of

NAMES = ("theme0", "theme1", "theme2", "theme3")


@pytest.fixture
def labelled(project, planted):
    project.apply([AddLabel(name, name.title()) for name in NAMES], annotator="ada")
    project.apply([Label((f"d{row}",), (planted[1][row],)) for row in range(24)], annotator="ada")
    project.refresh()
    return project


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


# Out and in


def test_an_export_has_every_document_with_shares_that_sum_to_one(labelled):
    rows = [json.loads(line) for line in labelled.export("jsonl").splitlines()]
    assert [row["id"] for row in rows] == [f"d{k}" for k in range(60)]
    table = read_csv(labelled.export("csv"))
    assert len(table) == 60
    for row in table:
        for kind in ("share: ", "topic: "):
            assert sum(float(value) for name, value in row.items() if name.startswith(kind)) == pytest.approx(1.0)


@pytest.mark.parametrize("format", ["csv", "jsonl", "label-studio", "doccano", "prodigy"])
def test_labels_flags_and_comments_go_out_and_come_into_another_project(labelled, make, planted, format):
    labelled.apply([Flag(("d1",)), Comment("d2", "sure?")], annotator="ada")
    labelled.apply(Label(("d3",), ("theme0",)), annotator="ben")
    other = make(planted[0])
    came = other.import_file(labelled.export(format), format=format, name=f"x.{format}", annotator="zoe")
    assert came.n_documents == 0
    assert came.unknown == []
    assert sorted(came.new_labels) == ["Theme0", "Theme1", "Theme2", "Theme3"]
    first, second = ({line.id: line for line in p.documents(limit=100).lines} for p in (labelled, other))
    names = [{label.id: label.name for label in p.labels()} for p in (labelled, other)]
    for id in first:
        assert [names[0][x] for x in first[id].labels] == [names[1][x] for x in second[id].labels]
        assert first[id].status == second[id].status
    assert other.document("d1", "zoe").flagged
    assert [comment.text for comment in other.document("d2", "zoe").comments] == ["sure?"]
    again = other.import_file(labelled.export(format), format=format, name=f"x.{format}", annotator="zoe")
    assert (again.n_labelled, again.number) == (0, came.number)


def test_an_import_is_undone_as_a_whole_by_whoever_made_it_and_by_nobody_else(labelled, make, planted):
    labelled.apply([Label(("d1", "d3"), ("theme0",)), Comment("d2", "sure?")], annotator="ben")
    labelled.apply(Adjudicate(("d3",), ("theme2",)), annotator="ada")
    other = make(planted[0])
    other.apply([AddLabel("mine", "Mine"), Label(("d50",), ("mine",))], annotator="zoe")
    before = other.documents(limit=100)
    came = other.import_file(labelled.export("jsonl"), format="jsonl", annotator="zoe")
    assert came.can_undo
    assert {said.annotator for said in other.document("d1", "zoe").labellings} == {"ada", "ben"}
    assert [said.annotator for said in other.document("d2", "zoe").comments] == ["ben"]
    assert other.undo("ben").reason == "there is nothing to undo"
    done = other.undo("zoe", number=came.number)
    assert {"d1", "d2", "d3"} <= set(done.undone)
    assert other.documents(limit=100) == before
    assert other.document("d2", "zoe").comments == []
    assert other.document("d50", "zoe").labels == ["mine"]
    assert not other.redo("zoe").reason
    assert other.document("d3", "zoe").status == "adjudicated"


def test_an_import_that_is_not_the_last_thing_is_not_undone_in_place_of_another(labelled):
    data = b"id,text,labels\nd50,,Theme1\n"
    came = labelled.import_file(data, format="csv", annotator="zoe")
    labelled.apply(Label(("d51",), ("theme0",)), annotator="zoe")
    with pytest.raises(InputError, match=f"act {came.number} is not the last of zoe that counts"):
        labelled.undo("zoe", number=came.number)
    again = labelled.import_file(data, format="csv", annotator="zoe")
    assert not again.can_undo
    journal = labelled.import_file(labelled.export("journal"), format="journal", annotator="zoe")
    assert not journal.can_undo
    assert labelled.document("d51", "zoe").labels == ["theme0"]
    labelled.undo("zoe")
    assert labelled.undo("zoe", number=came.number).undone == ["d50"]


def test_new_documents_are_counted_laid_out_and_kept(reopen):
    with reopen() as project:
        data = b"id,text,labels\nn1,t0w0 t0w1 t0w2 t0w3,Theme0\nn2,t1w0 t1w1 t1w2,\nd0,,Theme0\nghost,,Theme0\n"
        came = project.import_file(data, format="csv", name="more.csv", annotator="zoe")
        assert (came.n_documents, came.n_labelled, came.new_labels) == (2, 2, ["Theme0"])
        assert came.unknown == ["ghost"]
        assert project.view().n_documents == 62
        project.refresh()
        topics = project.topics()
        assert project.document("n1", "zoe").labels == ["theme0"]
        assert sum(view.share for view in project.document("n2", "zoe").topic_shares) == pytest.approx(1.0, abs=0.1)
        project.undo("zoe")
        assert project.labels() == []
        assert project.view().n_documents == 62
        project.redo("zoe")
    with reopen() as again:
        again.refresh()
        assert again.topics() == topics
        assert again.document("n1", "zoe").labels == ["theme0"]


def test_documents_that_were_added_but_not_laid_out_are_laid_out_when_opened(reopen, file):
    store = open_store(file)
    store.add_documents(Corpus(["t0w0 t0w1 t1w1"], ids=["late"]))
    store.close()
    project = reopen()
    assert project.document("late", "ada").text == "t0w0 t0w1 t1w1"
    assert project.view().n_documents == 61


def test_several_labels_of_a_document_make_a_project_of_several_labels(labelled):
    assert not labelled.multilabel
    data = b'{"id": "d50", "text": "", "labels": ["Theme0", "Theme1"]}\n'
    came = labelled.import_file(data, format="jsonl", name="two.jsonl", annotator="zoe")
    assert "several labels" in came.warnings[-1]
    assert labelled.multilabel
    labelled.refresh()
    seen = labelled.document("d51", "zoe")
    assert sum(view.share for view in seen.label_shares) == pytest.approx(1.0)
    assert labelled.question("zoe", wait=30.0).reasons


def test_the_journal_goes_out_and_gives_another_project_the_same_state(labelled, make, planted):
    labelled.apply(Label(("d30",), ("theme0",)), annotator="ben")
    labelled.undo("ben")
    other = make(planted[0])
    came = other.import_file(labelled.export("journal"), format="journal", annotator="zoe")
    assert (came.n_labelled, came.number) == (24, labelled.view().n_acts)
    assert other.journal(limit=1000) == labelled.journal(limit=1000)
    assert other.import_file(labelled.export("journal"), format="journal", annotator="zoe").n_labelled == 0
    labelled.refresh()
    other.refresh()
    assert [(t.id, t.label) for t in other.topics()] == [(t.id, t.label) for t in labelled.topics()]


def test_a_journal_with_frozen_topics_gives_another_project_the_same_topics_to_the_last_bit(labelled, file, reopen):
    first, second = (topic.id for topic in labelled.topics()[:2])
    labelled.apply([FreezeTopic(first), FreezeTopic(second)], annotator="ada")
    labelled.apply(Label(("d30", "d31"), ("theme0",)), annotator="ben")
    labelled.apply([SetAnchors("new", ("t1w1", "t1w2")), FreezeTopic("new")], annotator="ben")
    labelled.apply(FreezeTopic(second, frozen=False), annotator="ada")
    third = next(topic.id for topic in labelled.topics() if topic.id not in (first, second, "new"))
    labelled.apply(FreezeTopic(third), annotator="cay")
    labelled.undo("cay")
    labelled.apply(Label(("d32",), ("theme1",)), annotator="ben")
    with reopen() as other:
        other.import_file(labelled.export("journal"), format="journal", annotator="zoe")
        assert_same_state(state_of(labelled), state_of(other))
        labelled.redo("cay")
        other.redo("cay")
        assert_same_state(state_of(labelled), state_of(other))
    # Whoever brought in a journal may be stopped before topics have followed: the file alone must do.
    store = open_store(file)
    for name in [name for name in store.array_names() if name.startswith("frozen/")]:
        store.drop_arrays(name)
    store.close()
    assert_same_state(state_of(labelled), state_of(reopen()))


@pytest.mark.parametrize("data", [b"not json\n", b"{}\n", b'{"kind": "flag"}\n'])
def test_what_is_no_journal_is_refused_with_its_line(project, data):
    with pytest.raises(FormatError, match="line 1"):
        project.import_file(data, format="journal", annotator="ada")
    with pytest.raises(InputError, match="holds no act"):
        project.import_file(b"", format="journal", annotator="ada")


def test_an_export_of_one_annotator_has_their_labels_alone(labelled):
    labelled.apply(Label(("d0",), ("theme3",)), annotator="ben")
    came = read_exchange(labelled.export("jsonl", annotator="ben"), format="jsonl")
    assert came.labels == {"d0": ("Theme3",)}


def test_an_export_to_a_file_is_what_export_gives(labelled, tmp_path):
    labelled.export_to(tmp_path / "all.csv", "csv")
    assert (tmp_path / "all.csv").read_bytes() == labelled.export("csv")


# In the background


def test_themes_bring_background_and_unexplained_documents_and_stay_after_a_restart(reopen, planted):
    with reopen() as project:
        with pytest.raises(InputError, match="two labels"):
            project.fit()
        project.apply([AddLabel(name, name.title()) for name in NAMES[:2]], annotator="ada")
        two = [row for row in range(40) if planted[1][row] in NAMES[:2]]
        project.apply([Label((f"d{row}",), (planted[1][row],)) for row in two], annotator="ada")
        job = project._jobs.wait(project.fit().id, 120)
        assert job.status == "done", job.error
        project.refresh()
        seen = project.overview()
        assert seen.fitted_at == job.number == 2 + len(two)
        assert any(term.term.startswith("common") for term in seen.background[:6])
        foreign = [planted[1][int(line.id[1:])] in NAMES[2:] for line in seen.residual]
        assert sum(foreign) > 0.8 * len(foreign) > 0
    with reopen() as again:
        again.refresh()
        assert again.overview() == seen


def test_people_label_and_are_asked_while_themes_are_fitted(labelled, planted, monkeypatch):
    begun, go_on, fit_themes = threading.Event(), threading.Event(), core.fit_themes

    def fit_slowly(*given):
        begun.set()
        assert go_on.wait(120)
        return fit_themes(*given)

    monkeypatch.setattr(core, "fit_themes", fit_slowly)
    job = labelled.fit()
    assert begun.wait(120)
    for _ in range(5):
        question = labelled.question("ada", wait=30.0)
        row = int(question.document.id[1:])
        done = labelled.apply(Label((question.document.id,), (planted[1][row],)), annotator="ada")
        assert labelled.refresh() == done.number
        assert sum(topic.share for topic in labelled.topics()) == pytest.approx(1.0)
    assert labelled.overview().fitted_at == -1
    assert {view.id: view.status for view in labelled.jobs()} == {job.id: "running"}
    go_on.set()
    assert labelled._jobs.wait(job.id, 120).status == "done"
    assert labelled.overview().fitted_at == job.number == done.number - 5


def test_quality_is_measured_in_the_background_and_stays_after_a_restart(reopen, planted):
    with reopen() as project:
        assert project.quality() is None
        project.apply([AddLabel(name, name.title()) for name in NAMES], annotator="ada")
        project.apply([Label((f"d{row}",), (planted[1][row],)) for row in range(30)], annotator="ada")
        found = project.quality(fresh=True)
        assert found.n_labelled == 30
        assert found.accuracy.value > 0.8
        assert found.stability is not None
        for name in ("learning_curve", "confusion"):
            assert project.figure(name)["data"]
    with reopen() as again:
        assert again.quality() == found


def test_figures_are_json_in_light_and_dark(labelled):
    for name in ("sunburst", "topic_map", "evolution"):
        for dark in (False, True):
            figure = labelled.figure(name, dark=dark)
            assert figure["data"]
            json.dumps(figure)
    with pytest.raises(InputError, match="has not been measured yet"):
        labelled.figure("confusion")
    with pytest.raises(InputError, match="name must be"):
        labelled.figure("pie")


def test_sectors_of_the_sunburst_know_what_they_stand_for(labelled):
    (trace,) = labelled.figure("sunburst")["data"]
    topics = {topic.id: topic for topic in labelled.topics()}
    kinds = dict(zip(trace["ids"], map(tuple, trace["customdata"]), strict=True))
    above = {kinds[id]: kinds.get(parent) for id, parent in zip(trace["ids"], trace["parents"], strict=True)}
    assert {id for kind, id in above if kind == "topic"} == set(topics)
    for (kind, id), parent in above.items():
        assert parent == {"topic": ("label", topics[id].label) if id in topics else None, "label": ("", "")}.get(kind)
    sizes = dict(zip(kinds.values(), np.frombuffer(base64.b64decode(trace["values"]["bdata"])), strict=True))
    assert all(sizes["topic", id] == pytest.approx(topic.share) for id, topic in topics.items())


def test_agreement_counts_documents_that_two_have_labelled(labelled, planted):
    labelled.apply([Label((f"d{row}",), (planted[1][row],)) for row in range(6)], annotator="ben")
    found = labelled.agreement()
    assert found.n_documents == 6
    assert found.percent.value == 1.0
    assert found.cohen[0][:2] == ("ada", "ben")


def test_a_report_is_written_with_labels_and_without(labelled, make, planted, tmp_path):
    labelled.report(tmp_path / "themes.html")
    assert "Theme1" in (tmp_path / "themes.html").read_text(encoding="utf-8")
    make(planted[0]).report(tmp_path / "topics.html")
    assert "<html" in (tmp_path / "topics.html").read_text(encoding="utf-8")


def test_a_project_can_be_opened_again_while_it_is_open(reopen, planted):
    one = reopen()
    one.apply([AddLabel("a", "A"), Label(("d0",), ("a",))], annotator="ada")
    two = reopen()
    assert isinstance(two, Project)
    assert two.labels()[0].n_documents == 1


def test_documents_that_another_process_adds_are_taken_over(reopen, monkeypatch):
    one, two = reopen(), reopen()
    data = b"id,text,labels\nn1,t0w0 t0w1 t0w2 t0w3,Theme0\n"
    one.import_file(data, format="csv", name="more.csv", annotator="zoe")
    two._follow_documents()
    assert two.view().n_documents == 61
    assert two.document("n1", "zoe").labels == ["theme0"]
    one.refresh()
    two.refresh()
    assert one.topics() == two.topics()


def test_a_project_is_told_from_other_files(file, tmp_path):
    from wayword.workbench.creating import is_project

    (tmp_path / "model.npz").write_bytes(b"PK")
    assert is_project(file)
    assert is_project("postgresql://ada@localhost/stays")
    assert not is_project(tmp_path / "model.npz")
    assert not is_project(tmp_path / "missing")


def test_people_label_while_documents_come_in(reopen, planted):
    project = reopen()
    project.apply([AddLabel(name, name.title()) for name in NAMES], annotator="ada")
    rows = "".join(f"n{k},t0w{k % 8} t0w1 t1w{k % 5},\n" for k in range(20))
    done = []

    def bring() -> None:
        for k in range(3):
            data = "id,text,labels\n" + rows.replace("n", f"n{k}x")
            done.append(project.import_file(data.encode(), format="csv", name="more.csv", annotator="zoe").n_documents)

    thread = threading.Thread(target=bring)
    thread.start()
    for row in range(40):
        project.apply(Label((f"d{row}",), (planted[1][row],)), annotator="ada")
        project.question("ada", wait=0.01)
    thread.join(120)
    assert done == [20, 20, 20]
    project.refresh()
    view = project.view()
    assert (view.n_documents, view.n_labelled) == (120, 40)
    assert project.documents(query="t0w7", limit=200).total > 0


def test_what_was_decided_between_annotators_comes_along(labelled, make, planted):
    labelled.apply(Label(("d3",), ("theme0",)), annotator="ben")
    labelled.apply(Label(("d3",), ("theme1",)), annotator="cay")
    labelled.apply(Adjudicate(("d3",), ("theme2",)), annotator="ada")
    other = make(planted[0])
    other.import_file(labelled.export("jsonl"), format="jsonl", annotator="zoe")
    names = {label.id: label.name for label in other.labels()}
    seen = other.document("d3", "zoe")
    assert seen.status == "adjudicated"
    assert [names[label] for label in seen.settled] == ["Theme2"]
    number = other.view().n_acts
    assert other.import_file(labelled.export("jsonl"), format="jsonl", annotator="zoe").number == number


def test_a_journal_is_known_by_its_looks(labelled, make, planted, tmp_path):
    path = tmp_path / "acts.jsonl"
    labelled.export_to(path, "journal")
    other = make(planted[0])
    assert other.import_file(path, annotator="zoe").n_labelled == 24
    assert other.export("journal") == labelled.export("journal")


def test_another_text_of_a_document_that_is_there_is_warned_of_and_does_not_replace_it(project):
    before = project.document("d1", "zoe").text
    came = project.import_file(b"id,text\nd1,something else\n", format="csv", annotator="zoe")
    assert "another text, which stays as it is: d1" in came.warnings[-1]
    assert project.document("d1", "zoe").text == before
