"""``wayword show``: what the page shows, printed."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from server.serving import make_corpus
from wayword.cli.console import settings
from wayword.cli.main import main
from wayword.guidance.actions import AddLabel, BanTerm, Comment, Flag, ForbidTerm, FreezeTopic, Label, RenameTopic
from wayword.workbench.project import Project

NAMES = ("space", "food", "sport")


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the file of a project in which something was done."""
    path = tmp_path_factory.mktemp("show") / "p.wayword"
    with Project.create(path, make_corpus(), n_topics=3) as project:
        project.apply([AddLabel(name, name.title()) for name in NAMES], annotator="ada")
        for k in range(12, 30):
            project.apply(Label((f"d{k}",), (NAMES[k % 3],)), annotator="ada")
        project.apply([Label(("d12", "d15"), ("space",)), Label(("d13",), ("sport",))], annotator="bob")
        topic = project.topics()[0].id
        term = next(term.term for term in project.topics()[0].terms if term.term != topic)
        project.apply([RenameTopic(topic, "Mine"), ForbidTerm(topic, term), FreezeTopic(topic)], annotator="ada")
        project.apply([BanTerm("crew"), Flag(("d31",)), Comment("d31", "odd [b]one[/b]\x1b[31m")], annotator="ada")
    return str(path)


@pytest.fixture
def show(path, capsys):
    """Return what a command prints."""

    def run(*arguments, code=0):
        assert main(["show", path, *arguments]) == code
        shown = capsys.readouterr()
        return shown.err if code else shown.out

    return run


def test_the_overview_is_what_is_shown_by_default(show):
    whole = show("overview")
    assert show() == whole
    # d12, d15, ... d27 are about space; d13 is in dispute.
    assert re.search(r"Space +\d+\.\d % +6 ", whole)
    assert re.search(r"Food +\d+\.\d % +5 ", whole)


def test_an_overview_that_is_not_fitted_says_so_and_fresh_fits_it(path, tmp_path, capsys):
    other = shutil.copy(path, tmp_path / "p.wayword")
    assert main(["show", str(other), "overview"]) == 0
    assert "--fresh fits them" in capsys.readouterr().err
    assert main(["show", str(other), "overview", "--fresh"]) == 0
    shown = capsys.readouterr().out
    assert "background: what is common to all themes" in shown
    assert "documents that no theme explains" in shown
    assert main(["show", str(other), "overview", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fitted_at"] > 0


def test_topics_have_their_ids_names_anchors_and_marks(show):
    shown, found = show("topics"), json.loads(show("topics", "--json"))
    mine = next(topic for topic in found if topic["name"] == "Mine")
    assert mine["id"] in shown
    assert re.search(rf"{mine['id']} +Mine .*pinned, frozen, without {mine['forbidden'][0]}", shown)
    assert re.search(r"kept out of every topic\s+crew", shown)
    assert [topic["share"] for topic in found] == sorted((topic["share"] for topic in found), reverse=True)
    other = json.loads(show("topics", "--purity", "0", "--json"))
    assert [topic["terms"] for topic in other] != [topic["terms"] for topic in found]


def test_labels_have_ids_names_and_numbers(show):
    labels = json.loads(show("labels", "--json"))
    assert [label["name"] for label in labels] == ["Space", "Food", "Sport"]
    assert re.search(rf"space +Space +{labels[0]['n_documents']} +\d", show("labels"))


def test_documents_are_searched_and_the_best_come_first(show, path):
    found = json.loads(show("documents", "rocket", "moon", "--json"))
    with Project.open(path) as project:
        project.refresh()
        wanted = project.documents(query="rocket moon", sort="relevance", limit=20)
    assert found["total"] == wanted.total > 0
    assert [line["id"] for line in found["lines"]] == [line.id for line in wanted.lines]
    assert f"of {wanted.total}\n" in show("documents", "rocket", "moon")


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["--status", "disagreement"], ["d13"]),
        (["--annotator", "bob"], ["d12", "d13", "d15"]),
        (["--label", "space", "--annotator", "bob"], ["d12", "d15"]),
        (["--flagged"], ["d31"]),
        (["--status", "agreed", "--not-flagged", "--offset", "1"], ["d15"]),
        (["--least-chance", "1", "--most-chance", "0"], []),
    ],
)
def test_documents_pass_the_filters_of_the_page(show, arguments, ids):
    assert [line["id"] for line in json.loads(show("documents", *arguments, "--json"))["lines"]] == ids
    shown = show("documents", *arguments)
    assert all(id in shown for id in ids)
    assert ids or "none of 0 documents" in shown


def test_guesses_topics_and_order_are_filters_too(show):
    guessed = json.loads(show("documents", "--guess", "food", "--limit", "5", "--sort", "-chance", "--json"))
    chances = [line["chance"] for line in guessed["lines"]]
    assert len(chances) == 5
    assert chances == sorted(chances, reverse=True)
    assert {line["guess"] for line in guessed["lines"]} == {"food"}
    topic = json.loads(show("topics", "--json"))[0]["id"]
    assert 0 < json.loads(show("documents", "--topic", topic, "--json"))["total"] < 60


def test_a_document_is_shown_whole_and_what_a_terminal_would_obey_is_spelled_out(show):
    shown = show("document", "d31")
    assert re.search(r"status +open, flagged", shown)
    assert re.search(r"ada writes +odd \[b\]one\[/b\]\\x1b\[31m", shown)
    assert make_corpus().texts[31] in shown
    assert re.search(r"labels of bob +Sport", show("document", "d13"))
    assert json.loads(show("document", "d12", "--as", "bob", "--json"))["labels"] == ["space"]
    assert json.loads(show("document", "d14", "--as", "bob", "--json"))["labels"] == []


def test_quality_is_measured_when_asked_for(path, tmp_path, capsys):
    other = shutil.copy(path, tmp_path / "p.wayword")
    assert main(["show", str(other), "quality"]) == 0
    shown = capsys.readouterr()
    assert "nothing is measured yet; --fresh measures" in shown.err
    assert re.search(r"Cohen's kappa of ada and bob +\S+ +3 documents", shown.out)
    assert re.search(r"d13 +ada: Food, bob: Sport", shown.out)
    assert main(["show", str(other), "quality", "--fresh"]) == 0
    shown = capsys.readouterr().out
    assert main(["show", str(other), "quality", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert f"measured on {found['quality']['n_labelled']} labelled documents" in shown
    assert f" {found['quality']['accuracy']['value']:.2f} " in shown
    assert found["disagreements"][0]["document"]["id"] == "d13"
    for label, counts in zip(*found["quality"]["confusion"].values(), strict=True):
        place = found["quality"]["confusion"]["labels"].index(label)
        assert re.search(rf"{label.title()} +{sum(counts)} +{counts[place]}", shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["topcs"], "No such command 'topcs'"),
        (["documents", "--label", "fod"], "no label has the id 'fod'; did you mean 'food'"),
        (["documents", "--status", "closed"], "status must be one of"),
        (["documents", "--sort", "size"], "sort must be one of"),
        (["document", "d300"], "no document has the id 'd300'; did you mean 'd30'"),
        (["document"], "Missing argument"),
        (["topics", "--purity", "3"], "Invalid value for '--purity'"),
    ],
)
def test_what_makes_no_sense_is_one_line(show, arguments, said):
    told = show(*arguments, code=2)
    assert said in told
    assert told.count("\n") == 1
