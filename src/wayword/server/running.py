"""Serve a project until somebody stops it."""

from __future__ import annotations

import errno
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

from wayword.errors import InputError
from wayword.server.app import create_app
from wayword.server.security import ANY_ADDRESS, LOOPBACK

if TYPE_CHECKING:
    from wayword.workbench.project import Project

DEFAULT_PORT = 8000
_PORTS_TRIED = 20
# Streams end at once; whatever else is under way has this long.
_GRACE_SECONDS = 5
# How long a thread that computes may keep the interpreter from one that answers; Python's own 5 ms, several times for
# each answer, is what people would wait for.
_SWITCH_SECONDS = 0.0005


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str) -> tuple[str, ...]:
    """Return the names by which browsers may call a server that is bound to an address."""
    if host in ANY_ADDRESS:
        return (*LOOPBACK, host, socket.gethostname(), socket.getfqdn())
    return (*LOOPBACK, host) if is_loopback(host) else (host,)


def _bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # With the protocol named, which `create_server` leaves open, asyncio sends small answers at once instead of
    # waiting 40 ms for more to send.
    bound = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()
    except BaseException:
        bound.close()
        raise
    return bound


def _bind_usual(host: str) -> socket.socket:
    """Listen on the usual port, or on one of the next if others do, or on any."""
    for port in range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED):
        try:
            return _bind(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    return _bind(host, 0)


def bind(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens on a port; on the usual one, or the next that is free, if none is asked for."""
    try:
        return _bind_usual(host) if port is None else _bind(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            problem = f"another program listens on port {port} of {host}"
            what_to_do = "stop it, choose another port with --port, or any free one with --port 0"
        else:
            # Names that are not found have numbers of their own.
            reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
            problem = f"cannot listen on {host}: {reason}"
            what_to_do = "give an address of this machine with --host, or a port above 1023 with --port"
        raise InputError(f"{problem}; {what_to_do}") from None


def address_of(host: str, bound: socket.socket, token: str | None = None) -> str:
    """Return what to open in a browser; the token stands behind a # and is sent to nobody."""
    name = socket.gethostname() if host in ANY_ADDRESS else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{bound.getsockname()[1]}/" + (f"#token={token}" if token else "")


class Server(uvicorn.Server):
    """A web server that ends its streams when it stops, and lets its caller go on after a signal."""

    def __init__(self, config: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: end streams, finish answers, close connections."""
        self._end_streams()
        await super().shutdown(sockets)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until stopped."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            super().run(sockets)
        finally:
            sys.setswitchinterval(before)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[override]
        """Stop at Ctrl+C and SIGTERM; unlike in the base class, neither then ends the process before the project is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def make_server(project: Project, *, hosts: Sequence[str] = LOOPBACK, **options: Any) -> Server:
    """Return a server over an open project, ready to run on a socket; options are those of `create_app`."""
    app = create_app(project, hosts=hosts, **options)
    config = uvicorn.Config(
        app,
        log_config=None,  # what is logged goes where the program says, by default problems to standard error
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return Server(config, app.state.streams.close)
