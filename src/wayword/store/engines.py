"""Connections to databases, and their errors in our words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.pool import QueuePool

from wayword.errors import DiskFullError, LockedError, MissingExtraError, NotAProjectError, ReadOnlyError, StoreError
from wayword.store.schema import APPLICATION_ID

BUSY_SECONDS = 30.0
_PAUSE_SECONDS = 0.01
_POOL = {"pool_size": 8, "max_overflow": 56, "pool_timeout": BUSY_SECONDS}
_LOCKED = "another program has kept it locked for too long; close that program or try again"
_READ_ONLY = "it may not be written; check the permissions of the file and its folder"
_FULL = "the disk is full; make room and try again, nothing was changed"
_SQLITE_ERRORS = {
    sqlite3.SQLITE_BUSY: (LockedError, _LOCKED),
    sqlite3.SQLITE_LOCKED: (LockedError, _LOCKED),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, _READ_ONLY),
    sqlite3.SQLITE_FULL: (DiskFullError, _FULL),
    sqlite3.SQLITE_NOTADB: (NotAProjectError, "not a project of Wayword, or damaged"),
    sqlite3.SQLITE_CORRUPT: (StoreError, "the file is damaged; go back to a copy of it"),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "cannot be opened; check that the folder is there and may be written"),
}
_POSTGRES_ERRORS = {
    "53100": (DiskFullError, _FULL),
    "25006": (ReadOnlyError, "the database may not be written"),
    "42501": (ReadOnlyError, "this user may not do that; check the rights in the database"),
    "55P03": (LockedError, _LOCKED),
}


def explain(error: exc.SQLAlchemyError | sqlite3.Error, url: str) -> StoreError:
    """Return a database's error in our words."""
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlite_errorcode", None)
    kind, problem = _SQLITE_ERRORS.get(code & 0xFF, (StoreError, "")) if code is not None else (StoreError, "")
    if not problem:
        kind, problem = _POSTGRES_ERRORS.get(getattr(cause, "sqlstate", None) or "", (StoreError, ""))
    if not problem:
        problem = f"the database says: {' '.join(str(cause).split())[:300]}"
    return kind(f"{url}: {problem}")


@contextmanager
def explained(url: str) -> Iterator[None]:
    """Let errors of databases through in our words."""
    try:
        yield
    except (exc.SQLAlchemyError, sqlite3.Error) as error:
        raise explain(error, url) from error


def _connect_file(path: Path, mode: str) -> sqlite3.Connection:
    # isolation_level=None: SQLAlchemy's "begin" below says when a transaction starts, not the driver.
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _mode(read_only: bool) -> str:
    return "ro" if read_only else "rw"


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn on the log that lets others read while one writes."""
    # Of two connections that turn it on at once, SQLite tells one "busy" without waiting, whatever the timeout.
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE_SECONDS)


def check_file(path: Path, *, create: bool, read_only: bool) -> None:
    """Refuse a file that is no project, without changing it; make an empty one ready if it may be made."""
    if path.is_dir():
        raise NotAProjectError(f"{path}: a folder, not a project; name a file")
    create = create and not read_only
    if not path.exists() and not create:
        raise NotAProjectError(f"{path}: there is no such file; make a project first")
    with explained(str(path)):
        empty = not path.exists() or path.stat().st_size == 0
        connection = _connect_file(path, "rwc" if empty and create else _mode(read_only))
        try:
            mark = connection.execute("PRAGMA application_id").fetchone()[0]
            n_tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if mark != APPLICATION_ID and (n_tables or not create):
                raise NotAProjectError(f"{path}: not a project of Wayword; expected a file that Wayword has made")
            if empty:
                _write_ahead(connection)
        finally:
            connection.close()


def make_file_engine(path: Path, *, read_only: bool) -> sa.Engine:
    """Return connections to an SQLite file; transactions that write take the write lock at once."""
    mode = _mode(read_only)
    engine = sa.create_engine("sqlite://", creator=lambda: _connect_file(path, mode), poolclass=QueuePool, **_POOL)

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def make_server_engine(url: sa.URL, *, read_only: bool) -> sa.Engine:
    """Return connections to a PostgreSQL database; one that was lost meanwhile is made anew."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "a project in PostgreSQL") from None
    engine = sa.create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, **_POOL)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # Whatever the server's own settings: wait for locks as long as for a file, and promise only what is on disk.
        connection.execute(f"SET lock_timeout = {int(BUSY_SECONDS * 1000)}")
        connection.execute("SET synchronous_commit = on")
        connection.commit()

    if read_only:
        engine = engine.execution_options(postgresql_readonly=True)
    return engine
