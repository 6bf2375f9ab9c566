"""The ledger of a project: the journal in step with the store, and steps that are taken back as a whole.

Acts that are applied together are one step: they have the same annotator and the same time, and follow each other. An
undo takes back a step, however many acts it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from wayword.errors import InputError, shorten
from wayword.guidance.actions import Act, Entry, FreezeTopic, Redo, Undo, new_act_id
from wayword.guidance.journal import Journal
from wayword.guidance.state import Guidance
from wayword.store.base import Store

_MOVES = (Undo, Redo)


class Ledger:
    """Acts of a store, folded; not safe for threads by itself.

    Parameters
    ----------
    store : Store
        Where acts are kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last = datetime.min.replace(tzinfo=UTC)
        self.journal = Journal()
        self._numbers: dict[str, int] = {}
        self._freezes: list[int] = []
        self.catch_up()

    def __len__(self) -> int:
        return len(self.journal)

    @property
    def guidance(self) -> Guidance:
        """The state after all acts."""
        return self.journal.guidance

    def catch_up(self) -> list[Entry]:
        """Take over acts that are in the store and not here yet, whoever wrote them; return them."""
        fresh = [entry for _, entry in self._store.entries(after=len(self.journal))]
        if fresh:
            first = len(self.journal) + 1
            self.journal.extend(fresh)
            for number, entry in enumerate(fresh, first):
                self._numbers[entry.act_id] = number
                if isinstance(entry.act, FreezeTopic) and entry.act.frozen:
                    self._freezes.append(number)
        return fresh

    def is_known(self, entry: Entry) -> bool:
        """Whether this very act is in the journal already."""
        number = self._numbers.get(entry.act_id)
        return number is not None and self.journal.entry(number).repeats(entry)

    def number_of(self, act_id: str) -> int:
        """Return the number of an act that is in the journal."""
        return self._numbers[act_id]

    def reason_of(self, act_id: str) -> str:
        """Return why an act is without effect; empty if it has one."""
        return self.journal.outcome(self._numbers[act_id]).reason

    def sign(self, acts: Sequence[Act], annotator: str, act_ids: Sequence[str]) -> list[Entry]:
        """Return acts as entries of one step."""
        self._last = max(datetime.now(UTC), self._last + timedelta(microseconds=1))
        return [Entry(act, annotator, self._last, act_id) for act, act_id in zip(acts, act_ids, strict=True)]

    def append(self, entries: Sequence[Entry]) -> list[int]:
        """Keep entries in the store, then fold them; return their numbers. A store that refuses changes nothing."""
        numbers = self._store.append_all(entries)
        self.catch_up()
        return numbers

    def frozen(self) -> dict[str, str]:
        """Return the topics that are frozen, each with the id of the act that froze it."""
        guidance = self.guidance
        if not guidance.frozen:
            return {}
        found = {}
        for number in self._freezes:
            entry, outcome = self.journal.entry(number), self.journal.outcome(number)
            if outcome.in_force and not outcome.reason and isinstance(entry.act, FreezeTopic):
                found[entry.act.topic] = entry.act_id
        return {topic: found[topic] for topic in sorted(guidance.frozen) if topic in found}

    def at(self, number: int) -> Ledger:
        """Return a ledger of the first acts, up to a number."""
        return Ledger(_Shelf(list(self.journal)[:number]))  # type: ignore[arg-type]

    def followed_by(self, entries: Sequence[Entry]) -> Ledger:
        """Return a ledger of all acts and some more, which are not kept."""
        return Ledger(_Shelf([*self.journal, *entries]))  # type: ignore[arg-type]

    # Steps

    def undo_step(self, annotator: str) -> list[Undo | Redo]:
        """Return the acts that take back an annotator's last step; one where there is nothing to take back."""
        return [Undo() for _ in self._step(self._last_done(annotator), -1, in_force=True)] or [Undo()]

    def redo_step(self, annotator: str) -> list[Undo | Redo]:
        """Return the acts that put back what an annotator's last undo took back."""
        return [Redo() for _ in self._step(self._next_redo(annotator), 1, in_force=False)] or [Redo()]

    def undo(self, annotator: str) -> list[int]:
        """Take back an annotator's last step; return the numbers of its acts, none if there was nothing."""
        return self.targets(self.move(Undo, annotator))

    def redo(self, annotator: str) -> list[int]:
        """Put back what an annotator's last undo took back; return the numbers of the acts."""
        return self.targets(self.move(Redo, annotator))

    def move(
        self, kind: type[Undo | Redo], annotator: str, act_id: str | None = None, number: int | None = None
    ) -> list[int]:
        """Take back an annotator's last step, or put one back.

        Parameters
        ----------
        kind : type
            `Undo` or `Redo`.
        annotator : str
            Whose step.
        act_id : str, optional
            An id for it; one that has done so before adds nothing.
        number : int, optional
            The last act of the step to take back; another is an `InputError`.

        Returns
        -------
        list of int
            The numbers of the acts that do it, as many as the step has.
        """
        if act_id is not None and act_id in self._numbers:
            return self._find_move(kind, annotator, act_id)
        if number is not None and number != self._last_done(annotator):
            raise InputError(
                f"act {number} is not the last of {annotator} that counts; take back first what came after it"
            )
        moves = self.undo_step(annotator) if kind is Undo else self.redo_step(annotator)
        first = new_act_id() if act_id is None else act_id
        ids = [first, *(_name_further(first, place) for place in range(1, len(moves)))]
        return self.append(self.sign(moves, annotator, ids))

    def targets(self, moves: Iterable[int]) -> list[int]:
        """Return the acts that some acts have taken back or put back."""
        found = [self.journal.outcome(number).target for number in moves]
        return [target for target in found if target is not None]

    def _find_move(self, kind: type[Undo | Redo], annotator: str, act_id: str) -> list[int]:
        """Return the numbers of acts that were made together under an id."""
        numbers = [self._numbers[act_id]]
        entry = self.journal.entry(numbers[0])
        if (type(entry.act), entry.annotator) != (kind, annotator):
            raise InputError(f"the act id {shorten(act_id)} is that of another act; make a new id for each act")
        while (further := self._numbers.get(_name_further(act_id, len(numbers)))) is not None:
            numbers.append(further)
        return numbers

    def _last_done(self, annotator: str) -> int | None:
        """Return an annotator's last act that counts."""
        return next((n for n in range(len(self), 0, -1) if self._is_done(n, annotator)), None)

    def _is_done(self, number: int, annotator: str) -> bool:
        return self.journal.entry(number).annotator == annotator and self.journal.outcome(number).in_force

    def _next_redo(self, annotator: str) -> int | None:
        """Return the act that a redo would put back: of the undos since the last other act, the last that still counts."""
        for number in range(len(self), 0, -1):
            entry = self.journal.entry(number)
            if entry.annotator != annotator:
                continue
            if not isinstance(entry.act, _MOVES):
                return None
            target = self.journal.outcome(number).target
            if isinstance(entry.act, Undo) and target is not None and not self.journal.outcome(target).in_force:
                return target
        return None

    def _step(self, number: int | None, direction: int, *, in_force: bool) -> Iterable[int]:
        """Give the numbers of acts of one step from one of them on."""
        if number is None:
            return
        first = self.journal.entry(number)
        while 1 <= number <= len(self):
            entry = self.journal.entry(number)
            same = (entry.annotator, entry.when) == (first.annotator, first.when)
            if not same or isinstance(entry.act, _MOVES) or self.journal.outcome(number).in_force != in_force:
                return
            yield number
            number += direction


class _Shelf:
    """Acts that stand in a list, as a ledger reads them."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries

    def entries(self, after: int = 0) -> Iterable[tuple[int, Entry]]:
        return enumerate(self._entries[after:], after + 1)


def _name_further(act_id: str, place: int) -> str:
    """Return the id of a further act that is made together with one."""
    return f"{act_id} and {place}"


def new_ids(n_acts: int) -> list[str]:
    """Return ids for acts."""
    return [new_act_id() for _ in range(n_acts)]
