import json

import pytest

from wayword import demo_corpus
from wayword.cli.console import settings
from wayword.cli.main import main


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (json.dumps({"id": str(place), "text": text}) for place, text in enumerate(demo_corpus().texts[:120]))
    (tmp_path / "stays.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return "stays.jsonl"


QUICK = ("--ks", "2,4", "--splits", "2")


def select(capsys, *arguments):
    assert main(["select", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_each_criterion_for_each_number_and_the_recommendation(stays, capsys):
    found = select(capsys, stays, "--ks", "4, 2,4", "--splits", "2")
    assert found["ks"] == [2, 4]
    assert found["best"] in (2, 4)
    assert found["reason"].startswith(str(found["best"]))
    assert list(found["criteria"]) == ["heldout", "stability", "coherence"]
    assert all(len(curve[name]) == 2 for curve in found["criteria"].values() for name in ("mean", "spread"))


def test_a_table_marks_the_recommended_number_and_says_why(stays, capsys):
    found = select(capsys, stays, *QUICK)
    assert main(["select", stays, *QUICK]) == 0
    shown = capsys.readouterr().out
    marked = [line for line in shown.splitlines() if "recommended" in line]
    assert [line.split()[0] for line in marked] == [str(found["best"])]
    assert found["reason"] in " ".join(shown.split())


def test_only_the_criteria_asked_for_are_measured(stays, capsys):
    found = select(capsys, stays, *QUICK, "--criteria", "coherence, heldout")
    assert list(found["criteria"]) == ["heldout", "coherence"]


def test_anchor_words_can_be_asked_too(stays, capsys):
    nmf, anchors = (select(capsys, stays, *QUICK, "--model", model) for model in ("nmf", "anchors"))
    assert nmf["criteria"] != anchors["criteria"]


def test_the_same_seed_gives_the_same_and_another_seed_another_result(stays, capsys):
    first, again, other = (select(capsys, stays, *QUICK, "--seed", seed) for seed in ("0", "0", "1"))
    assert first == again
    assert first["criteria"] != other["criteria"]


def test_a_figure_is_drawn_in_one_file(stays, tmp_path, capsys):
    assert main(["select", stays, *QUICK, "--figure", "topics.html"]) == 0
    page = (tmp_path / "topics.html").read_text(encoding="utf-8")
    assert "held-out" in page
    assert "<script src=" not in page
    assert "topics.html" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--ks", "five"], "numbers of topics such as 5,10,20"),
        (["--ks", "0"], "numbers of topics"),
        (["--ks", ""], "numbers of topics"),
        (["--criteria", "fit"], "expected some of heldout"),
        (["--figure", "stays.jsonl"], "is what is being read"),
        (["--figure", "nowhere/topics.html"], "there is no folder"),
        (["--splits", "1"], "--splits"),
        (["--model", "lda"], "--model"),
    ],
)
def test_bad_use_is_said(stays, capsys, arguments, says):
    assert main(["select", stays, *arguments]) == 2
    assert says in capsys.readouterr().err
