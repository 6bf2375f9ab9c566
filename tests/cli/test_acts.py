"""``wayword act``: every act of a person from the command line."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from server.serving import make_corpus
from wayword.active.topics import LiveTopics
from wayword.cli.acts import command_of, find_act, list_acts, show_fields
from wayword.cli.console import settings
from wayword.cli.main import main
from wayword.guidance.actions import ACTS, AddLabel, Label
from wayword.workbench.project import Project

# An act of each kind; names in braces are ids of topics.
EVERY_ACT = {
    "label": ["documents=d20,d21", "labels=food"],
    "unlabel": ["documents=d12"],
    "adjudicate": ["documents=d12", "labels=food"],
    "skip": ["documents=d30"],
    "flag": ["documents=d30"],
    "comment": ["document=d30", "text=strange = rare, is it not?"],
    "add-label": ["name=Far away"],
    "rename-label": ["label=food", "name=Meals"],
    "merge-labels": ["labels=food", "into=space"],
    "split-label": ["label=food", "into=food,cake", "names=Food,Cake"],
    "delete-label": ["label=food"],
    "set-anchors": ["topic={0}", "terms=moon,orbit"],
    "add-anchor": ["topic={0}", "term=crew"],
    "remove-anchor": ["topic={0}", "term={0}"],
    "rename-topic": ["topic={0}", "name=The first"],
    "merge-topics": ["topics={0}", "into={1}"],
    "split-topic": ["topic={0}", "into={0},part"],
    "freeze-topic": ["topic={0}"],
    "ban-term": ["term=crew"],
    "forbid-term": ["topic={0}", "term=crew"],
    "promote-topic": ["topic={0}", "name=A theme"],
    "set-purity": ["purity=0.25"],
    "import": ["source=elsewhere", 'labels={"d40": ["cake"]}', 'names={"cake": "Cake"}'],
    "undo": [],
    "redo": [],
}


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Return the file of a project with two labels, and the ids of its topics."""
    path = tmp_path_factory.mktemp("acts") / "p.wayword"
    with Project.create(path, make_corpus(), n_topics=3) as project:
        project.apply([AddLabel("space", "Space"), AddLabel("food", "Food")], annotator="bob")
        project.apply(Label(("d12",), ("space",)), annotator="ada")
        topics = [topic.id for topic in project.topics()]
    return path, topics


@pytest.fixture
def path(template, tmp_path):
    """Return a copy of the project."""
    return str(shutil.copy(template[0], tmp_path / "p.wayword"))


def test_every_act_is_tried_here():
    assert set(EVERY_ACT) == {command_of(act) for act in ACTS.values()}


@pytest.mark.parametrize("kind", EVERY_ACT)
def test_an_act_of_every_kind_is_kept_and_told(template, path, capsys, kind):
    fields = [field.format(*template[1]) if field.startswith(("t", "into")) else field for field in EVERY_ACT[kind]]
    assert main(["act", path, kind, *fields, "--as", "ada"]) == 0
    told = capsys.readouterr().err
    assert "act " in told
    assert "without effect" not in told or kind == "redo"
    with Project.open(path) as project:
        last = [entry for entry in project.journal(limit=5) if entry.kind == ACTS[kind.replace("-", "_")].kind]
        assert last[0].annotator == "ada"


def test_fields_become_what_they_say(path, capsys):
    assert main(["act", path, "add_label", "name=Far away", "--annotator", "ada"]) == 0
    assert main(["act", path, "label", "labels=far-away", 'documents=["d20", "quote\\"\'<b>"]', "-a", "ada"]) == 0
    assert main(["act", path, "comment", "document=a?b#c&d=%2e", "text=1 = 1, surely", "--as", "ada"]) == 0
    assert main(["act", path, "ban-term", "term=crew", "--as", "ada"]) == 0
    assert main(["act", path, "ban-term", "term=crew", "banned=no", "--as", "ada"]) == 0
    assert main(["act", path, "set-purity", "purity=0.25", "--as", "ada"]) == 0
    with Project.open(path) as project:
        assert project.document("d20", "ada").labels == ["far-away"]
        assert project.document("quote\"'<b>", "ada").labels == ["far-away"]
        assert [remark.text for remark in project.document("a?b#c&d=%2e", "ada").comments] == ["1 = 1, surely"]
        view = project.view()
        assert view.banned == []
        assert view.purity == 0.25


def test_no_terms_let_the_model_choose(template, path):
    topic = template[1][0]
    assert main(["act", path, "set-anchors", f"topic={topic}", "terms=moon,orbit", "--as", "ada"]) == 0
    assert main(["act", path, "set-anchors", f"topic={topic}", "terms=", "--as", "ada"]) == 0
    with Project.open(path) as project:
        project.refresh()
        assert not any(topic.pinned for topic in project.topics())


