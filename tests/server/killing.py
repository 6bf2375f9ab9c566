"""Annotators who label over HTTP while the server is killed again and again, and what must be true afterwards."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx

from server.serving import Command, begin, make_corpus
from wayword import Corpus
from wayword.guidance.actions import Act, AddLabel
from wayword.store.urls import open_store
from wayword.workbench.project import Project

ANNOTATORS = ("ada", "bob", "cy")
LABELS = ("space", "food", "sport")
_BANNED = ("moon", "soup", "goal", "crew", "cake")
# Never banned, so that no topic loses all its anchors.
_ANCHORS = ("rocket", "orbit", "bread", "sugar", "team", "player")
_RESENT = 2
_REQUEST = re.compile(r"(?:start )?\w+(?: \d+)?")
# How often each kind of request is made.
_SHARES = {
    "label": 50,
    "undo": 10,
    "redo": 6,
    "ban": 6,
    "flag": 6,
    "import": 5,
    "comment": 4,
    "skip": 3,
    "anchors": 4,
    "freeze": 3,
    "divide": 3,
}


def request_of(act_id: str) -> str:
    """Return the request that an act was part of."""
    found = _REQUEST.match(act_id)
    assert found is not None, act_id
    return found[0]


@dataclass
class Labeller:
    """Sends requests one after the other, the same ones however often it is started; notes which were acknowledged."""

    name: str
    documents: tuple[str, ...]
    acknowledged: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    place: int = 0

    def plan(self, k: int) -> tuple[str, list[dict[str, Any]]]:
        """Return the kind of the request at a place in the plan, and its acts."""
        rng = random.Random(f"{self.name} {k}")
        kind = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
        return kind, _MAKERS[kind](self, k, rng) if kind in _MAKERS else []

    def run(self, address: str, *, until: int | None = None) -> None:
        """Send acts until the server is gone, or up to a place; the last ones are sent again first."""
        self.place = max(0, self.place - _RESENT)
        with suppress(httpx.TransportError), httpx.Client(base_url=address, timeout=60) as client:
            begin(client, self.name)
            while not self.stopped.is_set() and (until is None or self.place < until):
                self._send(client)

    def _send(self, client: httpx.Client) -> None:
        request, (kind, acts) = f"{self.name} {self.place}", self.plan(self.place)
        if acts:
            ids = [f"{request}, {place}" for place in range(len(acts))]
            answer = client.post("/api/acts", json={"acts": acts, "act_ids": ids})
        else:
            answer = client.post(f"/api/{kind}", json={"act_id": request})
        if answer.status_code == 200:
            number = answer.json()["number"]
            if self.acknowledged.setdefault(request, number) != number:
                self.problems.append(f"{request} had the number {self.acknowledged[request]}, then {number}")
            self.place += 1
        elif answer.status_code != 503:
            self.problems.append(f"{request}: {answer.status_code} {answer.text}")
            self.stopped.set()

    # Acts

    def _pick(self, rng: random.Random) -> str:
        return rng.choice(self.documents)

    def _label(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        return [{"kind": "label", "documents": [self._pick(rng)], "labels": [rng.choice(LABELS)]}]

    def _ban(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        return [{"kind": "ban_term", "term": rng.choice(_BANNED), "banned": rng.random() < 0.5}]

    def _flag(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        return [{"kind": "flag", "documents": [self._pick(rng)], "flagged": rng.random() < 0.5}]

    def _comment(self, k: int, rng: random.Random) -> list[dict[str, Any]]:
        return [{"kind": "comment", "document": self._pick(rng), "text": f"remark {k}"}]

    def _skip(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        return [{"kind": "skip", "documents": [self._pick(rng)]}]

    def _import(self, k: int, rng: random.Random) -> list[dict[str, Any]]:
        labels = {self._pick(rng): [rng.choice(LABELS)] for _ in range(3)}
        return [{"kind": "import", "source": f"file {k}", "labels": labels, "speaker": f"a friend of {self.name}"}]

    def _anchors(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        return [_set_anchors(f"{self.name}'s", *rng.sample(_ANCHORS, 2))]

    def _freeze(self, _: int, rng: random.Random) -> list[dict[str, Any]]:
        """Let a topic be about something and freeze it, or let it move again."""
        topic = f"{self.name}'s cold"
        frozen = {"kind": "freeze_topic", "topic": topic, "frozen": rng.random() < 0.7}
        return [_set_anchors(topic, *rng.sample(_ANCHORS, 2)), frozen]

    def _divide(self, k: int, rng: random.Random) -> list[dict[str, Any]]:
        """Divide a topic and take its new part in again: so there are never more of them."""
        topic, part = f"{self.name}'s", f"{self.name}'s part {k}"
        first, second, third = rng.sample(_ANCHORS, 3)
        return [
            _set_anchors(topic, first, second),
            {"kind": "split_topic", "topic": topic, "into": [topic, part]},
            _set_anchors(part, third),
            {"kind": "merge_topics", "topics": [part], "into": topic},
        ]


_MAKERS: dict[str, Callable[[Labeller, int, random.Random], list[dict[str, Any]]]] = {
    kind: getattr(Labeller, f"_{kind}") for kind in _SHARES if kind not in ("undo", "redo")
}


def _set_anchors(topic: str, *terms: str) -> dict[str, Any]:
    return {"kind": "set_anchors", "topic": topic, "terms": list(terms)}


def check_kept(url: str, labellers: list[Labeller]) -> dict[str, int]:
    """Check that every request that was acknowledged is kept, once, whole and under its number; return all that are."""
    store = open_store(url)
    entries = list(store.entries())
    store.close()
    assert [number for number, _ in entries] == list(range(1, len(entries) + 1))
    assert len({entry.act_id for _, entry in entries}) == len(entries), "an act is there twice"
    kept: dict[str, list[int]] = {}
    for number, entry in entries:
        kept.setdefault(request_of(entry.act_id), []).append(number)
    for request, numbers in kept.items():
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), f"{request} is there in pieces"
    last = {request: numbers[-1] for request, numbers in kept.items()}
    for labeller in labellers:
        assert not labeller.problems, labeller.problems
        assert labeller.acknowledged.items() <= last.items(), "an act that was acknowledged is lost"
        for place in range(labeller.place):
            _, acts = labeller.plan(place)
            assert not acts or len(kept[f"{labeller.name} {place}"]) == len(acts), "a request is kept in part"
    return last


def look(project: Project) -> dict[str, Any]:
    """Return all that people see of a project but times."""
    project.refresh()
    journal = project.journal(limit=1_000, newest_first=False)
    return {
        "acts": [(one.number, one.annotator, one.kind, one.text, one.in_force, one.reason) for one in journal],
        "labels": project.labels(),
        "topics": project.topics(),
        "documents": project.documents(limit=1_000),
        "flagged": project.documents(flagged=True, limit=1_000),
        "disagreements": project.disagreements(),
    }


def replay(url: str, corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Return what is seen after the same acts without an interruption, in a project made anew."""
    store = open_store(url)
    entries = [entry for _, entry in store.entries()]
    store.close()
    with make_project(folder / "again.wayword", corpus, labelled=False) as project:
        # Acts that were applied together have one annotator and one time.
        for _, step in groupby(entries, key=lambda entry: (entry.annotator, entry.when)):
            together = list(step)
            acts, ids = [entry.act for entry in together], [entry.act_id for entry in together]
            project.apply(acts, annotator=together[0].annotator, act_ids=ids)
        return look(project)


