import csv
import io
import json
import math
import shutil

import pytest
import typer

from wayword import Corpus
from wayword.cli import exchange, main
from wayword.cli.console import settings
from wayword.guidance.actions import AddLabel, Comment, Flag, Label
from wayword.workbench.exchange import read_exchange
from wayword.workbench.project import Project

TEXTS = [
    "A clean room",
    "Clean bed, large room",
    "Friendly staff",
    "The desk staff were friendly",
    "=cmd|' /C calc'!A0",
]
IDS = ["r1", "r2", "s1", "s2", "=x"]


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "stays.wayword"
    with Project.create(path, Corpus(TEXTS, ids=IDS, metadata={"hotel": ["Ritz"] * 5}), n_topics=2) as project:
        project.apply([AddLabel("room", "Room"), AddLabel("staff", "Staff")], annotator="ann")
        project.apply([Label(["r1"], ["room"]), Label(["s1"], ["staff"]), Flag(["s1"])], annotator="ann")
        project.apply([Label(["s1"], ["staff"]), Comment("s1", "=nice")], annotator="ben")
    return path


@pytest.fixture
def stays(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(made, tmp_path / "stays.wayword")
    return tmp_path


@pytest.fixture
def run(monkeypatch):
    commands = {command.name for command in main.app.registered_commands}
    if "import" not in commands:
        app = typer.Typer(pretty_exceptions_enable=False)
        app.command("import")(exchange.import_)
        app.command("export")(exchange.export)
        app.callback()(main.start)
        monkeypatch.setattr(main, "app", app)

    def run(*arguments, code=0):
        assert main.main([str(argument) for argument in arguments]) == code

    return run


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx", "json"])
def test_an_export_has_every_document_and_comes_back_unchanged(stays, run, capsys, ending):
    run("export", "stays.wayword", "--out", f"out.{ending}")
    assert capsys.readouterr().err == f"wrote 5 documents to out.{ending}\n"
    came = read_exchange(f"out.{ending}")
    assert came.documents is not None
    assert dict(zip(came.documents.ids, came.documents.texts, strict=True)) == dict(zip(IDS, TEXTS, strict=True))
    assert came.annotators == {"r1": {"ann": ("Room",)}, "s1": {"ann": ("Staff",), "ben": ("Staff",)}}
    run("import", "stays.wayword", f"out.{ending}", "--json")
    view = json.loads(capsys.readouterr().out)
    assert (view["n_documents"], view["n_labelled"], view["new_labels"], view["unknown"]) == (0, 0, [], [])


@pytest.mark.parametrize("format", ["csv", "jsonl", "label-studio", "doccano", "prodigy", "journal"])
def test_text_is_printed_where_no_file_is_named(stays, run, capsys, format):
    run("export", "stays.wayword", "--format", format)
    printed = capsys.readouterr().out
    with Project.open("stays.wayword") as project:
        assert printed.encode() == project.export(format)


def test_shares_of_every_document_sum_to_one(stays, run, capsys):
    run("export", "stays.wayword")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    run("export", "stays.wayword", "--format", "csv")
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out.removeprefix("\ufeff"))))
    assert [line["id"] for line in lines] == IDS
    assert len(table) == len(IDS)
    for line, cells in zip(lines, table, strict=True):
        assert math.isclose(sum(line["topic_shares"].values()), 1)
        assert math.isclose(sum(line["label_shares"].values()), 1)
        for prefix in ("share: ", "topic: "):
            assert math.isclose(sum(float(value) for name, value in cells.items() if name.startswith(prefix)), 1)


NEW = """key,words,kind
r2,Clean bed,Room|Clean
n1,A loud street,Noise
gone,,Room
"""
COLUMNS = ["--text", "words", "--id", "key", "--label", "kind", "--label-separator", "|"]


def test_an_import_says_what_came_and_brings_it(stays, run, capsys):
    (stays / "new.csv").write_text(NEW, encoding="utf-8")
    run("import", "stays.wayword", "new.csv", "--annotator", "cat", *COLUMNS)
    shown = capsys.readouterr().out
    assert "new.csv: what came" in shown
    assert "Clean, Noise" in shown
    assert "gone" in shown
    with Project.open("stays.wayword") as project:
        assert project.view().n_documents == 6
        found = project.document("r2", "cat")
        names = {label.id: label.name for label in project.labels()}
        assert [names[label] for label in found.labels] == ["Room", "Clean"]
        assert project.undo("cat").number > 0


def test_a_dry_run_tells_the_same_and_changes_nothing(stays, run, capsys):
    (stays / "new.csv").write_text(NEW, encoding="utf-8")
    run("import", "stays.wayword", "new.csv", "--dry-run", "--json", *COLUMNS)
    tried = json.loads(capsys.readouterr().out)
    with Project.open("stays.wayword") as project:
        assert project.view().n_documents == 5
        assert {label.name for label in project.labels()} == {"Room", "Staff"}
    run("import", "stays.wayword", "new.csv", "--json", *COLUMNS)
    came = json.loads(capsys.readouterr().out)
    for key in ("n_documents", "n_labelled", "new_labels", "unknown"):
        assert tried[key] == came[key]


def test_warnings_of_a_file_are_notes(stays, run, capsys):
    (stays / "old.csv").write_bytes("id,text,labels\nn1,Ein schönes Zimmer,Room\n".encode("latin-1"))
    run("import", "stays.wayword", "old.csv", "--dry-run")
    shown = capsys.readouterr().err
    assert "not UTF-8" in shown
    assert "nothing was changed" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["export", "stays.wayword", "--format", "xlsx"], 2, "name a file"),
        (["export", "stays.wayword", "-o", "out.doc"], 2, "cannot tell the format"),
        (["export", "stays.wayword", "--format", "doc"], 2, "expected csv"),
        (["export", "stays.wayword", "-o", "stays.wayword", "--format", "csv"], 2, "is what is being read"),
        (["export", "stays.wayword", "-o", "none/out.csv"], 2, "make it first"),
        (["export", "nowhere.wayword", "-o", "out.csv"], 1, "nowhere.wayword"),
        (["import", "stays.wayword", "nowhere.csv"], 2, "does not exist"),
        (["import", "stays.wayword", "bad.jsonl"], 1, "bad.jsonl, line 2: expected JSON"),
        (["import", "stays.wayword", "bad.jsonl", "--dry-run"], 1, "bad.jsonl, line 2: expected JSON"),
        (["import", "stays.wayword", "bad.jsonl", "--format", "journal", "--dry-run"], 2, "cannot be tried"),
        (["import", "stays.wayword", "bad.jsonl", "--format", "doc"], 2, "format must be one of"),
    ],
)
def test_bad_use_is_one_line(stays, run, capsys, arguments, code, said):
    (stays / "bad.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": \n', encoding="utf-8")
    run(*arguments, code=code)
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
