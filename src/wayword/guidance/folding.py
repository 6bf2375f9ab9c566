"""Folding: one act after the other changes the state.

Each class of acts has a function that looks first and changes afterwards: it returns why the act has no effect, or
None once all its changes are made. So an act applies whole or not at all, and no act is an error here.
"""

from __future__ import annotations

from wayword.guidance.actions import Act
from wayword.guidance.draft import Draft, Turn
from wayword.guidance.label_effects import LABEL_EFFECTS
from wayword.guidance.topic_effects import TOPIC_EFFECTS

_EFFECTS = LABEL_EFFECTS | TOPIC_EFFECTS


def apply(draft: Draft, act: Act, annotator: str, number: int) -> str | None:
    """Make the changes of an act, or return why it has none."""
    return _EFFECTS[type(act)](Turn(draft, annotator, number), act)
