import json
import os

import pytest
from sklearn.pipeline import make_pipeline

from wayword import NMF, Vectorizer, save
from wayword.cli.console import settings
from wayword.cli.demo import place_report
from wayword.cli.main import main

TEXTS = ["A clean room", "Clean bed, large room", "Friendly staff", "The desk staff were friendly"]


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (json.dumps({"name": f"n{place}", "text": text}) for place, text in enumerate(TEXTS))
    (tmp_path / "stays.jsonl").write_text("\n".join(rows), encoding="utf-8")
    save(make_pipeline(Vectorizer(), NMF(2)).fit(TEXTS), tmp_path / "model.wayword")
    return tmp_path


def run(*arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code


def test_a_page_quotes_the_corpus_and_says_where_it_is(stays, capsys):
    run("report", "model.wayword", "-o", "page.html", "--corpus", "stays.jsonl", "--id", "name")
    assert capsys.readouterr().err == "wrote the report to page.html\n"
    page = (stays / "page.html").read_text(encoding="utf-8")
    assert "<title>stays</title>" in page
    assert all(f'<bdi class="id">n{place}</bdi>' in page for place in range(4))


def test_a_model_alone_has_a_page_under_the_usual_name(stays, capsys):
    run("report", "model.wayword", "--title", "Nights <away>")
    assert "<title>Nights &lt;away&gt;</title>" in (stays / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["model.wayword", "-o", "model.wayword"], 2, "is what is being read"),
        (["model.wayword", "--corpus", "stays.jsonl", "-o", "stays.jsonl"], 2, "is what is being read"),
        (["model.wayword", "-o", "none/page.html"], 2, "make it first"),
        (["stays.jsonl"], 1, "not a Wayword"),
        (["nowhere.wayword"], 2, "does not exist"),
    ],
)
def test_bad_use_is_one_line(stays, capsys, arguments, code, said):
    run("report", *arguments, code=code)
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_a_project_has_a_page_of_its_own(stays, capsys):
    run("new", "stays.project", "stays.jsonl", "--topics", 3, "--name", "Nights <away>")
    run("report", "stays.project", "-o", "project.html")
    assert "<title>Nights &lt;away&gt;</title>" in (stays / "project.html").read_text(encoding="utf-8")
    run("report", "stays.project", "--title", "other", code=2)
    assert "leave out" in capsys.readouterr().err


def test_the_demo_tells_at_once_that_a_report_cannot_be_written(stays, capsys):
    run("demo", "--report", "none/page.html", code=2)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_report_goes_to_temporary_files_where_the_working_folder_is_closed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place_report(None) == tmp_path / "wayword-demo-report.html"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert place_report(None).parent != tmp_path
    assert place_report(None).parent.is_dir()
