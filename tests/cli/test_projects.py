"""The commands new, journal, undo and label."""

from __future__ import annotations

import io
import json

import pytest
import typer

from wayword.cli import label as labelling
from wayword.cli import projects
from wayword.cli.console import settings
from wayword.errors import InputError, StoreError
from wayword.workbench.project import Project

TEXTS = [
    "A clean room with a big bed",
    "The room was clean and the bed soft",
    "The bed in the room was broken",
    "Friendly staff at the desk",
    "Staff were helpful and friendly",
    "The desk staff was rude",
    "Breakfast with fresh fruit and coffee",
    "Coffee and fruit at breakfast were great",
    "Fresh coffee every morning at breakfast",
]


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(scope="module")
def run():
    app = typer.Typer()
    for command in (projects.new, projects.journal, projects.undo, labelling.label):
        app.command()(command)
    return lambda *arguments: app(list(arguments), standalone_mode=False)


@pytest.fixture
def stays(tmp_path, monkeypatch):
    """Return a file of documents."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"r{k}", "text": text, "labels": ["Room"] if k == 1 else []} for k, text in enumerate(TEXTS)]
    (tmp_path / "stays.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "stays.jsonl"


@pytest.fixture
def project(run, stays):
    """Return the file of a project."""
    run("new", "stays.wayword", stays, "--topics", "3")
    return "stays.wayword"


def type_lines(monkeypatch, *lines):
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_new_makes_a_project_with_the_labels_of_the_corpus_and_says_what_is_next(run, stays, capsys):
    run("new", "stays.wayword", stays, "--topics", "3", "--name", "Stays", "--double-coding", "0.5")
    assert "9 documents, 17 terms, 1 with labels; next: wayword serve stays.wayword" in capsys.readouterr().err
    with Project.open("stays.wayword") as made:
        assert made.name == "Stays"
        assert made.view().settings["double_coding"] == 0.5
        assert [label.name for label in made.labels()] == ["Room"]
    with pytest.raises(StoreError, match="there is a file already"):
        run("new", "stays.wayword", stays)


def test_the_journal_is_a_table_or_json_and_undo_takes_back(run, project, capsys):
    run("journal", project)
    assert "took over the labels of 1 documents from the corpus" in capsys.readouterr().out
    run("undo", project, "--annotator", "import")
    assert "took back act 1" in capsys.readouterr().err
    with pytest.raises(InputError, match="'import' has nothing to take back"):
        run("undo", project, "--annotator", "import")
    run("undo", project, "--annotator", "import", "--redo")
    assert "put back act 1" in capsys.readouterr().err
    run("journal", project, "--json", "--oldest-first")
    lines = json.loads(capsys.readouterr().out)
    assert [line["kind"] for line in lines] == ["import", "undo", "undo", "redo"]
    assert lines[0]["in_force"]
    run("journal", project, "--limit", "2")
    assert "without effect: there is nothing to undo" in capsys.readouterr().out


def test_label_follows_lines_where_there_is_no_terminal(run, project, monkeypatch, capsys):
    type_lines(monkeypatch, "?", "n Staff", "", " ", "12", "u", "1", "q")
    run("label", project, "--annotator", "ada")
    shown = capsys.readouterr()
    assert "take back the last step" in shown.out
    assert "why: " in shown.out
    assert "labelled 3 documents" in shown.err
    with Project.open(project) as made:
        kinds = [line.kind for line in made.journal(newest_first=False)]
        assert kinds == ["import", "add_label", "label", "skip", "label", "undo", "label"]
        assert made.question("ada").counts.n_mine == 2


def test_label_says_what_is_missing_and_goes_on(run, project, monkeypatch, capsys):
    type_lines(monkeypatch, "", "9", "n", "u", "")
    run("label", project, "--annotator", "ada")
    shown = capsys.readouterr().out
    assert "no label is chosen" in shown
    assert "no label has the key 9" in shown
    assert "no name, no label" in shown
    assert "there is nothing to undo" in shown


def test_label_of_one_label_takes_the_last_key_and_a_known_name_is_no_new_label(run, project, monkeypatch, capsys):
    type_lines(monkeypatch, "n Staff", "n room", "", "q")
    run("label", project, "--annotator", "ada")
    with Project.open(project) as made:
        assert [label.name for label in made.labels()] == ["Room", "Staff"]
        assert made.labels()[0].n_documents == 2
    assert "kept as act" in capsys.readouterr().out


def test_label_ends_when_nothing_is_left(run, project, monkeypatch, capsys):
    type_lines(monkeypatch, *["1"] * 12)
    run("label", project, "--annotator", "ada")
    shown = capsys.readouterr()
    assert "nothing is left to label" in shown.out
    assert "labelled 8 documents" in shown.err


def test_what_a_terminal_would_obey_is_spelled_out(monkeypatch, run, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"\x1b[31m{k}", "text": f"room \x1b]0;title\x07 bed {k} [bold]x[/bold]"} for k in range(3)]
    (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("new", "bad.wayword", "bad.jsonl", "--topics", "2")
    type_lines(monkeypatch, "q")
    run("label", "bad.wayword", "--annotator", "ada")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b" in shown
    assert "[bold]x[/bold]" in shown
