"""Bring a project up to date: find its version, refuse a newer one, run the migrations that it lacks."""

from __future__ import annotations

import threading
from pathlib import Path

import sqlalchemy as sa

from wayword.errors import NewerProjectError, NotAProjectError, StoreError
from wayword.store.schema import APPLICATION_ID, VERSION, VERSION_TABLE

_FOLDER = Path(__file__).parent / "migrations"
# Alembic keeps what it is doing in a module.
_ALEMBIC = threading.Lock()


def find_version(connection: sa.Connection) -> str | None:
    """Return the version of a project, None if there is no project."""
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()


def upgrade(connection: sa.Connection, version: str = VERSION) -> None:
    """Run migrations up to a version, inside the transaction that is open."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # The config file that this stands for would treat percent signs as its own.
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes.update(connection=connection, version_table=VERSION_TABLE)
    with _ALEMBIC:
        command.upgrade(config, version)


def bring_up_to_date(connection: sa.Connection, url: str, *, create: bool) -> None:
    """Migrate a project, or make one, inside the transaction that is open."""
    if connection.dialect.name == "postgresql":
        # Two programs may open a project at once; the first migrates, the second waits.
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": APPLICATION_ID})
    version = find_version(connection)
    if version is None and not create:
        raise NotAProjectError(f"{url}: there is no project here; make one first")
    if version is None and connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    if version != VERSION:
        check_version(version, url)
        upgrade(connection)


def check_version(version: str | None, url: str, *, exactly: bool = False) -> None:
    """Refuse a version that this program does not know, or with `exactly` any but the newest."""
    if version is not None and version > VERSION:
        raise NewerProjectError(
            f"{url}: written by a newer Wayword (version {version}, this one reads {VERSION}); upgrade"
        )
    if exactly and version != VERSION:
        raise StoreError(
            f"{url}: an older project (version {version}) is brought up to date when it is opened for writing"
        )
