import json

import pytest

from active.test_guesses import plant
from wayword.cli.console import settings
from wayword.cli.main import main


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Write documents whose words tell their labels, and one without a label."""
    monkeypatch.chdir(tmp_path)
    X, labels = plant(60)
    rows = [
        {
            "text": " ".join(
                f"word{chr(97 + column // 8)}{chr(97 + column % 8)} " * int(count)
                for column, count in zip(X[row].indices, X[row].data, strict=True)
            ),
            "labels": [["corn", "oil", "ship"][label]],
        }
        for row, label in enumerate(labels)
    ]
    rows.append({"text": "nobody labelled this", "labels": []})
    (tmp_path / "planted.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return ["planted.jsonl", "--n-labels", "9", "--seeds", "2", "--every", "4", "--language", "none"]


def test_strategies_are_compared_by_their_accuracy(planted, capsys):
    arguments = ["--strategy", "auto", "--strategy", "margin", "--topics", "3"]
    assert main(["simulate", *planted, *arguments, "--figure", "curves.html", "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert list(found) == ["auto", "margin"]
    assert found["auto"]["n_labels"] == [5, 9]
    assert len(found["auto"]["accuracy"]) == 2
    assert min(run[-1] for run in found["auto"]["accuracy"]) > 0.8
    assert "1 documents without a label are left out" in told.err


def test_a_table_lists_strategies_by_the_number_of_labels(planted, capsys, tmp_path):
    assert main(["simulate", *planted, "--strategy", "auto", "--figure", "curves.html"]) == 0
    shown = capsys.readouterr().out
    assert "9 labels" in shown
    assert "auto" in shown
    assert "Plotly" in (tmp_path / "curves.html").read_text(encoding="utf-8")


def test_an_unknown_strategy_and_a_corpus_without_labels_are_errors_of_one_line(planted, capsys, tmp_path):
    assert main(["simulate", *planted, "--strategy", "best"]) == 2
    assert "strategy must be one of" in capsys.readouterr().err
    (tmp_path / "plain.jsonl").write_text('{"text": "one"}\n{"text": "two"}', encoding="utf-8")
    assert main(["simulate", "plain.jsonl"]) == 2
    assert "two labels or more" in capsys.readouterr().err
