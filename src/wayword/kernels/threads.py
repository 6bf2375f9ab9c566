"""Run kernels from a thread pool, with results that do not depend on the number of threads.

Kernels release the interpreter lock and work on one piece of the data. The pieces are cut by the data alone,
never by the number of threads, and their results come back in order.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from typing import TypeVar

import threadpoolctl

from wayword.errors import InputError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

# Pieces in flight per thread: enough to keep every thread busy, few enough to bound memory.
_AHEAD = 2


def thread_count() -> int:
    """Return how many threads to use: ``WAYWORD_THREADS``, else the processors this process may run on."""
    wanted = os.environ.get("WAYWORD_THREADS")
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not wanted.isdigit() or int(wanted) < 1:
        raise InputError(f"WAYWORD_THREADS must be a whole number of 1 or more, not {wanted!r}")
    return int(wanted)


@cache
def _blas() -> threadpoolctl.ThreadpoolController:
    """Find the linear-algebra libraries once: SciPy's is another than NumPy's, and is loaded if it has not been."""
    import_module("scipy.linalg")
    return threadpoolctl.ThreadpoolController()


def _let_anybody_limit() -> None:
    """Let any thread set limits: threadpoolctl from 3.8 on ignores all but the first that did, as long as it lives."""
    clear = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


class _OneBlasThread:
    """Limits linear algebra to one thread while anybody is inside.

    The limit holds for the whole process as a rule, so that only the last who goes lifts it: threads that each put back
    what they found would lift it for others who still need it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._lift: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        with self._lock:
            _let_anybody_limit()
            limit = _blas().limit(limits=1, user_api="blas")
            if self._inside == 0:
                self._lift = limit.restore_original_limits
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _let_anybody_limit()
                self._lift()
                _let_anybody_limit()


_ONE_BLAS_THREAD = _OneBlasThread()


def one_blas_thread() -> AbstractContextManager[None]:
    """Return a context in which linear algebra uses one thread, so that its bits do not depend on how many there are."""
    return _ONE_BLAS_THREAD


def map_in_order(
    task: Callable[[Piece], Result], pieces: Iterable[Piece], *, threads: int | None = None
) -> Iterator[Result]:
    """Yield ``task(piece)`` for every piece, in order, computed by a pool of threads.

    Only a few pieces are in flight at a time, so an endless iterable is read in bounded memory.
    """
    threads = threads or thread_count()
    if threads == 1:
        yield from map(task, pieces)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="wayword") as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for piece in pieces:
                waiting.append(pool.submit(task, piece))
                if len(waiting) > _AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
