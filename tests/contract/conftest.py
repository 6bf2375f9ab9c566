"""Stores of every kind, each empty."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec
from itertools import count
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from programs import missing
from wayword.store.urls import open_store

_numbers = count()


@pytest.fixture
def closing():
    """Return what remembers stores and closes them at the end."""
    with ExitStack() as stack:
        yield lambda store: (stack.callback(store.close), store)[1]


@pytest.fixture(scope="session")
def server(postgres):
    """Return the address of a database in UTF-8 on a PostgreSQL server of its own."""
    if find_spec("psycopg") is None:
        missing("the package psycopg (pip install 'wayword[postgres]')")
    address = f"postgresql+psycopg://postgres@/postgres?host={quote(str(postgres), safe='')}"
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE wayword TEMPLATE template0 ENCODING 'UTF8'")
    engine.dispose()
    return address.replace("@/postgres", "@/wayword").replace("+psycopg", "")


@pytest.fixture
def schema(server):
    """Return the address of a schema of its own in that database."""
    name = f"project{next(_numbers)}"
    engine = sa.create_engine(server.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    engine.dispose()
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture
def address(tmp_path):
    """Return the address of the project; other back ends have another."""
    return str(tmp_path / "project 100%.wayword")


@pytest.fixture
def store(address, closing):
    return closing(open_store(address, create=True))


@pytest.fixture
def again(address, closing):
    return lambda: closing(open_store(address))
