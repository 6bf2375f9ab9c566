"""The keys of ``wayword label``: those of the page."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest

from server.serving import make_corpus
from wayword.cli.console import settings
from wayword.cli.keys import END, ENTER, LEFT, RIGHT, SPACE, UNDO, LineKeys, TerminalKeys
from wayword.cli.label import Desk
from wayword.cli.main import main
from wayword.guidance.actions import AddLabel
from wayword.workbench.project import Project

unix = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture
def path(tmp_path):
    """Return the file of a project with two labels."""
    path = tmp_path / "p.wayword"
    with Project.create(path, make_corpus(), n_topics=3) as project:
        project.apply([AddLabel("space", "Space"), AddLabel("food", "Food")], annotator="bob")
    return str(path)


@pytest.fixture
def label(path, monkeypatch, capsys):
    """Return what labelling with some lines shows, and what was done in it."""

    def run(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["label", path, "--as", "ada"]) == 0
        with Project.open(path) as project:
            kinds = [entry.kind for entry in project.journal(newest_first=False)][2:]
        return capsys.readouterr().out, kinds

    return run


def documents_of(shown):
    """Return the ids in the rules above documents."""
    return re.findall(r"^─+ (.*?) ─+$", shown, re.MULTILINE)


def test_the_arrows_go_back_to_what_was_seen_and_on_to_the_same_question(label):
    shown, kinds = label("1", "2", "<", "<", "<", ">", ">", ">", "q")
    one, two, three = documents_of(shown)[:3]
    assert documents_of(shown) == [one, two, three, two, one, two, three]
    assert "there is no document before" in shown
    assert "this is the newest" in shown
    assert kinds == ["label", "label"]


def test_a_document_that_is_looked_at_again_can_be_labelled_otherwise(label, path):
    # One label is the default: the number takes the place of the one before.
    shown, kinds = label("1", "<", "2", "q")
    first, second, again, last = documents_of(shown)
    assert (first, second) == (again, last)
    assert kinds == ["label", "label"]
    with Project.open(path) as project:
        assert project.document(first, "ada").labels == ["food"]


def test_a_blank_on_a_document_that_is_labelled_only_goes_on(label, path):
    shown, kinds = label("1", "<", " ", "q")
    assert kinds == ["label"]
    assert documents_of(shown)[1] == documents_of(shown)[3]


def test_an_undo_turns_to_the_document_that_it_was_about(label):
    shown, kinds = label("1", "2", "u", "u", "q")
    one, two, _, second, first = documents_of(shown)
    assert (first, second) == (one, two)
    assert kinds == ["label", "label", "undo", "undo"]


def test_flags_and_comments_are_kept_and_shown(label, path):
    shown, kinds = label("f", "c strange, is it not?", "c", "1", "<", "f", "u", "q")
    first = documents_of(shown)[0]
    assert kinds == ["flag", "comment", "label", "flag", "undo"]
    assert "ada writes: strange, is it not?" in shown
    assert "not flagged any more" in shown
    assert "no text, no comment" in shown
    with Project.open(path) as project:
        view = project.document(first, "ada")
        assert view.flagged
        assert [remark.text for remark in view.comments] == ["strange, is it not?"]


def test_a_search_lists_documents_and_a_number_goes_to_one(label, path):
    with Project.open(path) as project:
        project.refresh()
        hits = [line.id for line in project.documents(query="rocket", sort="relevance").lines]
    shown, kinds = label("/ rocket", "2", "1", "q")
    first, found, after = documents_of(shown)
    assert found == hits[1]
    assert after == first
    assert f"{len(hits)} found" in shown
    assert kinds == ["label"]
    with Project.open(path) as project:
        assert project.document(found, "ada").labels == ["space"]


def test_a_search_without_words_or_hits_or_choice_stays_at_the_document(label):
    shown, kinds = label("/", "/ xyzzy", "/ rocket", "", "1", "q")
    assert "no words, no search" in shown
    assert "no document holds xyzzy" in shown
    assert "back at the document" in shown
    assert len(documents_of(shown)) == 2
    assert kinds == ["label"]


def test_a_name_that_cannot_be_is_told_and_labelling_goes_on(label):
    shown, kinds = label(f"n {'x' * 201}", "1", "q")
    assert "name may have 200 characters, got 201" in " ".join(shown.split())
    assert kinds == ["label"]


def test_the_help_lists_every_key(label):
    shown, _ = label("?", "q")
    for key in ("Enter", "Space", "Ctrl+Z", "<-, ->", "/ ", "n ", "f ", "c ", "q "):
        assert f"  {key}" in shown or f", {key}" in shown


def test_the_desk_keeps_each_document_once():
    desk = Desk()
    desk.go_on("a")
    desk.go_on("b")
    desk.turn_to("a")
    assert desk.now == "a"
    desk.turn_to(None)
    desk.go_on("a")
    assert not desk.move(1)
    assert [desk.move(-1), desk.now, desk.move(-1), desk.now, desk.move(-1)] == [True, "a", True, "b", False]


def test_lines_become_keys():
    lines = iter(["13\n", " \n", "u\n", "<>\n", "/ two words\n", ""])
    keys = LineKeys(lambda: next(lines))
    assert [keys.read() for _ in range(8)] == ["1", "3", ENTER, SPACE, UNDO, LEFT, RIGHT, "/"]
    assert keys.ask("search for") == "two words"
    assert keys.read() == END


@pytest.fixture
def terminal():
    """Return both ends of a terminal."""
    import pty

    leader, follower = pty.openpty()
    yield leader, follower
    os.close(leader)
    os.close(follower)


@unix
def test_a_terminal_gives_arrows_and_ctrl_z_and_is_left_as_it_was(terminal, capsys):
    import termios

    leader, follower = terminal
    before = termios.tcgetattr(follower)
    with TerminalKeys(follower) as keys:
        os.write(leader, b"\x1b[D\x1bOC\x1b[3~x\x1a1\rcsome \xc3\xbc\nq\x1b")
        assert [keys.read() for _ in range(8)] == [LEFT, RIGHT, "\x1b", "x", UNDO, "1", ENTER, "c"]
        assert keys.ask("comment") == "some ü"
        assert [keys.read(), keys.read()] == ["q", "\x1b"]
        os.write(leader, b"\x04")
        assert keys.read() == END
    assert termios.tcgetattr(follower) == before
    assert capsys.readouterr().out == "comment: "


@unix
def test_label_takes_single_keys_in_a_terminal(path, terminal):
    leader, follower = terminal
    command = [sys.executable, "-m", "wayword", "label", path, "--as", "ada"]
    # All keys at once: what is typed ahead is not lost.
    os.write(leader, b"1\r1\r f")
    process = subprocess.Popen(command, stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        shown = ""
        while "flagged" not in shown:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            shown += line
        # Now that the program has the terminal, Ctrl+Z does not stop it.
        os.write(leader, b"\x1a\x1b[Dq")
        rest, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, told
    assert "labelled 2 documents" in told
    assert "taken back" in rest
    with Project.open(path) as project:
        kinds = [entry.kind for entry in project.journal(newest_first=False)][2:]
    assert kinds == ["label", "label", "skip", "flag", "undo"]
