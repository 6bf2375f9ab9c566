import json

import pytest

from wayword import AnchorTopics, load
from wayword.cli.console import settings
from wayword.cli.main import main

TEXTS = [
    "A clean room with a large bed",
    "The bed was soft and the room was quiet",
    "Large room, clean bath, soft bed",
    "Friendly staff at the desk answered every question",
    "The staff at the desk were rude and slow",
    "Friendly, helpful desk staff",
    "Breakfast was cold and the coffee was weak",
    "Good coffee and fresh bread at breakfast",
    "Cold eggs, weak coffee at breakfast",
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
    return "stays.jsonl"


def topics(capsys, *arguments):
    assert main(["anchors", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_topics_are_found_and_shown_with_their_anchors(stays, capsys):
    found = topics(capsys, stays, "--topics", "3", "--words", "4")
    assert all(2 <= len(topic["words"]) <= 4 for topic in found)
    assert sum(topic["share"] for topic in found) == pytest.approx(1.0)
    together = [{"room", "bed"}, {"desk", "staff"}, {"breakfast", "coffee"}]
    assert all(any(words <= set(topic["words"]) for topic in found) for words in together)


def test_words_that_are_given_anchor_topics_alone_and_together(stays, capsys):
    found = topics(capsys, stays, "--topics", "3", "--anchor", "bed", "--anchor", "desk, staff")
    assert ["bed"] in [topic["anchors"] for topic in found]
    assert ["desk", "staff"] in [topic["anchors"] for topic in found]


def test_there_are_as_many_topics_as_anchors_if_more_are_given(stays, capsys, monkeypatch):
    monkeypatch.setattr("wayword.cli.anchors._TOPICS", 1)
    assert len(topics(capsys, stays, "--anchor", "bed", "--anchor", "desk")) == 2


def test_fewer_topics_than_anchors_are_an_error(stays, capsys):
    assert main(["anchors", stays, "--topics", "1", "--anchor", "bed", "--anchor", "desk"]) == 2
    assert "--topics 1 is fewer than the 2 anchors given; raise or leave it out" in capsys.readouterr().err


def test_a_table_lists_anchors_and_words(stays, capsys):
    assert main(["anchors", stays, "--topics", "2", "--anchor", "bed,room"]) == 0
    assert "bed + room" in capsys.readouterr().out


def test_word_lists_draw_words_in(stays, tmp_path, capsys):
    lists = {"sleep": ["bed", "soft"], "people": ["staff"], "odd": ["zebra"]}
    (tmp_path / "lists.json").write_text(json.dumps(lists), encoding="utf-8")
    found = topics(capsys, stays, "--topics", "3", "--word-lists", "lists.json")
    # No document holds the word of the third.
    assert sorted(str(topic["word_list"]) for topic in found) == ["None", "people", "sleep"]
    assert "word list" not in topics(capsys, stays, "--topics", "3")[0]
    assert main(["anchors", stays, "--topics", "3", "--word-lists", "lists.json"]) == 0
    printed = capsys.readouterr().out
    assert "word list" in printed
    assert "sleep" in printed
    assert "people" in printed


def test_a_model_is_saved(stays, tmp_path, capsys):
    assert main(["anchors", stays, "--topics", "2", "--out", "model.wayword"]) == 0
    assert isinstance(load(tmp_path / "model.wayword")[-1], AnchorTopics)
    assert "model.wayword" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--anchor", "bedd"], "did you mean 'bed'"),
        (["--anchor", " , "], "expected a word"),
        (["--topics", "500"], "candidates"),
        (["--out", "stays.jsonl"], "is what is being read"),
        (["--word-lists", "stays.jsonl"], "JSON object"),
        (["--word-lists", "list.json"], "JSON object"),
        (["--word-lists", "empty.json", "--topics", "2"], "no words"),
    ],
)
def test_bad_use_is_said(stays, tmp_path, capsys, arguments, says):
    (tmp_path / "list.json").write_text("[1]", encoding="utf-8")
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    assert main(["anchors", stays, *arguments]) == 2
    assert says in capsys.readouterr().err
