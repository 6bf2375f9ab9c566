"""Errors as answers: a status and ``{"error": "what was expected, what came, what to do"}``.

No answer tells where files are or what code ran. What the person cannot mend is logged and answered in one short line.
"""

from __future__ import annotations

import errno
import logging
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from wayword.errors import (
    CorpusError,
    DiskFullError,
    LimitError,
    LockedError,
    MissingExtraError,
    ReadOnlyError,
    StoreError,
    WaywordError,
)
from wayword.server.bodies import ViewResponse

logger = logging.getLogger("wayword.server")

FAULT = "the server failed at this; nothing of it was kept. Try again, and look at the server's log if it stays so"
_NOT_THERE = "the project cannot be read or written just now; try again, and look at the server's log if it stays so"
# The first that fits; errors of other kinds are faults.
_STATUS: tuple[tuple[type[WaywordError], int], ...] = (
    (LimitError, 413),
    (DiskFullError, 507),
    (ReadOnlyError, 409),
    (LockedError, 503),
    (StoreError, 503),
    (MissingExtraError, 501),
    (WaywordError, 400),
)


@dataclass(frozen=True, slots=True)
class ErrorView:
    """Why a request was not done."""

    error: str


class Refused(HTTPException):
    """A request that is not done, with the reason."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(status, detail=error)


def answer(status: int, error: str) -> ViewResponse:
    """Return an error as an answer."""
    headers = {"Retry-After": "1"} if status == 503 else None
    return ViewResponse({"error": error}, status, headers)


def status_of(error: WaywordError) -> int:
    """Return the status of an error of ours."""
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def say(error: WaywordError, secret: str = "") -> str:
    """Return what an error says, without the place of a file or a database."""
    if isinstance(error, CorpusError):
        return f"{error.place}: {error.problem}" if error.place else error.problem
    known = isinstance(error, (DiskFullError, ReadOnlyError, LockedError))
    if isinstance(error, StoreError) and not known:
        return _NOT_THERE
    text = str(error)
    return text.replace(f"{secret}: ", "").replace(secret, "the project") if secret else text


def _say_what_does_not_parse(errors: Any) -> str:
    """Return the first thing that is wrong with a request, and where."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}: {first['msg']}{more}"


def answer_errors(app: FastAPI, secret: str) -> None:
    """Let an app answer errors as this module says, without the place of the project."""

    def from_wayword(_: Request, error: Exception) -> ViewResponse:
        assert isinstance(error, WaywordError)
        status = status_of(error)
        if status >= 500:
            logger.error("%s: %s", type(error).__name__, error)
        return answer(status, say(error, secret))

    def from_http(_: Request, error: Exception) -> ViewResponse:
        assert isinstance(error, HTTPException)
        told = answer(error.status_code, str(error.detail))
        told.headers.update(error.headers or {})
        return told

    def from_parsing(_: Request, error: Exception) -> ViewResponse:
        assert isinstance(error, RequestValidationError)
        return answer(422, _say_what_does_not_parse(error.errors()))

    def from_system(_: Request, error: Exception) -> ViewResponse:
        assert isinstance(error, OSError)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise error
        logger.error("no room for a file: %s", error)
        return answer(507, "the disk for temporary files is full; make room and try again")

    app.add_exception_handler(WaywordError, from_wayword)
    app.add_exception_handler(OSError, from_system)
    app.add_exception_handler(HTTPException, from_http)
    app.add_exception_handler(RequestValidationError, from_parsing)
