"""Servers for tests: in a thread over an open project, or as the command in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from wayword import Corpus
from wayword.server.running import Server, bind, make_server
from wayword.workbench.project import Project

# Machines that test are busy.
PATIENCE = 60.0
IDS = ("plain", "a/b", "../up", "quote\"'<b>", "日本 ü", "a?b#c&d=%2e", "back\\slash", "dot.", "+plus", "‮right")
_SENTENCES = {
    "space": "the rocket went to the moon and the crew saw the orbit of the shuttle",
    "food": "the bread and the soup were cold but the cook made a warm cake with sugar",
    "sport": "the team won the game and the player scored a late goal before the crowd",
}


def make_corpus(n_documents: int = 60) -> Corpus:
    """Return documents about three things, in turn, the first of which have ids that are hard to send."""
    words = {name: sentence.split() for name, sentence in _SENTENCES.items()}
    names, texts = list(words), []
    for k in range(n_documents):
        chosen = words[names[k % 3]]
        texts.append(" ".join(chosen[(k + step * (1 + k // 3)) % len(chosen)] for step in range(12)))
    ids = [IDS[k] if k < len(IDS) else f"d{k}" for k in range(n_documents)]
    return Corpus(texts, ids=ids)


@dataclass
class Served:
    """A server in a thread: its address, and clients with sessions."""

    address: str
    project: Project
    server: Server

    @contextmanager
    def client(self, name: str = "ada") -> Iterator[httpx.Client]:
        """Give a client that has begun a session."""
        with httpx.Client(base_url=self.address, timeout=PATIENCE) as client:
            begin(client, name)
            yield client


def begin(client: httpx.Client, name: str = "ada", **more: str) -> None:
    """Begin a session, as soon as the project can be read."""

    def post() -> httpx.Response:
        return client.post("/api/session", json={"name": name, **more})

    answer, end = post(), time.monotonic() + PATIENCE
    while answer.status_code == 503 and time.monotonic() < end:
        time.sleep(0.05)
        answer = post()
    assert answer.status_code == 200, answer.text


@contextmanager
def serving(project: Project, **options: object) -> Iterator[Served]:
    """Serve a project in a thread."""
    with bind("127.0.0.1", 0) as bound:
        server = make_server(project, **options)  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{bound.getsockname()[1]}", project, server)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


class Command:
    """``wayword serve`` in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wayword", "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.search(r"http://\S+/", self.said)
        if found is None:
            raise AssertionError(f"no address; the command said {self.end()}")
        self.address = found[0]

    def end(self) -> tuple[int, str, str]:
        """Wait for the end, and return the exit code and what was said."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, self.said + out, err

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def wait_until(true: object, patience: float = PATIENCE) -> None:
    """Wait until a function returns something true."""
    end = time.monotonic() + patience
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)
