"""Work in the background: one job after the other, with progress, that can be stopped; the newest state wins.

A job is stopped where it tells its progress. A new job of a kind takes the place of one of that kind that waits or
runs, unless that one is about the same state.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import count

from wayword.errors import InputError, shorten
from wayword.progress import Progress
from wayword.workbench.views import JobView

Work = Callable[[Progress], None]
_KEPT = 30
# Seconds that closing waits for a job.
_PATIENCE = 10.0
_ENDED = ("done", "failed", "cancelled")
_LOG = logging.getLogger("wayword")


class CancelledError(Exception):
    """Raised inside work that is no longer wanted."""


class Jobs:
    """Runs jobs in one thread.

    Parameters
    ----------
    announce : callable
        Told each job when it changes.
    """

    def __init__(self, announce: Callable[[JobView], None]) -> None:
        self._announce = announce
        self._changed = threading.Condition()
        self._views: dict[str, JobView] = {}
        self._work: dict[str, Work] = {}
        self._unwanted: set[str] = set()
        self._names = count(1)
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="wayword-jobs", daemon=True)
        self._thread.start()

    def start(self, kind: str, number: int, work: Work) -> JobView:
        """Let a job begin as soon as the one before has ended.

        Parameters
        ----------
        kind : str
            What it does.
        number : int
            The act up to which it counts.
        work : callable
            Does it, and tells its progress.
        """
        with self._changed:
            rivals = [view for view in self._views.values() if view.kind == kind and view.status not in _ENDED]
            for view in rivals:
                if view.number == number and view.id not in self._unwanted:
                    return view
            for view in rivals:
                self._stop(view.id)
            view = JobView(f"{kind}-{next(self._names)}", kind, "waiting", "", 0, 0, number)
            self._views[view.id], self._work[view.id] = view, work
            self._forget()
            self._changed.notify_all()
        self._announce(view)
        return view

    def views(self) -> list[JobView]:
        """Return all jobs, the newest first."""
        with self._changed:
            return list(reversed(self._views.values()))

    def cancel(self, id: str) -> None:
        """Stop a job; one that has ended stays as it is."""
        with self._changed:
            if id not in self._views:
                raise InputError(f"no job has the id {shorten(id)}; there are {', '.join(self._views) or 'none'}")
            if self._views[id].status not in _ENDED:
                self._stop(id)

    def wait(self, id: str, timeout: float | None = None) -> JobView:
        """Return a job when it has ended, or after some seconds as it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._views[id].status in _ENDED, timeout)
            return self._views[id]

    def close(self) -> None:
        """Stop everything and wait for the thread to end, a while at most: a fit is stopped where it tells progress."""
        with self._changed:
            self._closed = True
            for view in list(self._views.values()):
                if view.status not in _ENDED:
                    self._stop(view.id)
            self._changed.notify_all()
        self._thread.join(_PATIENCE)

    def _stop(self, id: str) -> None:
        self._unwanted.add(id)
        if self._views[id].status == "waiting":
            self._work.pop(id, None)
            self._views[id] = replace(self._views[id], status="cancelled")
            self._changed.notify_all()

    def _forget(self) -> None:
        """Drop the oldest jobs that have ended."""
        ended = [id for id, view in self._views.items() if view.status in _ENDED]
        for id in ended[: max(0, len(self._views) - _KEPT)]:
            del self._views[id]
            self._unwanted.discard(id)

    def _change(self, id: str, **fields: object) -> None:
        with self._changed:
            view = self._views[id] = replace(self._views[id], **fields)  # type: ignore[arg-type]
            self._changed.notify_all()
        self._announce(view)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._work)
                if self._closed:
                    return
                id, work = next(iter(self._work.items()))
                del self._work[id]
            self._do(id, work)

    def _do(self, id: str, work: Work) -> None:
        def tell(unit: str, done: int, total: int | None) -> None:
            if id in self._unwanted:
                raise CancelledError
            self._change(id, step=unit, done=done, total=total or 0)

        self._change(id, status="running")
        try:
            work(tell)
            # What was finished although nobody wants it any more counts as done: its result is there.
            self._change(id, status="done")
        except CancelledError:
            self._change(id, status="cancelled")
        except Exception as error:
            _LOG.exception("the job %s failed", id)
            self._change(id, status="failed", error=str(error) or type(error).__name__)
