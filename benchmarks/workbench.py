"""``python -m benchmarks.workbench``: the workbench at the size of 20 Newsgroups, through its HTTP interface.

``pace`` labels 200 documents and measures from the sending of a label to refreshed topics and the next question;
``memory`` watches the server over 2,000 acts; ``load`` lets 20 annotators label for a minute on PostgreSQL, and
``load_file`` 5 in a file; ``kills`` ends the server with SIGKILL under load, again and again, and checks that nothing is
lost. Without a name all but the last run. Results are kept beside those of other benchmarks. What is lost, handed out
twice or answered with an error is said, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np

from benchmarks.measure import REPOSITORY, find_corpus
from wayword import Corpus, read_corpus
from wayword.guidance.actions import AddLabel
from wayword.store.urls import open_store
from wayword.workbench.project import Project

N_TOPICS, N_TERMS = 40, 7000
N_PACE, SHOWN_ACTS = 200, (100, 500, 1000, 1500, 2000)
_PATIENCE = 120.0


def read_documents() -> tuple[Corpus, dict[str, str]]:
    """Return the documents to label, without labels, and the label of each."""
    train = [document for document in read_corpus(find_corpus("20newsgroups")) if document.metadata["split"] == "train"]
    corpus = Corpus([document.text for document in train], ids=[document.id for document in train])
    return corpus, {document.id: document.labels[0] for document in train}


def make_project(url: str, corpus: Corpus, truth: dict[str, str]) -> None:
    """Make a project with all labels to choose from."""
    with Project.create(url, corpus, max_terms=N_TERMS, n_topics=N_TOPICS) as project:
        acts = [AddLabel(name, name) for name in sorted(set(truth.values()))]
        project.apply(acts, annotator="start")


@contextmanager
def serve(url: str) -> Iterator[tuple[str, int]]:
    """Run the command and give its address and the number of its process."""
    command = [sys.executable, "-m", "wayword", "serve", url, "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://\S+/", said)
        if found is None:
            raise SystemExit("the server did not start")
        yield found[0], process.pid
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE)


@contextmanager
def session(address: str, name: str) -> Iterator[httpx.Client]:
    """Give a client that has begun a session."""
    with httpx.Client(base_url=address, timeout=_PATIENCE) as client:
        client.post("/api/session", json={"name": name}).raise_for_status()
        yield client


def ask(client: httpx.Client) -> dict[str, Any]:
    """Return the next question."""
    return client.get("/api/question").raise_for_status().json()


def label(client: httpx.Client, question: dict[str, Any], truth: dict[str, str], act_id: str) -> int:
    """Label the document that was asked about; return the number of the act."""
    id = question["document"]["id"]
    act = {"kind": "label", "documents": [id], "labels": [truth[id]]}
    answer = client.post("/api/acts", json={"acts": [act], "act_ids": [act_id]})
    return answer.raise_for_status().json()["number"]


def quantiles(seconds: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum, in milliseconds."""
    p50, p95, most = np.percentile(np.array(seconds) * 1000, [50, 95, 100]).round(1).tolist()
    return {"n": len(seconds), "p50_ms": p50, "p95_ms": p95, "max_ms": most}


def measure_pace(url: str, truth: dict[str, str]) -> dict[str, Any]:
    """Label and wait for topics and a question that know of it, again and again."""
    parts: dict[str, list[float]] = {"act": [], "question": [], "topics": [], "all": []}
    stale = 0
    with serve(url) as (address, _), session(address, "ada") as client:
        question = ask(client)
        client.get("/api/overview").raise_for_status()
        for k in range(N_PACE):
            times = [time.perf_counter()]
            number = label(client, question, truth, f"pace {k}")
            times.append(time.perf_counter())
            question = ask(client)
            stale += question["number"] < number
            times.append(time.perf_counter())
            client.get("/api/topics").raise_for_status()
            times.append(time.perf_counter())
            for name, taken in zip(parts, [*np.diff(times), times[-1] - times[0]], strict=True):
                parts[name].append(float(taken))
    found: dict[str, Any] = {name: quantiles(taken) for name, taken in parts.items()}
    return found | {"questions_before_the_refresh": stale}


