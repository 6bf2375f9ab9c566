"""The journal: acts are appended, never edited; the state is their fold.

Acts are numbered from 1 in the order in which they are appended, and that order alone counts; clocks do not.

Undo and redo, for each annotator alone:

- `Undo` takes back the annotator's last act that is in force; acts of others stay. It goes by the journal's order,
  whether or not that act had an effect. `Undo` and `Redo` themselves cannot be taken back by `Undo`.
- `Redo` puts in force again what the annotator's last `Undo` took back, at its old place in the order. Any other act
  of the annotator ends this: what was taken back before it stays so.
- The state is the fold of the acts in force, in order. So taking back an act may change what later acts of others
  do: who labels with a label whose `AddLabel` is taken back has said nothing until it is put back.

No act is an error in a fold. An act that cannot apply, because its label was deleted or its topic is gone, is
without effect, and the journal says why. An act id that comes twice is one act, whatever the clocks say.

Going back uses the trail of changes, so one more act costs what that act changes; an undo costs the acts since the
one it takes back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wayword.corpus.files import replace_file
from wayword.errors import FormatError, InputError, shorten
from wayword.guidance.actions import Act, Entry, Redo, Undo
from wayword.guidance.draft import Draft
from wayword.guidance.folding import apply
from wayword.guidance.state import Guidance


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an act.

    Attributes
    ----------
    number : int
        Its number in the journal.
    in_force : bool
        Whether it counts; False for acts that were taken back, and for `Undo` and `Redo`.
    reason : str
        Why it is without effect; empty if it has one.
    target : int or None
        The act that an `Undo` took back or a `Redo` put back.
    """

    number: int
    in_force: bool
    reason: str = ""
    target: int | None = None


@dataclass(slots=True)
class _Hand:
    """Numbers of one annotator's acts: in force, and taken back but not given up."""

    done: list[int]
    undone: list[int]


class Journal:
    """Acts in order, and what they amount to.

    Parameters
    ----------
    entries : iterable of Entry
        The acts so far.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from wayword.guidance.actions import AddLabel, Entry, Label, Undo
    >>> when = datetime(2026, 1, 31, tzinfo=UTC)
    >>> journal = Journal()
    >>> for number, act in enumerate([AddLabel("s", "space"), Label(["d1"], ["s"]), Undo()]):
    ...     outcome = journal.append(Entry(act, "ada", when, f"act {number}"))
    >>> journal.guidance.resolve("d1").status, outcome.target
    ('open', 2)
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: list[Entry] = []
        self._numbers: dict[str, int] = {}
        self._places: list[int] = []
        self._in_force = bytearray()
        self._reasons: dict[int, str] = {}
        self._targets: dict[int, int] = {}
        self._hands: dict[str, _Hand] = {}
        self._draft = Draft()
        self._frozen: Guidance | None = None
        self.extend(entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def __repr__(self) -> str:
        return f"<Journal of {len(self):,} acts>"

    @property
    def guidance(self) -> Guidance:
        """The state after all acts."""
        if self._frozen is None:
            self._frozen = self._draft.freeze(len(self))
        return self._frozen

    def append(self, entry: Entry) -> Outcome:
        """Add an act and return what became of it; an act id that is there already adds nothing."""
        self.extend([entry])
        return self.outcome(self._numbers[entry.act_id])

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add several acts, and fold once."""
        first = len(self._entries) + 1
        try:
            for entry in entries:
                if self._is_new(entry):
                    first = min(first, self._record(entry))
        finally:
            self._fold_from(first)

    def entry(self, number: int) -> Entry:
        """Return the act with a number."""
        self._check_number(number)
        return self._entries[number - 1]

    def outcome(self, number: int) -> Outcome:
        """Return what became of the act with a number, as things stand after all acts."""
        self._check_number(number)
        return Outcome(
            number, bool(self._in_force[number - 1]), self._reasons.get(number, ""), self._targets.get(number)
        )

    def without_effect(self) -> dict[int, str]:
        """Return the numbers of acts in force, undos and redos that have no effect, and why."""
        return dict(sorted(self._reasons.items()))

    def can_undo(self, annotator: str) -> bool:
        """Whether an annotator has an act to take back."""
        return annotator in self._hands and bool(self._hands[annotator].done)

    def can_redo(self, annotator: str) -> bool:
        """Whether an annotator has an act to put back."""
        return annotator in self._hands and bool(self._hands[annotator].undone)

    def _check_number(self, number: int) -> None:
        if not 1 <= number <= len(self):
            raise InputError(f"acts have numbers from 1 to {len(self)}, got {number}")

    def _is_new(self, entry: Entry) -> bool:
        number = self._numbers.get(entry.act_id)
        if number is not None and not self._entries[number - 1].repeats(entry):
            raise InputError(f"the act id {shorten(entry.act_id)} is that of another act; make a new id for each act")
        return number is None

    def _record(self, entry: Entry) -> int:
        """Note an act and which acts are in force now; return the first number from which to fold again."""
        self._entries.append(entry)
        self._in_force.append(0)
        self._places.append(-1)
        number = self._numbers[entry.act_id] = len(self._entries)
        hand = self._hands.get(entry.annotator)
        if hand is None:
            hand = self._hands[entry.annotator] = _Hand([], [])
        if isinstance(entry.act, Undo):
            return self._move(number, hand.done, hand.undone, entry.act)
        if isinstance(entry.act, Redo):
            return self._move(number, hand.undone, hand.done, entry.act)
        hand.done.append(number)
        hand.undone.clear()
        self._in_force[number - 1] = 1
        return number

    def _move(self, number: int, source: list[int], goal: list[int], act: Act) -> int:
        """Take back an act, or put one back."""
        if not source:
            self._reasons[number] = f"there is nothing to {act.kind}"
            return number
        target = source.pop()
        goal.append(target)
        self._in_force[target - 1] ^= 1
        self._reasons.pop(target, None)
        self._targets[number] = target
        return target

    def _fold_from(self, first: int) -> None:
        """Go back to the state before an act and fold the acts in force from there on."""
        if first > len(self):
            return
        if self._places[first - 1] >= 0:
            self._draft.go_back(self._places[first - 1])
        for number in range(first, len(self) + 1):
            self._places[number - 1] = self._draft.place
            if self._in_force[number - 1]:
                self._apply(number)
        self._frozen = None

    def _apply(self, number: int) -> None:
        entry = self._entries[number - 1]
        reason = apply(self._draft, entry.act, entry.annotator, number)
        if reason:
            self._reasons[number] = reason
        else:
            self._reasons.pop(number, None)

    def save(self, path: str | Path) -> None:
        """Write the journal to a file, one act for each line; a file that exists is replaced when all is written."""
        with replace_file(path) as file:
            for entry in self._entries:
                file.write(json.dumps(entry.to_dict(), ensure_ascii=False).encode() + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> Journal:
        """Read a journal that `save` wrote."""
        return cls(_read_entries(path))


def _read_entries(path: str | Path) -> Iterator[Entry]:
    try:
        with Path(path).open("rb") as file:
            for line, text in enumerate(file, start=1):
                try:
                    yield Entry.from_dict(json.loads(text))
                except (ValueError, RecursionError) as error:
                    raise FormatError(f"{path}, line {line}: no act of a journal: {error}") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
