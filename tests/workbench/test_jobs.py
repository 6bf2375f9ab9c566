"""Work in the background: progress, stopping, and the newest state winning."""

from __future__ import annotations

import threading

import pytest

from wayword.errors import InputError
from wayword.workbench.jobs import Jobs


@pytest.fixture
def told():
    return []


@pytest.fixture
def jobs(told):
    found = Jobs(told.append)
    yield found
    found.close()


def test_a_job_tells_its_progress_and_ends(jobs, told):
    def work(progress):
        progress("fits", 1, 2)
        progress("fits", 2, None)

    view = jobs.start("themes", 7, work)
    assert jobs.wait(view.id, 30).status == "done"
    assert [(v.status, v.step, v.done, v.total) for v in told] == [
        ("waiting", "", 0, 0),
        ("running", "", 0, 0),
        ("running", "fits", 1, 2),
        ("running", "fits", 2, 0),
        ("done", "fits", 2, 0),
    ]
    assert {v.number for v in told} == {7}


def test_a_job_that_fails_says_why_and_the_next_one_runs(jobs, caplog):
    def fail(progress):
        raise InputError("too few labels")

    failed = jobs.start("themes", 1, fail)
    after = jobs.start("quality", 1, lambda progress: None)
    assert jobs.wait(after.id, 30).status == "done"
    assert jobs.wait(failed.id).error == "too few labels"
    assert "failed" in caplog.text


class Gate:
    """Work that waits until it is let on."""

    def __init__(self):
        self.started, self.open, self.finished = threading.Event(), threading.Event(), False

    def __call__(self, progress):
        self.started.set()
        assert self.open.wait(30)
        progress("fits", 1, 1)
        self.finished = True


def test_a_running_job_is_stopped_where_it_tells_its_progress(jobs):
    gate = Gate()
    view = jobs.start("themes", 1, gate)
    assert gate.started.wait(30)
    jobs.cancel(view.id)
    gate.open.set()
    assert jobs.wait(view.id, 30).status == "cancelled"
    assert not gate.finished
    jobs.cancel(view.id)
    with pytest.raises(InputError, match="no job has the id 'x'"):
        jobs.cancel("x")


def test_a_newer_job_of_the_kind_takes_the_place_of_older_ones(jobs):
    gate, ran = Gate(), []
    first = jobs.start("themes", 1, gate)
    assert gate.started.wait(30)
    second = jobs.start("themes", 2, lambda progress: ran.append(2))
    third = jobs.start("themes", 3, lambda progress: ran.append(3))
    assert jobs.start("themes", 3, lambda progress: ran.append(4)).id == third.id
    gate.open.set()
    assert jobs.wait(third.id, 30).status == "done"
    assert [jobs.wait(view.id).status for view in (first, second)] == ["cancelled", "cancelled"]
    assert ran == [3]


def test_old_jobs_are_forgotten(jobs):
    for number in range(50):
        view = jobs.start("themes", number, lambda progress: None)
        jobs.wait(view.id, 30)
    assert len(jobs.views()) <= 31
    assert jobs.views()[0].number == 49


def test_closing_stops_what_runs_and_what_waits(told):
    jobs, gate, ran = Jobs(told.append), Gate(), []
    jobs.start("themes", 1, gate)
    assert gate.started.wait(30)
    jobs.start("quality", 1, lambda progress: ran.append(1))
    threading.Timer(0.05, gate.open.set).start()
    jobs.close()
    assert not gate.finished
    assert ran == []
