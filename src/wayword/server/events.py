"""Server-sent events: what has changed, told as it changes.

Work in other threads tells a project's listeners what is new. A stream keeps only the newest of each kind until its
client takes it, so a slow client costs no memory and misses nothing that still counts. Events carry the number of the
last act as their id: a browser that was cut off sends it back and is told what it has missed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Send

from wayword.server.bodies import ViewResponse
from wayword.workbench.views import JobView

if TYPE_CHECKING:
    from wayword.workbench.project import Project

# Proxies and browsers give up on a silent connection after a minute or so.
HEARTBEAT = 15.0
_RETRY = "retry: 1000\n\n"
_ALIVE = ": still here\n\n"

Value = int | JobView


def write_event(kind: str, value: Value) -> bytes:
    """Return an event as it is sent."""
    job = isinstance(value, JobView)
    data = ViewResponse(asdict(value) if job else {"number": value}).body
    # Only acts are counted without gaps, so only they say how far a listener has come.
    id_line = f"id: {value}\n" if kind == "acts" else ""
    return f"{id_line}event: {kind}\ndata: ".encode() + bytes(data) + b"\n\n"


class _Stream:
    """What is new for one client; told in any thread, taken in that of the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news: dict[str, tuple[str, Value]] = {}
        self._wake = asyncio.Event()
        self.closed = False

    def tell(self, kind: str, value: Value) -> None:
        """Keep an event until it is taken, in place of an older one about the same thing."""
        # The loop may end while we speak; nobody listens then.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._keep, kind, value)

    def _keep(self, kind: str, value: Value) -> None:
        key = f"job {value.id}" if isinstance(value, JobView) else kind
        self._news.pop(key, None)
        self._news[key] = kind, value
        self._wake.set()

    def close(self) -> None:
        """End the stream at once."""
        self.closed = True
        self._wake.set()

    async def take(self) -> list[tuple[str, Value]] | None:
        """Return what is new, after a wait if there is nothing; None if nothing has come for long."""
        try:
            async with asyncio.timeout(HEARTBEAT):
                await self._wake.wait()
        except TimeoutError:
            return None
        self._wake.clear()
        news, self._news = list(self._news.values()), {}
        return news


class EventStream(StreamingResponse):
    """An answer that goes on until the client leaves; what it holds is then let go at once."""

    media_type = "text/event-stream"

    async def stream_response(self, send: Send) -> None:
        """Send until the end."""
        content: Any = self.body_iterator
        try:
            await super().stream_response(send)
        finally:
            await content.aclose()


class Streams:
    """All streams of a server, which listens to its project once for all of them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._open: set[_Stream] = set()
        self._closed = False
        self._leave = project.subscribe(self._tell)

    def __len__(self) -> int:
        return len(self._open)

    def _tell(self, kind: str, value: Value) -> None:
        for stream in tuple(self._open):
            stream.tell(kind, value)

    def close(self) -> None:
        """End all streams at once, so that a server can stop."""
        self._closed = True
        self._leave()
        for stream in tuple(self._open):
            stream.close()

    async def listen(self, after: int) -> AsyncIterator[bytes | str]:
        """Give what has happened since an act, then what happens."""
        stream = _Stream()
        self._open.add(stream)
        try:
            yield _RETRY
            for kind, value in await run_in_threadpool(self._project.events, after):
                yield write_event(kind, value)
            while not (stream.closed or self._closed):
                news = await stream.take()
                yield _ALIVE if news is None else b"".join(write_event(kind, value) for kind, value in news)
        finally:
            self._open.discard(stream)