def resident(pid: int) -> float:
    """Return the memory of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def measure_memory(url: str, truth: dict[str, str]) -> dict[str, Any]:
    """Label and look at topics up to 2,000 times."""
    with serve(url) as (address, pid), session(address, "ada") as client:
        found = {"0": resident(pid)}
        for k in range(1, max(SHOWN_ACTS) + 1):
            label(client, ask(client), truth, f"memory {k}")
            if k % 10 == 0:
                client.get("/api/topics").raise_for_status()
            if k in SHOWN_ACTS:
                found[str(k)] = resident(pid)
    return {"resident_mib_after_acts": found}


class Annotator(threading.Thread):
    """Asks and labels for a while, and counts."""

    def __init__(self, address: str, name: str, truth: dict[str, str], end: float) -> None:
        super().__init__(daemon=True)
        self._address, self._name, self._truth, self._end = address, name, truth, end
        self.acts: dict[str, str] = {}
        self.questions: list[float] = []
        self.labels: list[float] = []
        self.errors: list[str] = []

    def run(self) -> None:
        """Label until the time is over."""
        try:
            with session(self._address, self._name) as client:
                while time.monotonic() < self._end:
                    self._try(client)
        except Exception as error:
            # A thread that ends early must not look like one that had no errors.
            self.errors.append(f"{self._name} gave up: {error!r}")

    def _try(self, client: httpx.Client) -> None:
        try:
            self._go(client)
        except httpx.HTTPError as error:
            self.errors.append(str(error))

    def _go(self, client: httpx.Client) -> None:
        started = time.perf_counter()
        question = ask(client)
        asked = time.perf_counter()
        act_id = f"{self._name} {len(self.acts)}"
        label(client, question, self._truth, act_id)
        self.labels.append(time.perf_counter() - asked)
        self.questions.append(asked - started)
        self.acts[act_id] = question["document"]["id"]


def measure_load(url: str, truth: dict[str, str], n_annotators: int, seconds: float) -> dict[str, Any]:
    """Let many label at once, and look for what was lost or handed out twice."""
    with serve(url) as (address, _):
        end = time.monotonic() + seconds
        people = [Annotator(address, f"annotator {k}", truth, end) for k in range(n_annotators)]
        for one in people:
            one.start()
        for one in people:
            one.join()
    told = {act_id: document for one in people for act_id, document in one.acts.items()}
    store = open_store(url)
    kept = {entry.act_id for _, entry in store.entries()}
    store.close()
    return {
        "annotators": n_annotators,
        "seconds": seconds,
        "acts": len(told),
        "lost": len(set(told) - kept),
        "handed_out_twice": len(told) - len(set(told.values())),
        "errors": sum(len(one.errors) for one in people),
        "first_errors": [error for one in people for error in one.errors][:3],
        "label": quantiles([taken for one in people for taken in one.labels] or [0.0]),
        "question": quantiles([taken for one in people for taken in one.questions] or [0.0]),
    }


@contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL server of our own, with its usual care for the disk, and give the address of a database."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not installed:
        raise SystemExit("this needs PostgreSQL (apt install postgresql), which is looked for in /usr/lib/postgresql")
    programs = installed[-1].parent
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="wayword-pg-") as folder:
        if as_user:
            shutil.chown(folder, "postgres")

        def run(*command: object) -> None:
            subprocess.run([*as_user, *map(str, command)], check=True, capture_output=True, cwd=folder)

        data = Path(folder) / "data"
        run(programs / "initdb", "-D", data, "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C")
        options = f"-k {folder} -c listen_addresses=''"
        run(programs / "pg_ctl", "-D", data, "-w", "-l", Path(folder) / "log", "-o", options, "start")
        try:
            yield f"postgresql://postgres@/postgres?host={quote(folder, safe='')}"
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


def in_file(measure: Callable[..., dict[str, Any]], *options: Any) -> dict[str, Any]:
    """Measure on a new project in a file."""
    corpus, truth = read_documents()
    with tempfile.TemporaryDirectory(prefix="wayword-bench-") as folder:
        url = str(Path(folder) / "newsgroups.wayword")
        make_project(url, corpus, truth)
        return measure(url, truth, *options)


def in_database(measure: Callable[..., dict[str, Any]], *options: Any) -> dict[str, Any]:
    """Measure on a new project in a database."""
    corpus, truth = read_documents()
    with postgres() as url:
        make_project(url, corpus, truth)
        return measure(url, truth, *options)


def run_kills(times: int, seed: int) -> dict[str, Any]:
    """Kill the server so often; any loss is an error."""
    sys.path.insert(0, str(REPOSITORY / "tests"))
    from server.killing import kill_often  # pyright: ignore[reportMissingImports]

    with tempfile.TemporaryDirectory(prefix="wayword-kills-") as folder:
        sent, kept = kill_often(Path(folder), times, seed)
    return {"kills": times, "acts_sent": sent, "acts_kept": kept}


def find_faults(name: str, found: dict[str, Any]) -> list[str]:
    """Return what may never happen under load, and did."""
    wrong = [what for what in ("lost", "handed_out_twice", "errors") if found.get(what, 0)]
    faults = [f"{name}: {found[what]} {what.replace('_', ' ')}" for what in wrong]
    if not found.get("acts", 1):
        faults.append(f"{name}: nobody has labelled anything")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workbench", description=__doc__)
    parser.add_argument("names", nargs="*", help="pace, memory, load, load_file, kills")
    parser.add_argument("--times", type=int, default=50, help="how often to kill")
    parser.add_argument("--seed", type=int, default=7, help="of the moments to kill at")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to label under load")
    path = REPOSITORY / "benchmarks" / "results" / "workbench.json"
    parser.add_argument("--save", type=Path, default=path, help="where results are kept")
    arguments = parser.parse_args()
    known = {
        "pace": lambda: in_file(measure_pace),
        "memory": lambda: in_file(measure_memory),
        "load": lambda: in_database(measure_load, 20, arguments.seconds),
        "load_file": lambda: in_file(measure_load, 5, arguments.seconds),
        "kills": lambda: run_kills(arguments.times, arguments.seed),
    }
    if unknown := set(arguments.names) - set(known):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    faults: list[str] = []
    for name in arguments.names or ("pace", "memory", "load", "load_file"):
        found = known[name]()
        faults += find_faults(name, found)
        print(json.dumps({name: found}, indent=2), flush=True)
        kept = json.loads(arguments.save.read_text(encoding="utf-8")) if arguments.save.exists() else {}
        arguments.save.write_text(json.dumps(kept | {name: found}, indent=2) + "\n", encoding="utf-8")
    if faults:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
