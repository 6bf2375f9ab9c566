"""Annotators who label over HTTP while the server is killed again and again, and what must be true afterwards."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
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
_WORDS = ("moon", "soup", "goal", "crew", "cake")
_RESENT = 2


@dataclass
class Labeller:
    """Sends acts one after the other, the same ones however often it is started; notes which were acknowledged."""

    name: str
    documents: tuple[str, ...]
    acknowledged: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    place: int = 0

    def act(self, k: int) -> dict[str, Any]:
        """Return the act of a place in the plan."""
        rng = random.Random(f"{self.name} {k}")
        chance = rng.random()
        if chance < 0.1:
            return {"kind": "ban_term", "term": rng.choice(_WORDS), "banned": rng.random() < 0.5}
        if chance < 0.2:
            return {"kind": "flag", "documents": [rng.choice(self.documents)], "flagged": rng.random() < 0.5}
        return {"kind": "label", "documents": [rng.choice(self.documents)], "labels": [rng.choice(LABELS)]}

    def run(self, address: str, *, until: int | None = None) -> None:
        """Send acts until the server is gone, or up to a place; the last ones are sent again first."""
        self.place = max(0, self.place - _RESENT)
        with suppress(httpx.TransportError), httpx.Client(base_url=address, timeout=60) as client:
            begin(client, self.name)
            while not self.stopped.is_set() and (until is None or self.place < until):
                self._send(client)

    def _send(self, client: httpx.Client) -> None:
        act_id = f"{self.name} {self.place}"
        answer = client.post("/api/acts", json={"acts": [self.act(self.place)], "act_ids": [act_id]})
        if answer.status_code == 200:
            number = answer.json()["number"]
            if self.acknowledged.setdefault(act_id, number) != number:
                self.problems.append(f"{act_id} had the number {self.acknowledged[act_id]}, then {number}")
            self.place += 1
        elif answer.status_code != 503:
            self.problems.append(f"{act_id}: {answer.status_code} {answer.text}")
            self.stopped.set()


def check_kept(url: str, labellers: list[Labeller]) -> dict[str, int]:
    """Check that every act that was acknowledged is kept, once and under its number; return all that are."""
    store = open_store(url)
    kept = [(entry.act_id, number) for number, entry in store.entries()]
    store.close()
    assert [number for _, number in kept] == list(range(1, len(kept) + 1))
    assert len(dict(kept)) == len(kept), "an act is there twice"
    for labeller in labellers:
        assert not labeller.problems, labeller.problems
        assert labeller.acknowledged.items() <= dict(kept).items(), "an act that was acknowledged is lost"
    return dict(kept)


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
        for entry in entries:
            project.apply(entry.act, annotator=entry.annotator, act_ids=[entry.act_id])
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
    """Kill a server so often while annotators label, and check what must be true; return acts sent and kept.

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
    sent = {act_id for one in labellers for act_id in one.acknowledged} | {f"start {name}" for name in LABELS}
    assert set(kept) == sent, "an act is there that nobody was told of"
    with Project.open(url) as project:
        seen = look(project)
    assert seen == replay(url, corpus, folder), "an uninterrupted run shows something else"
    return len(sent), len(kept)
