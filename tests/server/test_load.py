"""Many annotators at once: nothing is lost, nothing is handed out twice, and nobody is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from server.killing import LABELS, make_project
from server.serving import make_corpus, serving
from wayword.store.urls import open_store

EACH = 4


def label_some(client: httpx.Client, name: str) -> dict[str, str]:
    """Label documents as they are asked about; return each by the id of its act."""
    told = {}
    for k in range(EACH):
        question = client.get("/api/question")
        assert question.status_code == 200, question.text
        id = question.json()["document"]["id"]
        act = {"kind": "label", "documents": [id], "labels": [LABELS[k % 3]]}
        answer = client.post("/api/acts", json={"acts": [act], "act_ids": [f"{name} {k}"]})
        assert answer.status_code == 200, answer.text
        told[f"{name} {k}"] = id
    return told


@pytest.fixture(params=["file", "database"])
def place(request, tmp_path):
    """Return where to keep a project, and how many are to label it at once."""
    if request.param == "file":
        return tmp_path / "hidden.wayword", 5
    return request.getfixturevalue("database"), 20


def test_all_that_many_annotators_label_at_once_is_kept_and_no_document_is_handed_to_two(place):
    url, n_annotators = place
    names = [f"annotator{k}" for k in range(n_annotators)]
    with make_project(url, make_corpus(2 * n_annotators * EACH)) as project, serving(project) as served:
        with ExitStack() as stack, ThreadPoolExecutor(n_annotators) as pool:
            clients = [stack.enter_context(served.client(name)) for name in names]
            told = [one for told in pool.map(label_some, clients, names) for one in told.items()]
        assert project.view().n_labelled == n_annotators * EACH
    store = open_store(url)
    kept = {entry.act_id: number for number, entry in store.entries()}
    store.close()
    assert len(told) == len({id for _, id in told}) == n_annotators * EACH
    assert set(kept) == {act_id for act_id, _ in told} | {f"start {name}" for name in LABELS}
    assert sorted(kept.values()) == list(range(1, len(kept) + 1))
