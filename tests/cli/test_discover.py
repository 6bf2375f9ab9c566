import json

import pytest

from wayword import TopicDiscovery, load
from wayword.cli.console import settings
from wayword.cli.main import main

TEXTS = [
    "A clean room with a large bed",
    "The bed was soft and the room was quiet",
    "Large room, clean bath, soft bed",
    "Friendly staff at the desk answered every question",
    "The staff at the desk were rude and slow",
    "Friendly, helpful desk staff [bold]",
    "Breakfast was cold and the coffee was weak",
    "Good coffee and fresh bread at breakfast",
    "Cold eggs, weak coffee at breakfast " + "and more of it " * 20,
]


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (json.dumps({"id": str(place), "text": text}) for place, text in enumerate(TEXTS))
    (tmp_path / "stays.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return ["stays.jsonl", "--topics", "3", "--min-df", "1"]


def test_topics_come_the_largest_first_with_words_and_documents(stays, capsys):
    assert main(["discover", *stays, "--words", "2", "--documents", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [len(topic["terms"]) for topic in found] == [2, 2, 2]
    assert [topic["share"] for topic in found] == sorted((topic["share"] for topic in found), reverse=True)
    assert {"0", "1", "2"} >= set(next(topic["documents"] for topic in found if "bed" in topic["terms"]))


def test_a_table_says_which_reading_of_topics_it_shows(stays, capsys):
    assert main(["discover", *stays, "--documents", "3"]) == 0
    shown = capsys.readouterr().out
    assert "words that stand for it" in shown
    assert "[bold]" in shown
    assert "…" in shown
    assert main(["discover", *stays, "--raw"]) == 0
    assert "most likely words" in capsys.readouterr().out


def test_the_model_is_saved_with_what_counts_its_terms(stays, capsys, tmp_path):
    assert main(["discover", *stays, "--out", "model.wayword"]) == 0
    assert "saved the model" in capsys.readouterr().err
    vectorizer, model = load(tmp_path / "model.wayword")
    assert isinstance(model, TopicDiscovery)
    assert model.transform(vectorizer.transform(["a soft bed"])).shape == (1, 3)


def test_what_is_being_read_is_not_overwritten(stays, capsys):
    assert main(["discover", *stays, "--out", "stays.jsonl"]) == 2
    assert "is what is being read" in capsys.readouterr().err


def test_documents_without_terms_are_an_error_of_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.jsonl").write_text('{"text": "alone"}\n', encoding="utf-8")
    assert main(["discover", "few.jsonl"]) in (1, 2)
    assert capsys.readouterr().err.count("\n") == 1
