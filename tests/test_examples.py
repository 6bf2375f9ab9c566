import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.data
def test_stories_of_reuters_have_the_topics_of_their_labels(data_path, monkeypatch, capsys):
    script = EXAMPLES / "supervised_topics.py"
    monkeypatch.setattr("sys.argv", [script.name, str(data_path("reuters.jsonl.gz"))])
    runpy.run_path(str(script), run_name="__main__")
    dollar, sugar, industry = capsys.readouterr().out.split("\n\n")
    assert dollar.count("dlr: dollar") == 3
    assert sugar.count("sugar: sugar, tonne") == 3
    assert industry.count("ipi: ") == 3


@pytest.mark.data
def test_word_lists_draw_their_words_into_the_topics_they_are_given_to(data_path, monkeypatch, capsys):
    monkeypatch.setenv("WAYWORD_DATA", str(data_path("lexicon_empath.json").parent))
    runpy.run_path(str(EXAMPLES / "word_lists.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    place = lines.index("god (worship)")
    without, with_lists = lines[place + 1], lines[place + 2]
    assert "CHURCH" in without
    assert "RELIGION" not in without
    assert "RELIGION" in with_lists
    assert len(lines) == 60


def test_word_lists_say_where_they_looked_for_the_data(tmp_path, monkeypatch):
    monkeypatch.setenv("WAYWORD_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"needs lexicon_empath\.json, not found in .*set WAYWORD_DATA"):
        runpy.run_path(str(EXAMPLES / "word_lists.py"), run_name="__main__")
