import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wayword import __version__, demo_corpus
from wayword.cli.console import Bars, format_rate, format_value, settings
from wayword.cli.main import _options_first, main


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def tickets(tmp_path):
    path = tmp_path / "tickets.jsonl"
    rows = [
        {"id": "a", "text": "The printer is broken, please repair the printer.", "labels": ["hardware"]},
        {"id": "b", "text": "I cannot log in; my password was rejected.", "labels": ["access", "urgent"]},
        {"id": "c", "text": "Password reset <b>broken</b> [bold]again[/bold].", "labels": []},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wayword {__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["corpus", "--help"], ["corpus", "info", "--help"]])
def test_help_is_there(capsys, arguments):
    assert main(arguments) == 0
    assert "Usage: wayword" in capsys.readouterr().out


def test_the_help_says_how_to_begin_and_lists_commands_by_what_they_are_about(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "wayword new PROJECT CORPUS" in shown
    places = [shown.index(panel) for panel in ("To begin with", "Corpora and models", "Projects: ")]
    assert places == sorted(places)
    projects = shown[places[-1] :]
    assert all(f" {name} " in projects for name in ("new", "serve", "label", "act", "show", "import", "undo"))


def test_no_command_shows_help(capsys):
    assert main([]) == 2
    shown = capsys.readouterr()
    assert "Usage: wayword" in shown.out
    assert shown.err == ""


def test_info_shows_what_a_corpus_holds(capsys, tickets):
    assert main(["corpus", "info", str(tickets)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"documents\s+3\s", shown)
    assert "1 with 0, 1 with 1, 1 with 2" in shown
    assert "hardware" in shown


def test_info_as_json_is_what_the_api_says(capsys, tickets):
    from wayword import read_corpus

    assert main(["corpus", "info", str(tickets), "--json"]) == 0
    said = read_corpus(tickets).info().to_dict()
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(said))


def test_reuters_info(capsys, data_path):
    assert main(["corpus", "info", str(data_path("reuters.jsonl.gz"))]) == 0
    shown = capsys.readouterr().out
    assert "10,788" in shown
    assert re.search(r"labels\s+90\s", shown)
    assert "9,160 with 1" in shown
    assert re.search(r"duplicate texts\s+113\s", shown)
    assert "en 98" in shown or "en 99" in shown


def test_vocabulary_lists_terms_and_saves_them(capsys, tickets, tmp_path):
    from wayword import Vocabulary

    saved = tmp_path / "vocabulary.json"
    assert main(["corpus", "vocabulary", str(tickets), "--top", "4", "--save", str(saved), "--ngrams", "2"]) == 0
    shown = capsys.readouterr()
    assert "password" in shown.out
    assert "wrote" in shown.err
    assert "password" in Vocabulary.load(saved)


def test_vocabulary_as_json(capsys, tickets):
    assert main(["corpus", "vocabulary", str(tickets), "--json", "--min-df", "2", "--max-df", "0.9"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [row["term"] for row in said["top"]] == ["break", "password"]
    assert said["documents"] == 3


def test_the_demo_shows_terms_themes_an_explained_document_and_the_path_of_its_report(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--report", "here.html", "--no-serve"]) == 0
    shown = capsys.readouterr().out
    assert f"{len(demo_corpus()):,}" in shown
    assert "most frequent terms" in shown
    assert "most specific terms" in shown
    assert "subtopic 3" in shown
    assert "what makes numpy.convolve look like" in shown
    assert re.search(r"likeliest themes +[\w.]+ \d+\.\d %, [\w.]+ \d+\.\d %", shown)
    assert re.search(r"themes \d+\.\d\d s, report", shown)
    assert shown.endswith(f"{tmp_path / 'here.html'}\n")
    assert "scipy.stats" in (tmp_path / "here.html").read_text(encoding="utf-8")


def test_the_demo_says_the_same_as_json(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--json", "--quiet", "--max-terms", "1000"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    said = json.loads(shown.out)
    assert said["corpus"]["documents"] == len(demo_corpus())
    assert {theme["name"] for theme in said["themes"]} == set(demo_corpus().label_names)
    assert "themes" in said["seconds"]
    assert said["explained"]["id"] == "numpy.convolve"
    assert len(said["explained"]["themes"]) == 2
    assert len(said["explained"]["sentences"]) == 1
    assert Path(said["report"]) == tmp_path / "wayword-demo-report.html"
    assert Path(said["report"]).stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["corpus", "info", "nowhere.jsonl"], 2, "does not exist"),
        (["corpus", "info"], 2, "Missing argument"),
        (["corpus", "--bogus"], 2, "No such option"),
        (["bogus"], 2, "No such command"),
        (["corpus", "info", "TICKETS", "--text", "body"], 2, "no column 'body'"),
        (["corpus", "info", "TICKETS", "--format", "xml"], 2, "format must be one of"),
        (["corpus", "info", "TICKETS", "--format", "csv"], 2, "no column 'text'"),
        (["corpus", "info", "BROKEN"], 1, "line 2"),
        (["corpus", "vocabulary", "TICKETS", "--ngrams", "two"], 2, "1,3"),
        (["corpus", "vocabulary", "TICKETS", "--min-df", "some"], 2, "0.5"),
        (["corpus", "vocabulary", "TICKETS", "--language", "xx"], 2, "unknown language"),
        (["corpus", "vocabulary", "TICKETS", "--save", "/nowhere/at/all.json"], 1, "No such file"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(capsys, tickets, tmp_path, arguments, code, said):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "fine"}\n{"text": \n')
    places = {"TICKETS": str(tickets), "BROKEN": str(broken)}
    assert main([places.get(argument, argument) for argument in arguments]) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.startswith("wayword: ")
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err


def test_debug_shows_the_traceback_and_keeps_the_exit_code(capsys, tickets):
    assert main(["corpus", "info", str(tickets), "--text", "body", "--debug"]) == 2
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert shown.splitlines()[-1].startswith("wayword: ")


def test_a_fault_of_our_own_is_one_line_too(capsys, tickets, monkeypatch):
    from wayword.corpus import readers

    monkeypatch.setattr(readers, "_batches", lambda *_: 1 / 0)
    assert main(["corpus", "info", str(tickets)]) == 1
    shown = capsys.readouterr().err
    assert shown == "wayword: division by zero (ZeroDivisionError: a fault in Wayword; --debug shows where)\n"


def test_skipped_rows_are_told_unless_quiet(capsys, tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"text": "fine"}\nbroken\n')
    assert main(["corpus", "info", str(path), "--errors", "skip"]) == 0
    shown = capsys.readouterr()
    assert "left out 1 bad rows" in shown.err
    assert re.search(r"rows left out\s+1\s", shown.out)
    assert main(["--quiet", "corpus", "info", str(path), "--errors", "skip"]) == 0
    assert capsys.readouterr().err == ""


def test_options_of_every_command_may_stand_anywhere():
    assert _options_first(["corpus", "info", "x", "--debug", "-q"]) == ["--debug", "-q", "corpus", "info", "x"]
    assert _options_first(["corpus", "--", "--debug"]) == ["corpus", "--", "--debug"]


def test_progress_is_silent_where_nobody_looks(tickets):
    command = [sys.executable, "-m", "wayword", "corpus", "info", str(tickets)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stderr == ""


def test_a_bar_appears_after_a_second_with_rate_and_time_left(monkeypatch):
    from wayword.cli import console

    clock = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: clock[0])
    bars = Bars()
    bars("bytes", 1, 100_000_000)
    assert bars._shown is None
    clock[0] = 2.0
    bars("documents", 5, None)
    assert bars._shown is None
    bars("bytes", 50_000_000, 100_000_000)
    assert bars._shown is not None
    assert [task.description for task in bars._shown.tasks] == ["reading"]
    assert bars._shown.tasks[0].fields["rate"] == "25.0 MB/s"
    bars.close()


def test_rates_read_well():
    assert format_rate(25_000_000, 2.0, "bytes") == "12.5 MB/s"
    assert format_rate(8200, 2.0, "documents") == "4,100 documents/s"


@pytest.mark.parametrize(
    ("value", "shown"), [(10788, "10,788"), (0.5, "0.5"), (True, "yes"), ("text", "text"), (1234.56, "1,234.6")]
)
def test_values_read_well(value, shown):
    assert format_value(value) == shown
