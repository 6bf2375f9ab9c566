"""Who may ask, and what a browser may do with the answer.

The guard stands around the whole app, in this order:

1. ``Host`` must be a name of this server. A page elsewhere can let its own name lead to 127.0.0.1 (DNS rebinding); its
   requests still carry that name.
2. ``Origin``, where a browser sends it, must be this server.
3. A request that changes something must have come from a script of ours or from a program: with JSON, with our own
   header, or with our own origin. A form of another site can send none of these.
4. A body may not be larger than its limit, whatever its length is said to be: bytes are counted as they come.
5. Every answer, errors and faults included, carries the headers below.

Policy of contents: nothing but what this server sends, no inline script, no inline style. plotly.js would break it in two
places. It puts an empty ``<style>`` element into the page and fills it through the object model, which a policy lets
pass; the element itself is allowed by the hash of the empty text, which allows nothing else. And it styles pieces of
text through attributes; `wayword.server.files` turns these into styles of the object model. Pictures may be ``data:``
and ``blob:`` because figures are saved through them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wayword.server.errors import FAULT, Refused, answer, logger

LOOPBACK = ("127.0.0.1", "localhost", "::1")
# In a list of hosts: every address that is written in numbers. No name leads to these, so none can be turned.
ANY_ADDRESS = ("0.0.0.0", "::")
OUR_HEADER = "x-wayword"
UPLOADS = "/api/import"
LARGEST_BODY = 16 * 2**20

_EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {_EMPTY_STYLE}; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def split_host(value: str) -> tuple[str, int | None] | None:
    """Return name and port of a ``Host``, None if it is none."""
    try:
        parts = urlsplit(f"//{value}")
        named, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not named or parts.netloc != value or "@" in value or value.endswith(":"):
        return None
    return named, port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Names:
    """The names of this server: with a port for that port alone, without one for any."""

    def __init__(self, hosts: Iterable[str]) -> None:
        split = [(host, None) if ":" in host and _is_address(host) else split_host(host) for host in hosts]
        self._known = {(name.lower(), port) for name, port in filter(None, split)}
        self._any_address = any((address, None) in self._known for address in ANY_ADDRESS)

    def hold(self, value: str) -> bool:
        """Whether a ``Host`` is one of them."""
        found = split_host(value)
        if found is None:
            return False
        if self._known & {found, (found[0], None)}:
            return True
        return self._any_address and _is_address(found[0])


def _is_json(headers: Headers) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def check_source(method: str, headers: Headers, names: Names) -> None:
    """Refuse a request of which we cannot be sure that it comes from our page or from a program."""
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or not names.hold(hosts[0]):
        raise Refused(403, "this server does not go by that name; open the address that it printed at its start")
    own = {f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}"}
    if any(origin.lower() not in own for origin in origins):
        raise Refused(403, "requests from pages of other servers are refused; open this server's own address")
    if method in _SAFE_METHODS or origins or _is_json(headers) or OUR_HEADER in headers:
        return
    raise Refused(403, "expected the content type application/json or the header X-Wayword; send one of them")


class _Body:
    """The body of a request, its bytes counted as they come."""

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        self._said = Headers(scope=scope).get("content-length", "0")
        self._receive, self._limit, self._taken, self._ended = receive, limit, 0, False

    async def _take(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        self._ended = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def _refuse(self) -> None:
        # The rest is thrown away, up to as much again: who sends all before listening is to hear us.
        while not self._ended and self._taken < 2 * self._limit:
            await self._take()
        raise Refused(413, f"expected at most {self._limit:,} bytes, got more; send a smaller file")

    async def check_length(self) -> None:
        """Refuse a body that says itself that it is too large."""
        if self._said.isdecimal() and int(self._said) > self._limit:
            await self._refuse()

    async def receive(self) -> Message:
        """Return the next piece."""
        message = await self._take()
        if self._taken > self._limit:
            await self._refuse()
        return message


class _Answer:
    """Sends an answer with our headers, and remembers whether it has begun."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send, self._headers, self._begun = send, dict(HEADERS), False
        if scope["path"].startswith("/api/"):
            self._headers["cache-control"] = "no-store"

    async def send(self, message: Message) -> None:
        """Send a piece of the answer."""
        if message["type"] == "http.response.start":
            self._begun = True
            MutableHeaders(scope=message).update(self._headers)
        await self._send(message)

    async def refuse(self, status: int, error: str, scope: Scope, receive: Receive) -> None:
        """Answer with an error; an answer that has begun ends where it is, and the server cuts the connection."""
        if not self._begun:
            await answer(status, error)(scope, receive, self.send)


class Guard:
    """The app, guarded.

    Parameters
    ----------
    app : ASGI app
        What answers.
    hosts : sequence of str
        Names of this server, see `Names`.
    max_upload : int
        The most bytes of a file that is brought in; other bodies have `LARGEST_BODY`.
    """

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], max_upload: int) -> None:
        self._app, self._names, self._max_upload = app, Names(hosts), max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, self._max_upload if scope["path"] == UPLOADS else LARGEST_BODY)
        answered = _Answer(scope, send)
        try:
            check_source(scope["method"], Headers(scope=scope), self._names)
            await body.check_length()
            await self._app(scope, body.receive, answered.send)
        except Refused as refused:
            await answered.refuse(refused.status_code, refused.detail, scope, receive)
        except ClientDisconnect:
            return
        except Exception:
            logger.exception("a fault while answering %s %r", scope["method"], scope["path"])
            await answered.refuse(500, FAULT, scope, receive)
