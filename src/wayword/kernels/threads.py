"""Run kernels from a thread pool, with results that do not depend on the number of threads.

Kernels release the interpreter lock and work on one piece of the data. The pieces are cut by the data alone,
never by the number of threads, and their results come back in order.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
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
    """Find the linear-algebra libraries once, when they have all been loaded."""
    return threadpoolctl.ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which linear algebra uses one thread, so that its bits do not depend on how many there are."""
    return _blas().limit(limits=1, user_api="blas")


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
