import json
import re

import pytest
from sklearn.pipeline import make_pipeline

from wayword import ThemeNMF, Vectorizer, explain_text, load, save
from wayword.cli.console import settings
from wayword.cli.main import main

TEXTS = [
    "A clean room with a large bed",
    "The bed was soft and the room was quiet",
    "Large room, clean bath, soft bed",
    "Friendly staff at the desk answered every question",
    "The staff at the desk were rude and slow",
    "Rude answers at the desk",
]
LABELS = ["room"] * 3 + ["staff"] * 3
TEXT = "The bed was soft.\nBut the staff were rude, and rude again; no kettle."


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.wayword"
    save(make_pipeline(Vectorizer(), ThemeNMF(2)).fit(TEXTS, LABELS), path)
    return path


def run(*arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code


def refuse(capsys, said, *arguments, code=2):
    """A command ends with this exit code and says this in one line."""
    run(*arguments, code=code)
    shown = capsys.readouterr()
    assert re.search(said, shown.err), shown.err
    assert shown.err.startswith("wayword: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_themes_subtopics_words_and_sentences_are_shown(capsys, model):
    run("explain", model, TEXT)
    shown = capsys.readouterr()
    assert re.search(r"^staff: chance \d+\.\d %, score \d\.\d\d$", shown.out, flags=re.MULTILINE)
    assert shown.out.index("staff: chance") < shown.out.index("room: chance")
    found = explain_text(load(model), TEXT)
    for reason in found.themes:
        for place, subtopic in enumerate(reason.subtopics, 1):
            assert f"{place}: {', '.join(subtopic.terms)} " in shown.out
        for word in reason.words:
            assert f"{word.term} {word.weight:+.2f}" in shown.out
    assert shown.out.index("But the staff were rude, and rude again") < shown.out.index("The bed was soft.")
    assert "words that the model does not know: kettle\n" in shown.out
    assert shown.err == ""


def test_as_much_is_shown_as_was_asked_for(capsys, model):
    run("explain", model, TEXT, "--themes", 1, "--words", 1, "--sentences", 0)
    shown = capsys.readouterr().out
    assert "room: chance" not in shown
    assert "rude +" in shown
    assert "bed" not in shown.replace("bed,", "")
    assert "sentences" not in shown


def test_json_is_what_the_api_says(capsys, model):
    run("explain", model, TEXT, "--json", "--themes", 2, "--words", 2, "--sentences", 1)
    said = json.loads(capsys.readouterr().out)
    expected = explain_text(load(model), TEXT, n_themes=2, n_words=2, n_sentences=1)
    assert said == json.loads(json.dumps(expected.to_dict()))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_text_is_read_from_a_file(capsys, model, tmp_path, encoding):
    path = tmp_path / "text.txt"
    path.write_text(f"{TEXT} Très bien – 字.", encoding=encoding)
    run("explain", model, "--file", path, "--json")
    from_file = capsys.readouterr().out
    run("explain", model, f"{TEXT} Très bien – 字.", "--json")
    assert from_file == capsys.readouterr().out
    assert "bien" in from_file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text is empty; before any word"),
        (" \n", "the text is empty; before any word"),
        ("Kettle!", "the text has no word that the model knows; before any word"),
        ("the of", "the text has no word that the model knows; before any word"),
    ],
)
def test_a_text_without_known_words_gets_the_chances_of_any(capsys, model, text, said):
    run("explain", model, text)
    shown = capsys.readouterr().out
    assert said in shown
    for theme, chance in zip(("room", "staff"), load(model).predict_proba([""])[0], strict=True):
        assert re.search(rf"^ +{theme} +{100 * chance:.1f} % *$", shown, flags=re.MULTILINE)


def test_an_empty_file_is_an_empty_text(capsys, model, tmp_path):
    (tmp_path / "empty.txt").touch()
    run("explain", model, "--file", tmp_path / "empty.txt")
    assert "the text is empty" in capsys.readouterr().out


def test_hostile_text_is_shown_literally(capsys, tmp_path):
    hostile = "[red]x[/red] :smile: \x1b[31m\u202e\x07"
    path = tmp_path / "hostile.wayword"
    labels = [f"{hostile} {label}" for label in LABELS]
    save(make_pipeline(Vectorizer(), ThemeNMF(1)).fit(TEXTS, labels), path)
    run("explain", path, f"Rude staff {hostile} [bold]at[/bold] the desk.")
    shown = capsys.readouterr().out
    assert r"[red]x[/red] :smile: \x1b[31m\u202e\x07 staff: chance" in shown
    assert r"Rude staff [red]x[/red] :smile: \x1b[31m\u202e\x07 [bold]at[/bold] the desk." in shown
    assert not {"\x1b", "\u202e", "\x07"} & set(shown)


def test_many_unknown_words_are_counted(capsys, model):
    run("explain", model, "bed " + " ".join(f"qq{chr(97 + place)}" * 2 for place in range(14)))
    assert re.search(r"does not know: (\w+, ){9}\w+ and 4 more$", capsys.readouterr().out, flags=re.MULTILINE)


def test_a_sentence_without_an_end_is_cut_short(capsys, model):
    run("explain", model, "the bed was soft and " * 5000)
    shown = capsys.readouterr().out
    assert len(shown) < 5000
    assert "…" in shown


def test_either_a_text_or_a_file_is_needed(capsys, model, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    refuse(capsys, "give a text or --file, one of both", "explain", model)
    refuse(capsys, "give a text or --file, one of both", "explain", model, TEXT, "--file", path)


def test_what_is_not_utf_8_is_refused(capsys, model, tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("Très bien".encode("latin-1"))
    refuse(capsys, r"latin\.txt: not UTF-8 from place 3 on; convert it", "explain", model, "--file", path)
    refuse(capsys, "the text: not UTF-8 from place 5 on; convert it", "explain", model, "bed \udcff")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--themes", "0"], "--themes"),
        (["--words", "0"], "--words"),
        (["--sentences", "-1"], "--sentences"),
        (["--file", "nowhere.txt"], "--file"),
        (["--file", "."], "directory"),
    ],
)
def test_options_that_make_no_sense(capsys, model, options, said):
    refuse(capsys, said, "explain", model, *options)


def test_what_is_no_model_of_themes_is_refused(capsys, tmp_path):
    save(Vectorizer().fit(TEXTS), tmp_path / "other.wayword")
    refuse(capsys, "expected a Vectorizer and a ThemeNMF", "explain", tmp_path / "other.wayword", TEXT)
    lone = make_pipeline(Vectorizer(), ThemeNMF(1, mode="combined", n_new_topics=2, score="share"))
    save(lone.fit(TEXTS, [None] * len(TEXTS)), tmp_path / "lone.wayword")
    refuse(capsys, "nothing to explain", "explain", tmp_path / "lone.wayword", TEXT)
