"""Projects in SQLite files: what is refused, what is mended, what goes wrong."""

import io
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from contract.store import IDS, NOW, TEXTS, entry
from wayword import Corpus
from wayword.errors import (
    DiskFullError,
    FormatError,
    LockedError,
    NewerProjectError,
    NotAProjectError,
    ReadOnlyError,
    StoreError,
)
from wayword.store import engines, schema
from wayword.store.urls import open_store
from wayword.workbench.project import Project

FIRST_VERSION = Path(__file__).parent / "data" / "first_version.wayword"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "project.wayword"


@pytest.fixture
def project(path):
    """Return the path of a project with four documents and one act."""
    store = open_store(path, create=True)
    store.add_documents(Corpus(TEXTS, ids=IDS))
    store.append(entry(1))
    store.close()
    return path


def ask(path, statement):
    connection = sqlite3.connect(path)
    try:
        with connection:
            return connection.execute(statement).fetchall()
    finally:
        connection.close()


def make_first_version(path):
    """Put a project there that the first version of the program has made: tables, texts, acts and arrays."""
    path.write_bytes(FIRST_VERSION.read_bytes())


# Versions


def test_a_project_of_the_first_version_is_brought_up_to_date(path):
    make_first_version(path)
    assert ask(path, f"SELECT * FROM {schema.VERSION_TABLE}") == [("0001",)]
    store = open_store(path)
    corpus = store.corpus()
    assert corpus.ids == ("r1", "r2", "r3", "s1", "s2", "s3", "b1", "b2", "b3")
    assert corpus.texts[-1] == "fresh bread, hot coffee: a real breakfast 🛏 \0"
    assert (corpus.labels[0], corpus.metadata["stars"][:3]) == (("Room",), (5, 4, 3))
    assert {hit.id for hit in store.search("bread")} == {"b1", "b2", "b3"}
    assert store.claim("ada", corpus.ids, now=NOW) == "r1"
    store.add_documents(Corpus(["bread"], ids=["e"]))
    assert {hit.id for hit in store.search("bread")} == {"b1", "b2", "b3", "e"}
    assert [number for number, _ in store.entries()] == list(range(1, 14))
    assert store.append(entry(14)) == 14
    store.close()
    assert ask(path, f"SELECT * FROM {schema.VERSION_TABLE}") == [(schema.VERSION,)]


def test_a_project_of_the_first_version_opens_with_all_that_was_done_in_it(path):
    make_first_version(path)
    with Project.open(path) as project:
        project.refresh()
        assert (project.name, project.annotators()) == ("Hotels", ["ada", "import"])
        assert {label.name: label.n_documents for label in project.labels()} == {"Room": 1, "Staff": 2, "Food": 1}
        assert project.document("b2", "bob").labels == []
        seen = project.document("r3", "bob")
        assert (seen.flagged, [remark.text for remark in seen.comments]) == (True, ["which bath?"])
        topics = {topic.id: topic for topic in project.topics()}
        assert {id: topic.frozen for id, topic in topics.items()} == {"desk": True, "bread": False, "bed": False}
        assert topics["desk"].name == "First"
        assert all(term.term != "clean" for topic in topics.values() for term in topic.terms)
        kept = project.store.arrays("frozen/a6")["terms"]
        state = project._live.wait(0, None)
        np.testing.assert_allclose(state.topics.components[state.ids.index("desk")], kept, atol=1e-9)
        assert project.undo("ada").number == 14
        assert project.documents(query="bread").total == 3
        assert project.question("cy", wait=30.0).document is not None
    with Project.open(path) as again:
        assert again.view().n_acts == 14
        assert again.view().banned == []


def test_a_migration_that_fails_leaves_the_old_version(path):
    make_first_version(path)
    ask(path, "CREATE TABLE document_search (in_the_way)")
    with pytest.raises(StoreError, match="already exists"):
        open_store(path)
    assert ask(path, f"SELECT * FROM {schema.VERSION_TABLE}") == [("0001",)]
    assert ask(path, "SELECT count(*) FROM sqlite_master WHERE name = 'claims'") == [(0,)]
    ask(path, "DROP TABLE document_search")
    store = open_store(path)
    assert len(store.search("bread")) == 3
    store.close()


def test_an_old_project_opened_for_reading_only_asks_to_be_brought_up_to_date(path):
    make_first_version(path)
    with pytest.raises(StoreError, match=r"older project \(version 0001\)"):
        open_store(path, read_only=True)


