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
