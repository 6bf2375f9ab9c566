import sys

import pytest

from wayword.errors import InputError, MissingExtraError, StoreError
from wayword.store.memory import MemoryStore
from wayword.store.urls import open_store


def test_a_path_and_a_url_name_the_same_file(tmp_path, monkeypatch):
    path = tmp_path / "a project?.db"
    open_store(path, create=True).close()
    for address in (str(path), f"sqlite:///{path}"):
        store = open_store(address)
        assert store.url == str(path)
        store.close()
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///a project?.db").close()


def test_projects_in_memory_are_new_each_time():
    store = open_store("memory://")
    assert isinstance(store, MemoryStore)
    store.put_settings({"k": 1})
    assert open_store("memory://").settings() == {}


@pytest.mark.parametrize(
    "address", ["", "mysql://host/db", "sqlite://", "sqlite:///", "a\0b", "postgresql://host:port/db"]
)
def test_an_address_of_no_kind_is_an_input_error(address):
    with pytest.raises(InputError, match="address of a"):
        open_store(address)


def test_a_database_that_does_not_answer_is_a_store_error(tmp_path):
    with pytest.raises(StoreError, match="the database says: connection"):
        open_store(f"postgresql://nobody:hidden@/none?host={tmp_path}")


def test_postgres_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"wayword\[postgres\]"):
        open_store("postgresql://nobody@localhost/none")