def test_migrations_make_the_tables_of_the_schema(project):
    engine = sa.create_engine(f"sqlite:///{project}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        differences = compare_metadata(context, schema.metadata)
    engine.dispose()
    # Only the index for full-text search, which the schema leaves to the migrations.
    assert {(what, table.name.split("_")[0]) for what, table in differences} == {("remove_table", "document")}


def test_the_version_is_that_of_the_newest_migration():
    migrations = Path(schema.__file__).parent / "migrations"
    assert ScriptDirectory(str(migrations)).get_heads() == [schema.VERSION]


def test_a_newer_project_is_refused_and_left_alone(project):
    ask(project, f"UPDATE {schema.VERSION_TABLE} SET version_num = '0099'")
    for options in ({}, {"read_only": True}):
        with pytest.raises(NewerProjectError, match=r"version 0099, this one reads .*; upgrade"):
            open_store(project, **options)
    assert ask(project, f"SELECT * FROM {schema.VERSION_TABLE}") == [("0099",)]


# What is no project


@pytest.mark.parametrize("contents", [b"id,text\n1,moon\n" * 100, b"", b"SQLite format 3\0 but then not"])
def test_a_file_that_is_no_project_is_refused_and_left_alone(path, contents):
    path.write_bytes(contents)
    with pytest.raises(NotAProjectError, match="project"):
        open_store(path)
    assert path.read_bytes() == contents


def test_a_database_of_another_program_is_refused_and_left_alone(path):
    ask(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(NotAProjectError, match="not a project of Wayword"):
            open_store(path, create=create)
    assert path.read_bytes() == before


def test_nothing_and_a_folder_are_no_projects(path, tmp_path):
    with pytest.raises(NotAProjectError, match="no such file"):
        open_store(path)
    assert not path.exists()
    with pytest.raises(NotAProjectError, match="a folder"):
        open_store(tmp_path, create=True)
    with pytest.raises(StoreError, match="check that the folder is there"):
        open_store(tmp_path / "none" / "project", create=True)


def test_an_empty_file_becomes_a_project_and_a_project_is_not_made_anew(path):
    path.write_bytes(b"")
    store = open_store(path, create=True)
    store.append(entry(1))
    store.close()
    again = open_store(path, create=True)
    assert again.count_acts() == 1
    again.close()


def test_a_damaged_file_is_said_to_be_damaged(project):
    contents = bytearray(project.read_bytes())
    contents[4096:] = b"\xff" * (len(contents) - 4096)
    project.write_bytes(contents)
    with pytest.raises(StoreError, match="damaged"):
        open_store(project).corpus()


def test_arrays_that_would_run_code_are_not_read(project):
    bad = io.BytesIO()
    np.savez(bad, x=np.array([print], dtype=object))
    connection = sqlite3.connect(project)
    with connection:
        for name, data in (("pickle", bad.getvalue()), ("noise", b"noise"), ("nothing", b"")):
            connection.execute("INSERT INTO arrays VALUES (?, ?)", (name, data))
    connection.close()
    store = open_store(project)
    for name in ("pickle", "noise", "nothing"):
        with pytest.raises(FormatError, match=f"the arrays '{name}' of the project are damaged"):
            store.arrays(name)
    store.close()


# What goes wrong


def test_a_file_is_written_ahead_and_to_the_disk_before_an_answer(project):
    assert ask(project, "PRAGMA journal_mode") == [("wal",)]
    connection = engines._connect_file(project, "rw")
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    connection.close()


def test_read_only_reads_and_refuses_to_write(project):
    store = open_store(project, read_only=True)
    assert store.corpus().ids == tuple(IDS)
    assert len(store.search("moon")) == 2
    for write in (
        lambda: store.append(entry(2)),
        lambda: store.add_documents(Corpus(["x"])),
        lambda: store.claim("ada", IDS, now=NOW),
        lambda: store.put_settings({"k": 1}),
    ):
        with pytest.raises(ReadOnlyError, match="may not be written"):
            write()
    assert store.count_acts() == 1
    store.close()


def test_a_full_disk_is_an_error_and_nothing_is_changed(project, monkeypatch):
    connect = engines._connect_file

    def connect_to_small_disk(*arguments):
        connection = connect(*arguments)
        connection.execute("PRAGMA max_page_count = 60")
        return connection

    monkeypatch.setattr(engines, "_connect_file", connect_to_small_disk)
    store = open_store(project)
    with pytest.raises(DiskFullError, match="the disk is full; make room"):
        store.add_documents(Corpus([f"{k} word " * 500 for k in range(200)]))
    assert store.corpus().ids == tuple(IDS)
    assert store.append(entry(2)) == 2
    assert len(store.search("moon")) == 2
    store.close()


def test_a_locked_file_is_an_error_and_works_once_it_is_free(project, monkeypatch):
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0.05)
    store = open_store(project)
    other = sqlite3.connect(project, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LockedError, match="another program has kept it locked"):
        store.append(entry(2))
    assert store.count_acts() == 1
    other.execute("ROLLBACK")
    other.close()
    assert store.append(entry(2)) == 2
    store.close()


def test_a_reader_does_not_wait_for_a_writer(project):
    store = open_store(project)
    other = sqlite3.connect(project, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert len(store.corpus()) == 4
    other.execute("ROLLBACK")
    other.close()
    store.close()


def hold_new_file(path):
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_a_new_file_that_another_program_is_making_is_waited_for(path):
    other = hold_new_file(path)
    release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    release.start()
    store = open_store(path, create=True)
    release.join()
    other.close()
    assert store.append(entry(1)) == 1
    store.close()


def test_a_new_file_that_stays_locked_is_an_error(path, monkeypatch):
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0.05)
    other = hold_new_file(path)
    with pytest.raises(LockedError, match="another program has kept it locked"):
        open_store(path, create=True)
    other.close()


def test_threads_that_make_a_project_at_once_make_one(path):
    barrier = threading.Barrier(4)

    def work(k):
        barrier.wait()
        store = open_store(path, create=True)
        number = store.append(entry(k))
        store.close()
        return number

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(work, range(4))) == [1, 2, 3, 4]
