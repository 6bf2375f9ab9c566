"""What was acknowledged is there, whatever becomes of the server, its database or its disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
import sqlalchemy as sa

from server.killing import ANNOTATORS, LABELS, Labeller, check_kept, kill_often, look, make_project, replay
from server.serving import make_corpus, serving
from wayword.store import engines
from wayword.workbench.project import Project


def test_a_server_that_is_killed_at_any_moment_loses_nothing_and_keeps_nothing_twice(tmp_path):
    sent, kept = kill_often(tmp_path, times=5)
    assert sent == kept > 20


# A database whose connections are cut


def cut(engine):
    """End all other connections of a database."""
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    # The server may just be coming up again.
    with suppress(sa.exc.DBAPIError), engine.begin() as connection:
        connection.exec_driver_sql(end)


def kill_one(engine):
    """Kill a process of the database, at which it ends all others and starts anew."""
    find = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() LIMIT 1"
    with suppress(sa.exc.DBAPIError), engine.begin() as connection:
        pid = connection.exec_driver_sql(find).scalar()
        if pid is not None:
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("end", "pause", "times"), [(cut, 0.1, 15), (kill_one, 2.0, 2)], ids=["cut", "killed"])
def test_a_database_that_is_cut_off_loses_nothing_and_service_goes_on(database, tmp_path, end, pause, times):
    corpus = make_corpus()
    engine = sa.create_engine(database.replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.NullPool)
    labellers = [Labeller(name, corpus.ids) for name in ANNOTATORS]
    with make_project(database, corpus) as project, serving(project) as served:
        for labeller in labellers:
            project.add_annotator(labeller.name)
        threads = [threading.Thread(target=one.run, args=(served.address,), daemon=True) for one in labellers]
        for thread in threads:
            thread.start()
        for _ in range(times):
            time.sleep(pause)
            end(engine)
        before = sum(len(one.acknowledged) for one in labellers)
        with served.client() as client:
            answer = client.get("/api/question")
            assert answer.status_code in (200, 503)
            while sum(len(one.acknowledged) for one in labellers) < before + 15:
                assert any(thread.is_alive() for thread in threads), [one.problems for one in labellers]
                time.sleep(0.01)
        for labeller in labellers:
            labeller.stopped.set()
        for thread in threads:
            thread.join()
        seen = look(project)
    engine.dispose()
    kept = check_kept(database, labellers)
    # Every labeller sends an act until it is acknowledged, so nothing is there that nobody was told of.
    assert len(kept) == len(LABELS) + sum(len(one.acknowledged) for one in labellers)
    assert seen == replay(database, corpus, tmp_path)


# Disks


def label(client, k):
    act = {"kind": "comment", "document": "plain", "text": f"{k} " + "remark " * 1000}
    return client.post("/api/acts", json={"acts": [act], "act_ids": [f"act {k}"]})


def fill_up(client, most=3000):
    """Write remarks until one is refused; return how many were kept, and the refusal."""
    for k in range(most):
        answer = label(client, k)
        if answer.status_code != 200:
            return k, answer
    raise AssertionError("the disk is never full")


def check_whole(path, n_acts):
    connection = engines._connect_file(path, "rw")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*) FROM acts").fetchone() == (n_acts,)
    connection.close()


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of a few megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("only root can make a small disk; the next test shows the same by other means")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_told_and_labelling_goes_on_when_there_is_room(small_disk):
    path, filler = small_disk / "p.wayword", small_disk / "filler"
    with Project.create(path, make_corpus(), n_topics=3) as project, serving(project) as served:
        with served.client() as client:
            free = os.statvfs(small_disk)
            filler.write_bytes(b"x" * (free.f_bavail * free.f_bsize - 500_000))
            kept, refusal = fill_up(client)
            assert refusal.status_code == 507
            assert "the disk is full; make room and try again" in refusal.json()["error"]
            assert str(small_disk) not in refusal.text
            assert client.get("/api/project").json()["n_acts"] == kept
            assert client.get("/api/topics").status_code == 200
            filler.unlink()
            assert label(client, kept).json()["number"] == kept + 1
            assert client.get("/api/question").status_code == 200
    check_whole(path, kept + 1)
    with Project.open(path) as again:
        assert again.view().n_acts == kept + 1


def test_a_project_on_a_read_only_disk_is_told_and_stays_as_it_is(small_disk):
    path = small_disk / "p.wayword"
    Project.create(path, make_corpus(), n_topics=3).close()
    kept = path.read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    command = [sys.executable, "-m", "wayword", "serve", str(path), "--port", "0"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert said.returncode == 1
    assert "p.wayword: cannot be opened; check that the folder is there and may be written" in said.stderr
    assert path.read_bytes() == kept
    with Project.open(path) as again:
        assert again.view().n_acts == 0


@pytest.mark.parametrize(
    ("pragma", "status", "told"),
    [("max_page_count = 1", 507, "the disk is full"), ("query_only = ON", 409, "it may not be written")],
    ids=["full", "read-only"],
)
def test_a_file_that_cannot_be_written_is_told_and_reading_goes_on(tmp_path, monkeypatch, pragma, status, told):
    path, connect, broken = tmp_path / "hidden.wayword", engines._connect_file, threading.Event()

    def connect_badly(*arguments):
        connection = connect(*arguments)
        if broken.is_set():
            connection.execute(f"PRAGMA {pragma}")
        return connection

    monkeypatch.setattr(engines, "_connect_file", connect_badly)
    with Project.create(path, make_corpus(), n_topics=3) as project, serving(project) as served:
        with served.client() as client:
            assert label(client, 0).status_code == 200
            broken.set()
            project.store._engine.dispose()
            # A few more may fit on pages that are there.
            kept, refusal = fill_up(client)
            assert refusal.status_code == status
            assert told in refusal.json()["error"]
            assert "hidden" not in refusal.text
            assert client.get("/api/topics").status_code == 200
            n_acts = client.get("/api/project").json()["n_acts"]
            assert n_acts == max(kept, 1)
            broken.clear()
            project.store._engine.dispose()
            assert label(client, kept).json()["number"] == n_acts + (kept >= 1)
    check_whole(path, n_acts + (kept >= 1))


def test_moments_are_random_but_the_same_each_time():
    labeller = Labeller("ada", ("a", "b"))
    plans = [labeller.plan(k) for k in range(200)]
    assert plans == [labeller.plan(k) for k in range(200)]
    kinds = {act["kind"] for _, acts in plans for act in acts} | {kind for kind, acts in plans if not acts}
    assert {"label", "undo", "redo", "freeze_topic", "merge_topics", "split_topic", "set_anchors", "import"} <= kinds
    assert random.Random(7).randint(0, 40) == random.Random(7).randint(0, 40)
