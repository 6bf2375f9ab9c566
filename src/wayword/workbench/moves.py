"""How topics moved from one state to another: anchors and words that came and went."""

from __future__ import annotations

from collections.abc import Mapping

from wayword.workbench.live import Move
from wayword.workbench.views import MovesView, TopicMoveView


def compare(
    before: Mapping[str, Move], after: Mapping[str, Move], names: Mapping[str, str], since: int, number: int
) -> MovesView:
    """Return what changed.

    Parameters
    ----------
    before, after : mapping of str to Move
        Topics by id.
    names : mapping of str to str
        Names of topics as they are now.
    since, number : int
        The acts after which they were so.
    """
    moved = []
    for id, now in after.items():
        then = before.get(id)
        if then is None or then == now:
            continue
        came = [term for term in now.terms if term not in then.terms]
        went = [term for term in then.terms if term not in now.terms]
        # Anchors of a topic work together whatever their order.
        if came or went or set(then.anchors) != set(now.anchors):
            moved.append(TopicMoveView(id, names.get(id, id), list(now.anchors), list(then.anchors), came, went))
    return MovesView(
        since,
        number,
        [id for id in after if id not in before],
        [id for id in before if id not in after],
        moved,
    )