def make_project(url: Path | str, corpus: Corpus, *, labelled: bool = True) -> Project:
    """Make a project with labels to choose from."""
    project = Project.create(url, corpus, n_topics=3)
    acts: list[Act] = [AddLabel(name, name.title()) for name in LABELS]
    if labelled:
        project.apply(acts, annotator="ada", act_ids=[f"start {name}" for name in LABELS])
    return project


def run_while(labellers: list[Labeller], address: str, n_acts: int, rng: random.Random) -> None:
    """Let annotators label until so many more acts are acknowledged, and an instant longer."""
    threads = [threading.Thread(target=one.run, args=(address,), daemon=True) for one in labellers]
    wanted = n_acts + sum(len(one.acknowledged) for one in labellers)
    for thread in threads:
        thread.start()
    while sum(len(one.acknowledged) for one in labellers) < wanted and any(thread.is_alive() for thread in threads):
        time.sleep(0.001)
    time.sleep(rng.random() * 0.02)


def kill_often(folder: Path, times: int, seed: int = 7) -> tuple[int, int]:
    """Kill a server so often while annotators label, and check what must be true; return requests sent and kept.

    Parameters
    ----------
    folder : Path
        Where the projects are made.
    times : int
        How often to kill.
    seed : int
        Of the moments and acts.
    """
    rng, corpus, url = random.Random(seed), make_corpus(), str(folder / "project.wayword")
    make_project(url, corpus).close()
    labellers = [Labeller(name, corpus.ids) for name in ANNOTATORS]
    for _ in range(times):
        with Command(url, "--port", "0") as server:
            run_while(labellers, server.address, rng.randint(0, 40), rng)
            server.process.kill()
            server.process.wait()
        check_kept(url, labellers)
    with Command(url, "--port", "0") as server:
        for labeller in labellers:
            # The act that was under way when the server died is among these.
            labeller.run(server.address, until=labeller.place + 1)
    kept = check_kept(url, labellers)
    sent = {request for one in labellers for request in one.acknowledged} | {f"start {name}" for name in LABELS}
    assert set(kept) == sent, "an act is there that nobody was told of"
    with Project.open(url) as project:
        seen = look(project)
    assert seen == replay(url, corpus, folder), "an uninterrupted run shows something else"
    return len(sent), len(kept)
