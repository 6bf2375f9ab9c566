"""Routes: what is asked reaches the project, and what it says comes back as it is."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pytest

from server.serving import IDS, make_corpus, serving, wait_until
from wayword import Corpus
from wayword.errors import (
    CorpusError,
    DiskFullError,
    InputError,
    LimitError,
    LockedError,
    MissingExtraError,
    ReadOnlyError,
    StoreError,
    UnknownTermError,
)
from wayword.server.errors import say, status_of
from wayword.workbench.project import Project

LABELS = [{"kind": "add_label", "label": name, "name": name.title()} for name in ("space", "food", "sport")]
JSON = {"Content-Type": "application/json"}


def act(client, *acts, **more):
    answer = client.post("/api/acts", json={"acts": list(acts), **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def label(id, *labels):
    return {"kind": "label", "documents": [id], "labels": list(labels)}


def plain(view):
    """Return a view as JSON has it."""
    return json.loads(json.dumps([asdict(one) for one in view] if isinstance(view, list) else asdict(view)))


def test_views_come_as_the_project_gives_them(client, project):
    act(client, *LABELS, *(label(id, name) for id, name in zip(IDS, ["space", "food", "sport"] * 3, strict=False)))
    project.refresh()
    assert client.get("/api/project").json() == plain(project.view())
    assert client.get("/api/labels").json() == plain(project.labels())
    assert client.get("/api/topics").json() == plain(project.topics())
    assert client.get("/api/topics?purity=1").json() == plain(project.topics(1.0))
    assert client.get("/api/overview?purity=0.5").json() == plain(project.overview(0.5))
    assert client.get("/api/topics/moves?since=0").json() == plain(project.moves(0))
    assert client.get("/api/journal?limit=3").json() == plain(project.journal(limit=3))
    assert client.get("/api/agreement").json() == plain(project.agreement())
    assert client.get("/api/disagreements").json() == []
    assert client.get("/api/jobs").json() == plain(project.jobs())
    assert client.get("/api/terms?prefix=r&limit=2").json() == project.complete("r", 2)
    filters = {"query": "moon", "label": "space", "status": "single", "sort": "relevance", "limit": 5}
    assert client.get("/api/documents", params=filters).json() == plain(project.documents(**filters))
    assert client.get("/api/documents?flagged=true").json()["total"] == 0
    drawn = client.get("/api/figures/sunburst?dark=true").json()
    assert drawn == json.loads(json.dumps(project.figure("sunburst", dark=True)))
    assert {"data", "layout"} <= set(drawn)


@pytest.mark.parametrize("id", IDS)
def test_a_document_is_found_by_its_id_whatever_it_holds(guest, shared, id):
    answer = guest.get("/api/document", params={"id": id})
    assert answer.json() == plain(shared.project.document(id, "ada"))
    assert answer.json()["id"] == id


@pytest.mark.parametrize("id", ["", "nobody", "nul\0inside", "x" * 500, "\ufffd"])
def test_a_document_that_is_not_there_is_not_found(guest, id):
    answer = guest.get("/api/document", params={"id": id})
    assert answer.status_code == 404
    assert answer.json()["error"]


def test_a_question_is_asked_labelled_and_taken_back(client, project):
    act(client, *LABELS)
    first = client.get("/api/question").json()
    assert first["reasons"]
    id = first["document"]["id"]
    done = act(client, label(id, "space"), act_ids=["mine"])
    assert (done["number"], done["in_force"], done["can_undo"]) == (4, True, True)
    assert act(client, label(id, "space"), act_ids=["mine"])["number"] == 4
    assert project.view().n_acts == 4
    assert client.get("/api/question").json()["document"]["id"] != id
    undone = client.post("/api/undo", headers=JSON).json()
    assert undone["undone"] == [id]
    assert undone["can_redo"]
    assert client.get("/api/question").json()["document"]["id"] == id
    assert client.post("/api/redo", headers=JSON).json()["undone"] == [id]
    assert client.get("/api/project").json()["n_labelled"] == 1


def test_a_topic_is_made_and_frozen_in_one_request_and_one_without_terms_is_refused(client, project):
    made = {"kind": "set_anchors", "topic": "mine", "terms": ["moon", "crew"]}
    assert act(client, made, {"kind": "freeze_topic", "topic": "mine"})["reason"] == ""
    project.refresh()
    assert {topic["id"]: topic["frozen"] for topic in client.get("/api/topics").json()}["mine"]
    nothing = {"kind": "set_anchors", "topic": "other", "terms": []}
    refused = client.post("/api/acts", json={"acts": [nothing, {"kind": "freeze_topic", "topic": "other"}]})
    assert refused.status_code == 400
    assert "has no terms that could be frozen" in refused.json()["error"]


def test_an_undo_whose_answer_is_lost_can_be_sent_again(client):
    for k, id in enumerate(("plain", "a/b")):
        act(client, {"kind": "flag", "documents": [id]}, act_ids=[f"flag {k}"])
    for path, left in (("undo", ["plain"]), ("redo", ["a/b", "plain"])):
        answers = [client.post(f"/api/{path}", json={"act_id": f"one {path}"}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3
        assert answers[0].json() == answers[1].json() == answers[2].json()
        assert answers[0].json()["undone"] == ["a/b"]
        flagged = client.get("/api/documents", params={"flagged": True}).json()["lines"]
        assert sorted(line["id"] for line in flagged) == left
    refused = client.post("/api/redo", json={"act_id": "one undo"})
    assert refused.status_code == 400
    assert "that of another act" in refused.json()["error"]
    stale = client.post("/api/undo", json={"number": 1})
    assert stale.status_code == 400
    assert "act 1 is not the last of ada" in stale.json()["error"]
    assert client.post("/api/undo", json={"number": 0}).status_code == 422


def test_acts_are_those_of_the_session(served):
    with served.client("ada") as ada, served.client("bob") as bob:
        act(ada, *LABELS, label("plain", "space"))
        act(bob, label("plain", "food"))
        said = ada.get("/api/document?id=plain").json()
        assert said["labels"] == ["space"]
        assert said["status"] == "disagreement"
        assert [one["annotator"] for one in said["labellings"]] == ["ada", "bob"]
        found = bob.get("/api/disagreements").json()
        assert [one["document"]["id"] for one in found] == ["plain"]
        assert {"ada", "bob"} <= set(ada.get("/api/project").json()["annotators"])


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"acts": [{"kind": "labl"}]}, 400, "did you mean 'label'"),
        ({"acts": [label("nobody", "x")]}, 400, "nobody"),
        ({"acts": [{"kind": "ban_term", "term": "mooon"}]}, 400, "moon"),
        ({"acts": [{"kind": "label", "documents": "plain", "labels": []}]}, 400, "must be a list"),
        ({"acts": [LABELS[0]], "act_ids": ["a", "b"]}, 400, "ids"),
        ({"acts": []}, 422, "body.acts"),
        ({"acts": [1]}, 422, "body.acts.0"),
        ({"act": []}, 422, "body.acts"),
        ([], 422, "body"),
        ({"acts": [LABELS[0]], "annotator": "eve"}, 422, "annotator"),
    ],
)
def test_bad_acts_are_told_what_is_wrong(guest, shared, body, status, said):
    before = shared.project.view().n_acts
    answer = guest.post("/api/acts", json=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]
    assert shared.project.view().n_acts == before


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"acts": 1e999}', b"9" * 100_000, b'"\\ud800"'])
def test_what_is_no_json_is_an_error_and_not_a_fault(guest, body):
    assert guest.post("/api/acts", content=body, headers=JSON).status_code in (400, 422)


def test_half_a_character_is_refused_in_an_act(guest):
    half = b'{"acts": [{"kind": "add_label", "label": "h", "name": "\\ud800"}]}'
    answer = guest.post("/api/acts", content=half, headers=JSON)
    assert answer.status_code == 400
    assert "broken characters" in answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "documents?limit=0",
        "documents?sort=size",
        "documents?least_chance=nan",
        "topics?purity=2",
        "topics/moves",
        "events?after=-1",
    ],
)
def test_questions_out_of_range_do_not_parse(guest, path):
    answer = guest.get(f"/api/{path}")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("query.")


def test_things_that_are_not_there_are_not_found(guest):
    assert guest.get("/api/nowhere").status_code == 404
    assert guest.get("/api/figures/nothing").status_code == 422
    answer = guest.post("/api/jobs/none/cancel", headers=JSON)
    assert answer.status_code == 404
    assert "none" in answer.json()["error"]


def test_hostile_texts_arrive_as_they_were_written(tmp_path):
    texts = ["<script>alert(1)</script> moon", "half \ud83d and NUL \0 moon", "right ‮ to left moon", "moon " * 10]
    with Project.create(tmp_path / "p.wayword", Corpus(texts, ids=list("abcd"))) as project:
        with serving(project) as served, served.client() as client:
            shown = [client.get("/api/document", params={"id": id}).json()["text"] for id in "abcd"]
            assert shown[0] == texts[0]
            assert shown == [project.document(id, "ada").text for id in "abcd"]
            assert client.get("/api/documents?query=moon").json()["total"] == 4


def test_work_in_the_background_is_started_shown_and_stopped(client, project):
    answer = client.post("/api/fit", headers=JSON)
    assert answer.status_code == 400
    assert "label some more" in answer.json()["error"]
    act(client, *LABELS, *(label(id, name) for id, name in zip(IDS, ["space", "food", "sport"] * 3, strict=False)))
    started = client.post("/api/fit", headers=JSON).json()
    assert started["kind"] == "themes"
    assert client.get("/api/jobs").json()[0]["id"] == started["id"]
    stopped = client.post(f"/api/jobs/{started['id']}/cancel", headers=JSON).json()
    assert [job["id"] for job in stopped] == [started["id"]]


def test_labels_go_out_and_come_in(client, tmp_path):
    act(client, *LABELS, label("plain", "space"), label("a/b", "food"))
    sent = client.get("/api/export?format=jsonl")
    assert sent.headers["content-disposition"] == 'attachment; filename="wayword.jsonl"'
    assert sent.headers["content-type"].startswith("application/x-ndjson")
    with Project.create(tmp_path / "other.wayword", make_corpus(), n_topics=3) as other, serving(other) as served:
        with served.client("bob") as bob:
            params = {"format": "jsonl", "filename": "labels.jsonl"}
            brought = bob.post("/api/import", params=params, content=sent.content, headers={"X-Wayword": "1"})
            assert brought.status_code == 200, brought.text
            assert brought.json()["n_labelled"] == 2
            assert bob.get("/api/document?id=plain").json()["status"] == "single"
    unknown = client.get("/api/export?format=pdf")
    assert unknown.status_code == 422


def test_a_report_is_a_file_to_save(client, monkeypatch):
    made, make = [], tempfile.mkdtemp
    monkeypatch.setattr("tempfile.mkdtemp", lambda *a, **k: made.append(make(*a, **k)) or made[-1])
    sent = client.get("/api/report")
    assert sent.headers["content-disposition"] == 'attachment; filename="wayword-report.html"'
    assert sent.text.lstrip().lower().startswith("<!doctype html>")
    # The file is removed after its last byte is sent.
    assert made
    wait_until(lambda: not any(Path(folder).exists() for folder in made))


def test_the_schema_knows_every_act_and_every_view(guest):
    schema = guest.get("/openapi.json").json()
    views = schema["components"]["schemas"]
    assert {"QuestionView", "OverviewView", "QualityView", "ActView", "ErrorView"} <= set(views)
    kinds = {one["properties"]["kind"]["const"] for one in views["ActsBody"]["properties"]["acts"]["items"]["oneOf"]}
    assert {"label", "merge_topics", "set_purity", "import", "undo"} <= kinds
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            content = operation["responses"]["200"].get("content", {})
            if path not in ("/api/export", "/api/report", "/api/events"):
                assert content["application/json"]["schema"], (method, path)


# Errors


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("bad"), 400),
        (UnknownTermError("moon"), 400),
        (CorpusError("bad"), 400),
        (LimitError("bad"), 413),
        (MissingExtraError("x", "y", "z"), 501),
        (DiskFullError("bad"), 507),
        (ReadOnlyError("bad"), 409),
        (LockedError("bad"), 503),
        (StoreError("bad"), 503),
    ],
)
def test_errors_have_their_status(error, status):
    assert status_of(error) == status


def test_no_error_tells_where_the_project_is():
    place = "/home/ada/project.wayword"
    full = DiskFullError(f"{place}: the disk is full; make room")
    assert say(full, place) == "the disk is full; make room"
    assert place not in say(StoreError(f"the database says: connection to {place} failed"), place)
    assert place not in say(InputError(f"cannot read {place}"), place)
    assert say(CorpusError("no text", source="/tmp/x", place="line 3"), place) == "line 3: no text"


@pytest.mark.parametrize(
    ("error", "status"), [(DiskFullError, 507), (ReadOnlyError, 409), (LockedError, 503), (StoreError, 503)]
)
def test_a_store_that_fails_is_told_without_its_place(client, served, monkeypatch, error, status):
    def fail(*_, **__):
        raise error(f"{served.project.url}: broken; mend it")

    monkeypatch.setattr(served.project.store, "append_all", fail)
    answer = client.post("/api/acts", json={"acts": [LABELS[0]]})
    assert answer.status_code == status
    assert "hidden" not in answer.text
    monkeypatch.undo()
    act(client, LABELS[0])


def test_the_address_of_a_strange_method_says_so(guest):
    assert guest.put("/api/acts", json={}).status_code == 405
