"""The project that ``wayword demo`` ends with: labelled, fitted, and served at the address that is printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import httpx
import pytest

from server.serving import PATIENCE, make_corpus
from wayword import Corpus, Project
from wayword.cli import demo_project
from wayword.cli.console import settings
from wayword.cli.demo_project import FILE, make_demo_project
from wayword.cli.jobs import run_job
from wayword.errors import InputError
from wayword.guidance.actions import AddLabel
from wayword.progress import ignore

# The demo with few documents and few answers, in a process of its own.
QUICK = """
import sys
import wayword.corpus.demo
from cli.test_demo import make_labelled
from wayword.cli import demo_project
from wayword.cli.main import main

wayword.corpus.demo.demo_corpus = make_labelled
demo_project._ANSWERS, demo_project._TOPICS = 6, 3
sys.exit(main(["demo"]))
"""


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Return where the project goes, and let it have few topics and answers."""
    monkeypatch.setattr(demo_project, "_ANSWERS", 6)
    monkeypatch.setattr(demo_project, "_TOPICS", 3)
    return tmp_path / FILE


def make_labelled(progress=ignore):
    """Return a small corpus in place of the docstrings."""
    bare = make_corpus()
    return Corpus(bare.texts, ids=bare.ids, labels=[[("space", "food", "sport")[k % 3]] for k in range(len(bare))])


def test_themes_are_fitted_to_the_answers_before_the_project_is_served(path, capsys):
    make_demo_project(path, make_labelled())
    assert "Fitting themes" in capsys.readouterr().err
    with Project.open(path) as project:
        view, overview = project.view(), project.overview()
        assert view.n_labelled == 6
        assert overview.fitted_at == view.n_acts
        assert overview.background
        assert overview.residual


def test_the_progress_of_answers_and_of_the_fit_is_told(path, monkeypatch):
    told = []
    monkeypatch.setattr(demo_project, "progress", lambda: _Told(told))
    make_demo_project(path, make_labelled())
    assert ("labels", 6, 6) in told
    fits = [(done, total) for unit, done, total in told if unit == "fits" and total]
    assert fits[-1][0] == fits[-1][1]


class _Told:
    """Keeps the progress that is told."""

    def __init__(self, told):
        self._told = told

    def __enter__(self):
        return lambda *step: self._told.append(step)

    def __exit__(self, *_):
        pass


def test_what_was_done_since_an_earlier_demo_stays_and_nothing_is_fitted_again(path, capsys):
    make_demo_project(path, make_labelled())
    with Project.open(path) as project:
        project.apply(AddLabel("mine", "Mine"), annotator="ada")
        before = project.view().n_acts
    capsys.readouterr()
    make_demo_project(path, make_labelled())
    assert capsys.readouterr().err == f"Opening {path}, as it was left ...\n"
    with Project.open(path) as project:
        assert project.view().n_acts == before
        assert "Mine" in [label.name for label in project.labels()]


def test_a_demo_that_was_stopped_is_brought_to_its_end(path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(demo_project, "run_job", stop)
        patch.setattr(demo_project, "_ANSWERS", 1)
        with pytest.raises(KeyboardInterrupt):
            make_demo_project(path, make_labelled())
    make_demo_project(path, make_labelled())
    with Project.open(path) as project:
        assert project.view().n_labelled == 6
        assert len(project.labels()) == 3
        assert project.overview().fitted_at > 0


def test_a_job_that_fails_says_why(path):
    with Project.create(path, make_corpus(), n_topics=3) as project:
        with pytest.raises(InputError, match="themes need documents of two labels"):
            run_job(project, project.fit, ignore)
        with pytest.raises(InputError, match="the work was not finished: no room"):
            run_job(project, lambda: project._jobs.start("themes", 0, _fail), ignore)


def _fail(_):
    raise OSError("no room")


def test_the_demo_prints_the_address_that_it_serves_a_fitted_project_at(tmp_path):
    command = [sys.executable, "-c", QUICK]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=_environment()
    ) as process:
        try:
            lines = iter(process.stdout.readline, "")
            address = next(
                (found[1] for line in lines if (found := re.match(r"Wayword workbench: (http\S+)", line))), ""
            )
            with httpx.Client(base_url=address, timeout=PATIENCE) as client:
                client.post("/api/session", json={"name": "ada"}).raise_for_status()
                assert client.get("/api/overview").json()["fitted_at"] > 0
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
    assert process.returncode == 0, told
    assert "Press Ctrl+C to stop" in told


def _environment():
    """Return an environment in which a process finds the tests' own modules, as pytest lets this one."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
