"""States of projects, to the last bit."""

from __future__ import annotations

from wayword.workbench.live import LiveState
from wayword.workbench.project import Project


def state_of(project: Project) -> LiveState:
    """Return what follows from the newest act."""
    project.refresh()
    return project._live.wait(0, None)


def assert_same_state(first: LiveState, second: LiveState) -> None:
    """Check that guesses, topics and questions are the same."""
    assert first.labels == second.labels
    assert first.ids == second.ids
    assert first.names == second.names
    assert first.topics.anchors == second.topics.anchors
    for name in ("components", "term_topics", "shares", "label_chances"):
        assert getattr(first.topics, name).tobytes() == getattr(second.topics, name).tobytes(), name
    assert first.chances.tobytes() == second.chances.tobytes()
    assert first.order.tolist() == second.order.tolist()
