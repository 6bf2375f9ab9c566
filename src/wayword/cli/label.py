"""``wayword label``: label documents in a terminal, with the keys of the page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wayword.cli.console import note, output, printable, progress
from wayword.cli.projects import AnnotatorOption, ProjectArgument, default_annotator
from wayword.guidance.actions import AddLabel, Label, Skip

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wayword.workbench.project import Project
    from wayword.workbench.views import DocumentView, LabelView, QuestionView

ENTER, SPACE, END = "\n", " ", ""
_DIGITS = "1234567890"
_STYLES = ("cyan", "yellow", "green", "magenta", "blue", "red", "bright_cyan", "bright_yellow", "bright_green", "white")
_HELP = """  1-9, 0   put a label on, or take it off
  Enter    keep the labels and go on
  Space    pass over this document
  u        take back the last step
  n        name a label: a new one, or one without a key
  ?        this help
  q        leave; all that was kept stays kept"""
_LINES_HELP = """  One line for each document: numbers of labels (such as 1 or 13) and Enter. A line with a blank alone passes over;
  u, ? and q are as above, and 'n NAME' names a label."""


@contextmanager
def _single_keys() -> Iterator[int]:
    """Let a terminal give each key at once; what is typed ahead is kept."""
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


class TerminalKeys:
    """Keys of a terminal, one at a time."""

    hint = ""

    def read(self) -> str:
        """Return the next key; an empty text at the end."""
        with _single_keys() as descriptor:
            key = os.read(descriptor, 1).decode("ascii", "replace")
        return ENTER if key == "\r" else END if key == "\x04" else key

    def ask_name(self) -> str:
        """Return a name that is typed."""
        try:
            return input("name of the label: ").strip()
        except EOFError:
            return ""


class LineKeys:
    """Keys from lines, where there is no terminal: the digits of a line are followed by Enter."""

    hint = _LINES_HELP

    def __init__(self, read_line: Callable[[], str]) -> None:
        self._read_line = read_line
        self._waiting: list[str] = []
        self._name = ""

    def read(self) -> str:
        """Return the next key; an empty text at the end."""
        if not self._waiting:
            line = self._read_line()
            if not line:
                return END
            self._waiting = self._keys_of(line.rstrip("\r\n"))
        return self._waiting.pop(0)

    def ask_name(self) -> str:
        """Return the name that stood behind an ``n``."""
        return self._name

    def _keys_of(self, line: str) -> list[str]:
        if line and not line.strip():
            return [SPACE]
        line = line.strip()
        if line[:1] == "n":
            self._name = line[1:].strip()
            return ["n"]
        if not line or all(key in _DIGITS for key in line):
            return [*line, ENTER]
        return list(line)


class Session:
    """One person at one terminal.

    Parameters
    ----------
    project : Project
        What is labelled.
    annotator : str
        Who labels.
    keys : TerminalKeys or LineKeys
        What is pressed.
    console : Console
        Where documents are shown.
    """

    def __init__(self, project: Project, annotator: str, keys: TerminalKeys | LineKeys, console: Console) -> None:
        self._project, self._annotator, self._keys, self._console = project, annotator, keys, console
        self._chosen: list[str] = []
        self._actions: dict[str, Callable[[DocumentView], bool]] = {
            ENTER: self._submit,
            SPACE: self._skip,
            "u": self._undo,
            "n": self._name,
            "?": self._help,
        }
        self.n_labelled = 0

    def run(self) -> None:
        """Ask until nothing is left, or the person leaves."""
        while True:
            question = self._project.question(self._annotator)
            if question.document is None:
                self._console.print("nothing is left to label", style="bold")
                return
            self._chosen = list(question.document.labels)
            self._show(question)
            if not self._answer(question.document):
                return

    def _answer(self, document: DocumentView) -> bool:
        """Follow keys until a document is dealt with; whether to go on."""
        while True:
            key = self._keys.read()
            if key in (END, "q"):
                return False
            if key in _DIGITS:
                self._toggle_key(key)
            elif key in self._actions and self._actions[key](document):
                return True

    # What keys do

    def _toggle_key(self, key: str) -> None:
        labels, place = self._project.labels(), _DIGITS.index(key)
        if place < len(labels):
            self._toggle(labels[place].id)
        else:
            self._say(f"no label has the key {key}; n makes one")

    def _toggle(self, label: str) -> None:
        if label in self._chosen:
            self._chosen.remove(label)
        else:
            self._chosen = [*(self._chosen if self._project.multilabel else []), label]
        self._show_labels()

    def _submit(self, document: DocumentView) -> bool:
        if not self._chosen:
            self._say("no label is chosen: press a number first, or Space to pass over")
            return False
        done = self._project.apply(Label((document.id,), tuple(self._chosen)), annotator=self._annotator)
        self.n_labelled += 1
        self._say(f"kept as act {done.number}")
        return True

    def _skip(self, document: DocumentView) -> bool:
        self._project.apply(Skip((document.id,)), annotator=self._annotator)
        return True

    def _undo(self, _: DocumentView) -> bool:
        done = self._project.undo(self._annotator)
        self._say(done.reason or f"taken back: {', '.join(done.undone) or 'the last step'}")
        return not done.reason

    def _name(self, _: DocumentView) -> bool:
        name = self._keys.ask_name()
        if not name:
            self._say("no name, no label")
            return False
        known = {label.name.casefold(): label.id for label in self._project.labels()}
        if name.casefold() not in known:
            id = self._project.make_label_id(name)
            self._project.apply(AddLabel(id, name), annotator=self._annotator)
            known[name.casefold()] = id
        if known[name.casefold()] not in self._chosen:
            self._toggle(known[name.casefold()])
        return False

    def _help(self, _: DocumentView) -> bool:
        self._say(_HELP + ("\n" + self._keys.hint if self._keys.hint else ""))
        return False

    # What is shown

    def _say(self, text: str) -> None:
        self._console.print(text, style="dim", markup=False, highlight=False)

    def _show(self, question: QuestionView) -> None:
        assert question.document is not None
        counts = question.counts
        self._console.rule(printable(question.document.id))
        self._say(f"{counts.n_labelled:,} of {counts.n_documents:,} have labels, {counts.n_mine:,} of them yours")
        for reason in question.reasons:
            self._say(f"why: {printable(reason)}")
        self._console.print(colour_words(question.document, self._project.labels()))
        self._show_labels(question.document)

    def _show_labels(self, document: DocumentView | None = None) -> None:
        from rich.text import Text

        chances = {view.label: view.chance for view in document.suggestions} if document else {}
        line = Text()
        for place, label in enumerate(self._project.labels()):
            key = _DIGITS[place] if place < len(_DIGITS) else "n"
            chance = f" {100 * chances[label.id]:.0f} %" if label.id in chances else ""
            mark = "reverse " if label.id in self._chosen else ""
            line.append(f" {key} {printable(label.name)}{chance} ", style=f"{mark}{_style(label)}")
            line.append(" ")
        self._console.print(line if line.plain else Text("there is no label yet: press n to name one", style="dim"))


def _style(label: LabelView) -> str:
    return _STYLES[label.colour % len(_STYLES)]


def colour_words(document: DocumentView, labels: list[LabelView]) -> Text:
    """Return a text with words in the colours of the labels that they speak for."""
    from rich.text import Text

    styles = {label.id: _style(label) for label in labels}
    units = document.text.encode("utf-16-le")
    shown, place = Text(), 0
    for word in document.words:
        shown.append(_show_piece(units, place, word.start))
        style = styles.get(word.label, "") + (" bold" if word.weight > 0.5 else "")
        shown.append(_show_piece(units, word.start, word.end), style=style)
        place = word.end
    shown.append(_show_piece(units, place, len(units) // 2))
    if document.truncated:
        shown.append(" …", style="dim")
    return shown


def _show_piece(units: bytes, start: int, end: int) -> str:
    """Return a piece of a text, on as many lines as it has, with what a terminal would obey spelled out."""
    text = units[2 * start : 2 * end].decode("utf-16-le", "replace")
    return "\n".join(printable(line.expandtabs()) for line in text.split("\n"))


def label(
    project: ProjectArgument,
    annotator: AnnotatorOption = "",
) -> None:
    """Label documents in the terminal: numbers put labels on, Enter keeps them, Space passes over, ? helps."""
    from wayword.workbench.project import Project

    with progress() as told:
        opened = Project.open(project, progress=told)
    with opened:
        keys = TerminalKeys() if sys.stdin.isatty() else LineKeys(sys.stdin.readline)
        session = Session(opened, annotator or default_annotator(), keys, output())
        session.run()
        note(f"labelled {session.n_labelled:,} documents in {project}")