def test_an_undo_takes_back_the_whole_step_that_an_act_was(template, path, capsys):
    one, other = template[1][:2]
    assert main(["act", path, "merge-topics", f"topics={one}", f"into={other}", "--as", "ada"]) == 0
    # What an act takes for granted is told with it.
    assert capsys.readouterr().err.count("\n") == 3
    assert main(["act", path, "undo", "--as", "ada"]) == 0
    with Project.open(path) as project:
        project.refresh()
        assert not any(topic.pinned for topic in project.topics())
        assert one in [topic.id for topic in project.topics()]


def test_an_act_without_effect_says_why(path, capsys):
    assert main(["act", path, "rename-label", "label=food", "name=Food", "--as", "ada"]) == 0
    assert "without effect: the label 'food' has the name 'Food' already" in capsys.readouterr().err


def test_as_json_it_says_what_became_of_it(path, capsys):
    assert main(["act", path, "flag", "documents=d30", "--as", "ada", "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert json.loads(shown.out) | {"number": 0} == {
        "number": 0,
        "in_force": True,
        "reason": "",
        "can_undo": True,
        "can_redo": False,
        "undone": [],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["merge-topic"], "no act is called 'merge-topic'; did you mean 'merge-topics'"),
        (["xyzzy"], "no act is called 'xyzzy'; there are label, unlabel, "),
        (["ban-term"], "ban-term: the field 'term' is missing; it takes term=TERM (banned=yes|no)"),
        (["ban-term", "trem=x"], "there is no field 'trem'; did you mean 'term'? it takes term=TERM"),
        (["ban-term", "crew"], "expected FIELD=VALUE, got 'crew'; it takes term=TERM"),
        (["ban-term", "term=a", "term=b"], "the field 'term' is given twice"),
        (["ban-term", "term=crew", "banned=perhaps"], "ban-term: banned: expected yes or no, got 'perhaps'"),
        (["ban-term", "term=crw"], "did you mean"),
        (["ban-term", "term="], "ban-term: term must not be empty"),
        (["set-purity", "purity=much"], "purity: expected a number from 0 to 1, got 'much'"),
        (["set-purity", "purity=2"], "set-purity: purity must be a number from 0 to 1"),
        (["skip", "documents=[d30"], "documents: expected items between commas, or a JSON list"),
        (["skip", "documents=d300"], "no document has the id 'd300'; did you mean 'd30'"),
        (["label", "documents=d30", "labels=fod"], "no label has the id 'fod'; did you mean 'food'"),
        (["split-topic", "topic=x", "into=x"], "split-topic: into must have 2 to 1,000 items"),
        (["import", "source=x", "labels=d30"], "labels: expected a JSON object"),
        (["import", "source=x", 'labels={"d30": "food"}'], "must be a list"),
        (["import", "source=x", "labels=[1]"], "must be a table"),
        (["undo", "times=2"], "there is no field 'times'; it takes no fields"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_keeps_nothing(path, capsys, arguments, said):
    assert main(["act", path, *arguments, "--as", "ada"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    with Project.open(path) as project:
        assert project.view().n_acts == 3


def test_the_help_lists_every_act_with_its_fields_and_meaning(capsys):
    assert main(["act", "--help"]) == 0
    shown = capsys.readouterr().out
    for act in ACTS.values():
        assert f"\n {command_of(act)} {show_fields(act)}".rstrip() in shown
    assert "Keep a term out of every topic" in shown


def test_the_documentation_lists_every_act_with_its_fields():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    for act in ACTS.values():
        fields = f"`{show_fields(act)}`".replace("|", r"\|") if show_fields(act) else ""
        assert f"| `{command_of(act)}` | {fields} | " in page


def test_kinds_are_found_by_both_spellings():
    assert find_act("merge-topics") is find_act("merge_topics") is ACTS["merge_topics"]
    assert all(len(line) < 80 for line in list_acts().split("\n"))


def test_a_program_that_ends_early_leaves_no_trace_of_its_threads(path, monkeypatch):
    # What prepares words for later is cut short when a command is done; it must not complain.
    faults, ended = [], threading.Event()

    def prepare(_):
        ended.wait(60)
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(LiveTopics, "prepare", prepare)
    monkeypatch.setattr(threading, "excepthook", faults.append)
    assert main(["act", path, "skip", "documents=d30", "--as", "ada"]) == 0
    waiting = [thread for thread in threading.enumerate() if thread.name == "wayword-words"]
    ended.set()
    for thread in waiting:
        thread.join(60)
    assert faults == []
