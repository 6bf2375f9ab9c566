"""Sessions: a signed cookie that says who labels.

The cookie holds the annotator's name and when the session began, signed with a key made from the token. So sessions
outlive a restart of the server with the same token, and end with another. Without a token, which only a server on
loopback may go without, whoever reaches the server may choose a name anyway, and the key is no secret.

Browsers send the cookies of one machine to all its ports, so the name of the cookie has the port in it: two projects
served side by side do not end each other's sessions.
"""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256

from fastapi import Request, Response

from wayword.errors import InputError
from wayword.guidance.fields import check_name
from wayword.server.errors import Refused
from wayword.server.security import split_host

SESSION_SECONDS = 30 * 24 * 3600
SHORTEST_TOKEN = 12
_NO_TOKEN = "no token"


@dataclass(frozen=True, slots=True)
class SessionView:
    """Who labels (empty: nobody yet), and whether a token must be given to begin."""

    name: str
    needs_token: bool


def check_token(token: str) -> str:
    """Return a token that cannot be guessed by trying."""
    if len(token) < SHORTEST_TOKEN:
        raise InputError(f"a token must have at least {SHORTEST_TOKEN} characters, got {len(token)}; give a longer one")
    return token


def cookie_name(request: Request) -> str:
    """Return the name of the cookie of this server."""
    found = split_host(request.headers.get("host", ""))
    return f"wayword-{found[1] or request.url.port or 0}" if found else "wayword-0"


class Sessions:
    """Begins, reads and ends sessions.

    Parameters
    ----------
    token : str or None
        What must be told to begin one; None: nothing.
    annotator : str
        Who labels where nobody has said so; only without a token.
    """

    def __init__(self, token: str | None, annotator: str = "") -> None:
        self._token = None if token is None else check_token(token)
        self._annotator = annotator
        self._key = sha256(b"wayword session\0" + (token or _NO_TOKEN).encode()).digest()

    @property
    def needs_token(self) -> bool:
        """Whether a token must be given."""
        return self._token is not None

    def check(self, name: str, token: str | None) -> str:
        """Return the name of an annotator who may begin a session."""
        if self._token is not None and not hmac.compare_digest((token or "").encode(), self._token.encode()):
            raise Refused(
                403, "expected the token that the server printed at its start, got another; open that address"
            )
        return check_name(name, "the name of an annotator")

    def begin(self, name: str, request: Request, response: Response) -> None:
        """Give the session of an annotator to a browser."""
        response.set_cookie(
            cookie_name(request),
            self._sign(name),
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    def end(self, request: Request, response: Response) -> None:
        """Let a browser forget its session."""
        response.delete_cookie(cookie_name(request), httponly=True, samesite="strict")

    def read(self, request: Request) -> str:
        """Return whose session a request belongs to; empty if to none."""
        return self._verify(request.cookies.get(cookie_name(request), ""))

    def suggest(self) -> str:
        """Return who labels where nobody has said so; empty if they must say."""
        return "" if self.needs_token else self._annotator

    def require(self, request: Request) -> str:
        """Return whose session a request belongs to, or refuse it."""
        name = self.read(request)
        if not name:
            raise Refused(401, "expected a session, got none or one that has ended; begin one with POST /api/session")
        return name

    def _signature(self, content: bytes) -> bytes:
        return urlsafe_b64encode(hmac.digest(self._key, content, "sha256"))

    def _sign(self, name: str) -> str:
        content = urlsafe_b64encode(json.dumps([name, int(time.time())]).encode())
        return b".".join((content, self._signature(content))).decode()

    def _verify(self, cookie: str) -> str:
        content, _, signature = cookie.encode().partition(b".")
        if not hmac.compare_digest(signature, self._signature(content)):
            return ""
        try:
            name, begun = json.loads(urlsafe_b64decode(content))
            return check_name(name, "name") if time.time() - begun < SESSION_SECONDS else ""
        except (ValueError, TypeError):
            # Without a token, anybody can sign anything.
            return ""
