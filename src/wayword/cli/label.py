"""``wayword label``: label documents in a terminal, with the keys of the page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from wayword.cli.console import note, output, printable, progress
from wayword.cli.keys import DIGITS, END, ENTER, LEFT, RIGHT, SPACE, UNDO, LineKeys, TerminalKeys
from wayword.cli.projects import AnnotatorOption, ProjectArgument, default_annotator
from wayword.errors import InputError
from wayword.guidance.actions import Act, AddLabel, Comment, Flag, Label, Skip

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wayword.workbench.project import Project
    from wayword.workbench.views import CountsView, DocumentView, LabelView

_STYLES = ("cyan", "yellow", "green", "magenta", "blue", "red", "bright_cyan", "bright_yellow", "bright_green", "white")
_HELP = """  1-9, 0      put a label on, or take it off
  Enter       keep the labels and go on
  Space       pass over this document
  u, Ctrl+Z   take back the last step
  <-, ->      go back to documents that you have seen, and on again
  /           search all documents, and go to one
  n           name a label: a new one, or one without a key
  f           flag the document for a second look, or take the flag off
  c           comment on the document
  ?           this help
  q           leave; all that was kept stays kept"""


class Desk:
    """The documents that were dealt with, in order, and the one that is looked at: one of these, or the next question."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._place = 0

    @property
    def now(self) -> str | None:
        """The document that is looked at again; None where it is the next question."""
        return self._seen[self._place] if self._place < len(self._seen) else None

    def go_on(self, document: str) -> None:
        """Leave a document that was dealt with for the one after it."""
        if self.now is None:
            self._seen = [*(id for id in self._seen if id != document), document]
            self._place = len(self._seen)
        else:
            self._place += 1

    def move(self, step: int) -> bool:
        """Go back or on; false where there is nothing more."""
        if not 0 <= self._place + step <= len(self._seen):
            return False
        self._place += step
        return True

    def turn_to(self, document: str | None) -> None:
        """Look at a document, or with None at the next question."""
        if document is not None and document not in self._seen:
            self._seen.append(document)
        self._place = len(self._seen) if document is None else self._seen.index(document)


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
        self._desk = Desk()
        self._chosen: list[str] = []
        self._flagged = False
        self._actions: dict[str, Callable[[DocumentView], bool]] = {
            ENTER: self._submit,
            SPACE: self._skip,
            UNDO: self._undo,
            LEFT: lambda _: self._move(-1),
            RIGHT: lambda _: self._move(1),
            "/": self._search,
            "n": self._name,
            "f": self._flag,
            "c": self._comment,
            "?": self._help,
        }
        self.n_labelled = 0

    def run(self) -> None:
        """Ask until nothing is left, or the person leaves."""
        with self._keys:
            while True:
                document = self._look()
                if document is None:
                    self._console.print("nothing is left to label", style="bold")
                    return
                if not self._answer(document):
                    return

    def _look(self) -> DocumentView | None:
        """Show the document that the desk is at, with the labels that it has from this person."""
        if self._desk.now is None:
            question = self._project.question(self._annotator)
            document, counts, reasons = question.document, question.counts, question.reasons
        else:
            document, counts, reasons = self._project.document(self._desk.now, self._annotator), None, []
        if document is not None:
            self._chosen, self._flagged = list(document.labels), document.flagged
            self._show(document, counts, reasons)
        return document

    def _answer(self, document: DocumentView) -> bool:
        """Follow keys until a document is dealt with; whether to go on."""
        while True:
            key = self._keys.read()
            if key in (END, "q"):
                return False
            if key in DIGITS:
                self._toggle_key(key)
            elif key in self._actions and self._follow(key, document):
                return True

    def _follow(self, key: str, document: DocumentView) -> bool:
        """Do what a key says; whether another document is to be shown."""
        try:
            return self._actions[key](document)
        except InputError as error:
            # A name that cannot be, for example, is no reason to end.
            self._say(printable(str(error)))
            return False

    # What keys do

    def _apply(self, act: Act) -> None:
        done = self._project.apply(act, annotator=self._annotator)
        self._say(f"kept as act {done.number}")

    def _toggle_key(self, key: str) -> None:
        labels, place = self._project.labels(), DIGITS.index(key)
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
        self._apply(Label((document.id,), tuple(self._chosen)))
        self.n_labelled += 1
        self._desk.go_on(document.id)
        return True

    def _skip(self, document: DocumentView) -> bool:
        # Once dealt with there is nothing to pass over: a look back ends where it began.
        if not document.labels and not document.skipped:
            self._project.apply(Skip((document.id,)), annotator=self._annotator)
        self._desk.go_on(document.id)
        return True

    def _undo(self, _: DocumentView) -> bool:
        done = self._project.undo(self._annotator)
        self._say(done.reason or f"taken back: {printable(', '.join(done.undone)) or 'the last step'}")
        if done.reason:
            return False
        self._desk.turn_to(done.undone[0] if len(done.undone) == 1 else None)
        return True

    def _move(self, step: int) -> bool:
        if self._desk.move(step):
            return True
        self._say("there is no document before" if step < 0 else "this is the newest; Enter or Space goes on")
        return False

    def _search(self, _: DocumentView) -> bool:
        words = self._keys.ask("search for")
        found = self._project.documents(query=words, sort="relevance", limit=len(DIGITS)) if words else None
        if found is None or not found.lines:
            self._say(f"no document holds {printable(words)}" if words else "no words, no search")
            return False
        for key, line in zip(DIGITS, found.lines, strict=False):
            self._say(f"  {key}  {printable(line.id)}: {printable(' '.join(line.excerpt.split()))}")
        self._say(f"{found.total:,} found; a number goes to one of these, any other key back")
        key = self._keys.choose()
        if not key or key not in DIGITS[: len(found.lines)]:
            self._say("back at the document")
            return False
        self._desk.turn_to(found.lines[DIGITS.index(key)].id)
        return True

    def _flag(self, document: DocumentView) -> bool:
        self._apply(Flag((document.id,), not self._flagged))
        self._flagged = not self._flagged
        self._say("flagged" if self._flagged else "not flagged any more")
        return False

    def _comment(self, document: DocumentView) -> bool:
        text = self._keys.ask("comment")
        if text:
            self._apply(Comment(document.id, text))
        else:
            self._say("no text, no comment")
        return False

    def _name(self, _: DocumentView) -> bool:
        name = self._keys.ask("name of the label")
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

    def _show(self, document: DocumentView, counts: CountsView | None, reasons: list[str]) -> None:
        self._console.rule(printable(document.id))
        if counts is None:
            self._say("you have passed over it" if document.skipped else "you look at it again; -> goes on")
        else:
            self._say(f"{counts.n_labelled:,} of {counts.n_documents:,} have labels, {counts.n_mine:,} of them yours")
        for reason in reasons:
            self._say(f"why: {printable(reason)}")
        self._console.print(colour_words(document, self._project.labels()))
        if document.flagged:
            self._say("flagged")
        for remark in document.comments:
            self._say(f"{printable(remark.annotator)} writes: {printable(remark.text)}")
        self._show_labels(document)

    def _show_labels(self, document: DocumentView | None = None) -> None:
        from rich.text import Text

        chances = {view.label: view.chance for view in document.suggestions} if document else {}
        line = Text()
        for place, label in enumerate(self._project.labels()):
            key = DIGITS[place] if place < len(DIGITS) else "n"
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
