"""Work that a project does in the background, waited for with its progress shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wayword.errors import InputError

if TYPE_CHECKING:
    from wayword.progress import Progress
    from wayword.workbench.project import Project
    from wayword.workbench.views import JobView

_ENDED = ("done", "failed", "cancelled")


def run_job(project: Project, start: Callable[[], JobView], told: Progress) -> None:
    """Start a job of a project and return when it is done; one that is not done is an `InputError` with the reason.

    Parameters
    ----------
    project : Project
        Whose job it is.
    start : callable
        Starts it: ``project.fit`` or ``project.measure``.
    told : callable
        Told how far it is.
    """
    news: dict[str, JobView] = {}
    changed = threading.Condition()

    def listen(kind: str, value: Any) -> None:
        if kind != "job":
            return
        with changed:
            news[value.id] = value
            changed.notify_all()
        if value.total:
            told(value.step, value.done, value.total)

    # Listening begins first, so that a job that ends at once is not missed.
    leave = project.subscribe(listen)
    try:
        id = start().id
        with changed:
            changed.wait_for(lambda: id in news and news[id].status in _ENDED)
    finally:
        leave()
    if news[id].status != "done":
        raise InputError(f"the work was not finished: {news[id].error or news[id].status}")
