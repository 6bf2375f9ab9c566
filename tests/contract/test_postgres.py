import threading
from contextlib import suppress

import pytest
import sqlalchemy as sa

from contract.store import IDS, NOW, TEXTS, StoreContract, entry
from wayword import Corpus
from wayword.errors import LockedError, NewerProjectError, NotAProjectError, ReadOnlyError, StoreError
from wayword.store import engines
from wayword.store import schema as tables
from wayword.store.migrating import upgrade
from wayword.store.urls import open_store


def make_engine(address):
    return sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"))


class TestPostgres(StoreContract):
    @pytest.fixture
    def address(self, schema):
        return schema

    def test_a_connection_that_is_cut_loses_nothing(self, store, address):
        store.append(entry(1))
        cut = sa.text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'wayword'"
        )
        engine = make_engine(address)
        done = threading.Event()

        def keep_cutting():
            while not done.wait(0.05):
                with engine.begin() as connection:
                    connection.execute(cut)

        worker = threading.Thread(target=keep_cutting)
        worker.start()
        acknowledged = {}
        try:
            for k in range(2, 60):
                # Cut several times in a row, the store gives up; who asked knows that the act may not be there.
                with suppress(StoreError):
                    acknowledged[f"id {k}"] = store.append(entry(k))
        finally:
            done.set()
            worker.join()
            engine.dispose()
        kept = {one.act_id: number for number, one in store.entries()}
        assert acknowledged
        assert acknowledged.items() <= kept.items()
        assert sorted(kept.values()) == list(range(1, len(kept) + 1))

    def test_a_project_of_the_first_version_is_brought_up_to_date(self, address, closing):
        engine = make_engine(address)
        rows = [
            {"number": k, "id": id, "text": text, "labels": "[]", "metadata": "{}"}
            for k, (id, text) in enumerate(zip(IDS, TEXTS, strict=True), start=1)
        ]
        with engine.begin() as connection:
            upgrade(connection, "0001")
            connection.execute(sa.insert(tables.documents), rows)
        engine.dispose()
        store = closing(open_store(address))
        assert {hit.id for hit in store.search("moon")} == {"a", "d"}
        assert store.claim("ada", IDS, now=NOW) == "a"

    def test_an_empty_database_is_no_project_until_it_is_made(self, address, closing):
        for options in ({}, {"read_only": True}):
            with pytest.raises(NotAProjectError, match="there is no project here"):
                open_store(address, **options)
        assert closing(open_store(address, create=True)).count_documents() == 0

    def test_a_newer_project_is_refused(self, store, address):
        engine = make_engine(address)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE {tables.VERSION_TABLE} SET version_num = '9999'")
        engine.dispose()
        with pytest.raises(NewerProjectError, match="version 9999"):
            open_store(address)

    def test_read_only_reads_and_refuses_to_write(self, store, address, closing):
        store.add_documents(Corpus(TEXTS, ids=IDS))
        reader = closing(open_store(address, read_only=True))
        assert len(reader.corpus()) == 4
        with pytest.raises(ReadOnlyError):
            reader.append(entry(1))
        assert store.count_acts() == 0

    def test_a_project_that_is_locked_for_long_is_an_error_and_nothing_is_written(self, address, closing, monkeypatch):
        monkeypatch.setattr(engines, "BUSY_SECONDS", 0.1)
        store = closing(open_store(address, create=True))
        engine = make_engine(address)
        with engine.begin() as connection:
            connection.exec_driver_sql("LOCK TABLE acts")
            with pytest.raises(LockedError, match="kept it locked"):
                store.append(entry(1))
        engine.dispose()
        assert store.append(entry(2)) == 1

    def test_a_database_that_is_not_in_utf8_is_refused(self, address):
        engine = sa.create_engine(address.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(
                "CREATE DATABASE other TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        engine.dispose()
        with pytest.raises(StoreError, match="must be in UTF8, it is in LATIN1"):
            open_store(address.replace("/wayword?", "/other?"), create=True)

    def test_messages_hide_the_password(self, address):
        secret = address.replace("postgres@/wayword", "postgres:hidden@/nowhere")
        with pytest.raises(StoreError, match="does not exist") as caught:
            open_store(secret)
        assert "hidden" not in str(caught.value)
