"""A small project, served."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import count
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from programs import missing
from server.serving import make_corpus, serving
from wayword.workbench.project import Project

_numbers = count()


@pytest.fixture
def project(tmp_path):
    with Project.create(tmp_path / "hidden.wayword", make_corpus(), n_topics=3) as made:
        yield made


@pytest.fixture
def served(project):
    with serving(project) as running:
        yield running


@pytest.fixture
def client(served):
    with served.client() as begun:
        yield begun


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Return a server for tests that leave its project as it is, or do not mind."""
    path = tmp_path_factory.mktemp("shared") / "hidden.wayword"
    with Project.create(path, make_corpus(), n_topics=3) as made, serving(made) as running:
        yield running


@pytest.fixture(scope="module")
def guest(shared):
    with shared.client() as begun:
        yield begun


@pytest.fixture(scope="session")
def databases(postgres):
    """Return the address of a PostgreSQL server of its own, without the name of a database."""
    if find_spec("psycopg") is None:
        missing("the package psycopg (pip install 'wayword[postgres]')")
    return f"postgresql://postgres@/{{name}}?host={quote(str(postgres), safe='')}"


@pytest.fixture
def database(databases):
    """Return the address of a new, empty database."""
    name = f"workbench{next(_numbers)}"
    address = databases.format(name="postgres").replace("postgresql:", "postgresql+psycopg:")
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    engine.dispose()
    return databases.format(name=name)
