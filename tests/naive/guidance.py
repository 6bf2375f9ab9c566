"""Undo and redo the obvious way: keep the acts in force, fold them from the start."""

from wayword.guidance.actions import Redo, Undo
from wayword.guidance.draft import Draft
from wayword.guidance.folding import apply


def acts_in_force(entries):
    """Return the numbers of the acts that count, by looking at every annotator's acts alone."""
    force = set()
    for annotator in {entry.annotator for entry in entries}:
        done, undone = [], []
        for number, entry in enumerate(entries, start=1):
            if entry.annotator != annotator:
                continue
            if isinstance(entry.act, Undo):
                undone += [done.pop()] if done else []
            elif isinstance(entry.act, Redo):
                done += [undone.pop()] if undone else []
            else:
                done, undone = [*done, number], []
        force.update(done)
    return force


def fold(entries):
    """Return the state and why acts in force have no effect."""
    draft, reasons = Draft(), {}
    force = acts_in_force(entries)
    for number, entry in enumerate(entries, start=1):
        if number in force:
            reason = apply(draft, entry.act, entry.annotator, number)
            reasons |= {number: reason} if reason else {}
    return draft.freeze(len(entries)), reasons
