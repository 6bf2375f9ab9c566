"""Open a project by its address: in memory, in a file, or in a database."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from wayword.errors import InputError, shorten
from wayword.store.base import Store

_EXPECTED = "expected memory://, the path of a file, sqlite:///PATH or postgresql://USER@HOST/DATABASE"


def open_store(url: str | Path, *, create: bool = False, read_only: bool = False) -> Store:
    """Open a project.

    Parameters
    ----------
    url : str or Path
        ``memory://`` for a new project that is never written; a path or ``sqlite:///PATH`` for a file;
        ``postgresql://USER:PASSWORD@HOST/DATABASE`` for a database (needs the extra ``postgres``).
    create : bool
        Whether to make the project if there is none. Its folder or database must exist.
    read_only : bool
        Whether to refuse all that would change the project.

    Returns
    -------
    Store
        The project, brought up to date if an older version made it.
    """
    text = str(url)
    scheme, divider, rest = text.partition("://")
    if not text or "\0" in text:
        raise InputError(f"{shorten(text)} is no address of a project; {_EXPECTED}")
    if not divider:
        return _open_file(Path(text), create, read_only)
    if scheme == "memory":
        from wayword.store.memory import MemoryStore

        return MemoryStore()
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return _open_file(Path(rest[1:]), create, read_only)
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return _open_server(text, create, read_only)
    raise InputError(f"{shorten(text)} is no address of a project; {_EXPECTED}")


def _open_file(path: Path, create: bool, read_only: bool) -> Store:
    from wayword.store.engines import check_file, make_file_engine
    from wayword.store.sql import SqlStore

    check_file(path, create=create, read_only=read_only)
    return SqlStore(make_file_engine(path, read_only=read_only), str(path), create=create, read_only=read_only)


def _open_server(text: str, create: bool, read_only: bool) -> Store:
    from wayword.store.engines import make_server_engine
    from wayword.store.sql import SqlStore

    try:
        url = sa.make_url(text)
    except (exc.ArgumentError, ValueError):
        raise InputError(f"an address of a database that cannot be read; {_EXPECTED}") from None
    engine = make_server_engine(url, read_only=read_only)
    return SqlStore(engine, url.render_as_string(hide_password=True), create=create, read_only=read_only)
