"""A project in a database: one code for SQLite files and PostgreSQL.

Every method is one transaction. Those that write take their lock first: SQLite's one writer, or the table that they
write to in PostgreSQL. So numbers of acts are given in the order of commits, and a document is claimed once.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.dialects import postgresql, sqlite

from wayword.corpus.corpus import Corpus, Document
from wayword.errors import InputError, NotAProjectError, StoreError, shorten
from wayword.guidance.actions import Entry
from wayword.guidance.fields import check_id
from wayword.store import document_tables, schema
from wayword.store.base import CLAIM_SECONDS, NOBODY, Annotator, Hit, Spoken
from wayword.store.engines import explain, explained
from wayword.store.migrating import bring_up_to_date, check_version, find_version
from wayword.store.packing import (
    BAGS,
    check_claim,
    find_free,
    pack_arrays,
    pack_bags,
    pack_json,
    unpack_arrays,
    unpack_bags,
)
from wayword.store.queries import read_query

Result = TypeVar("Result")
Work = Callable[[sa.Connection], Result]
_ATTEMPTS = 3
_PAGE = 5_000


def _put(connection: sa.Connection, table: sa.Table, **row: Any) -> None:
    """Write a row in place of the one with the same key."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    keys = [column.name for column in table.primary_key]
    rest = {name: value for name, value in row.items() if name not in keys}
    connection.execute(insert(table).values(**row).on_conflict_do_update(index_elements=keys, set_=rest))


class SqlStore:
    """A project in a database; see `wayword.store.base` for what it promises.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        Connections to the database.
    url : str
        What to call the project in messages.
    create : bool
        Whether to make the project if there is none.
    read_only : bool
        Whether the project may not be written; it must then be up to date.
    """

    def __init__(self, engine: sa.Engine, url: str, *, create: bool, read_only: bool) -> None:
        self.url = url
        self._engine = engine
        self._writer = engine.execution_options(writes=True)
        # SQLite has one writer: threads of this process wait in line instead of asking again and again.
        self._turn = threading.RLock() if engine.dialect.name == "sqlite" else nullcontext()
        try:
            if read_only:
                self._read(self._check_readable)
            else:
                self._read(self._check_encoding)
                self._write(lambda connection: bring_up_to_date(connection, url, create=create))
        except BaseException:
            self.close()
            raise

    def _check_readable(self, connection: sa.Connection) -> None:
        version = find_version(connection)
        if version is None:
            raise NotAProjectError(f"{self.url}: there is no project here")
        check_version(version, self.url, exactly=True)

    def _check_encoding(self, connection: sa.Connection) -> None:
        if connection.dialect.name == "postgresql":
            encoding = connection.execute(sa.text("SHOW server_encoding")).scalar_one()
            if encoding != "UTF8":
                raise StoreError(f"{self.url}: the database must be in UTF8, it is in {encoding}; make another one")

    def _read(self, work: Work[Result]) -> Result:
        """Do some work in a transaction that only reads."""
        return self._repeat(self._engine, work)

    def _write(self, work: Work[Result], table: sa.Table | None = None, attempts: int = _ATTEMPTS) -> Result:
        """Do some work in a transaction that writes, with a table in PostgreSQL kept from other writers."""

        def locked(connection: sa.Connection) -> Result:
            if table is not None and connection.dialect.name == "postgresql":
                connection.execute(sa.text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))
            return work(connection)

        with self._turn:
            return self._repeat(self._writer, locked, attempts)

    def _repeat(self, engine: sa.Engine, work: Work[Result], attempts: int = _ATTEMPTS) -> Result:
        """Do some work in a transaction; once more if the connection is lost, which work is made to bear."""
        for attempt in range(1, attempts + 1):
            try:
                with engine.begin() as connection:
                    return work(connection)
            except exc.DBAPIError as error:
                if not error.connection_invalidated or attempt == attempts:
                    raise explain(error, self.url) from error
            except exc.SQLAlchemyError as error:
                raise explain(error, self.url) from error
        raise AssertionError("the last attempt returns or raises")

    def add_documents(self, corpus: Corpus) -> None:
        """Add all documents of a corpus, or none."""

        def work(connection: sa.Connection) -> None:
            document_tables.add_documents(connection, corpus)
            if corpus.bags is not None:
                _put(connection, schema.arrays, name=BAGS, data=pack_arrays(pack_bags(corpus.bags)))

        # Sent again after a lost answer, the same documents would be there already.
        self._write(work, schema.documents, attempts=1)

    def corpus(self) -> Corpus:
        """Return all documents in the order in which they were added."""
        found = Corpus.from_documents(self._read(document_tables.read_documents))
        bags = unpack_bags(self.arrays(BAGS))
        if bags is None:
            return found
        return Corpus(found.texts, ids=found.ids, labels=found.labels, metadata=found.metadata, bags=bags)

    def document(self, id: str) -> Document:
        """Return a document; an unknown id is a `StoreError`."""
        id = check_id(id, "the id of a document")
        found = self._read(lambda connection: document_tables.read_document(connection, id))
        if found is None:
            raise StoreError(f"no document has the id {shorten(id)}")
        return found

    def count_documents(self) -> int:
        """Return how many documents there are."""
        return self._read(document_tables.count_documents)

    def search(self, query: str, *, limit: int = 50) -> list[Hit]:
        """Return the documents that hold all words of a query, the best first."""
        phrases = read_query(query, limit)
        if not phrases:
            return []
        return self._read(lambda connection: document_tables.find_documents(connection, phrases, limit))

    def find(self, query: str) -> list[str]:
        """Return the ids of all documents that `search` would find without a limit, the best first."""
        phrases = read_query(query)
        return self._read(lambda connection: document_tables.find_ids(connection, phrases)) if phrases else []

    def append(self, entry: Entry) -> int:
        """Keep an act and return its number."""
        return self.append_all([entry])[0]

    def append_all(self, entries: Iterable[Entry]) -> list[int]:
        """Keep several acts, all or none, and return their numbers."""
        entries = list(entries)
        return self._write(lambda connection: _append(connection, entries), schema.acts)

    def entries(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Give the acts with numbers above `after`, in order, with their numbers."""
        while page := self._read(lambda connection, after=after: _read_acts(connection, after)):
            for number, body in page:
                yield number, Entry.from_dict(json.loads(body))
            after = page[-1][0]

    def count_acts(self) -> int:
        """Return how many acts there are: the number of the last."""
        return self._read(_last_act)

    def put_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays together under a name."""
        if check_id(name, "a name of arrays") == BAGS:
            raise InputError(f"the name {BAGS!r} is kept for the counts of the corpus; take another")
        packed = pack_arrays(arrays)
        self._write(lambda connection: _put(connection, schema.arrays, name=name, data=packed))

    def arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """Return the arrays kept under a name, None if there are none."""
        table = schema.arrays
        found = self._read(lambda connection: connection.scalar(sa.select(table.c.data).where(table.c.name == name)))
        return None if found is None else unpack_arrays(found, name)

    def array_names(self) -> list[str]:
        """Return the names under which arrays are kept, sorted."""
        names = self._read(lambda connection: connection.scalars(sa.select(schema.arrays.c.name)).all())
        return sorted(name for name in names if name != BAGS)

    def drop_arrays(self, name: str) -> None:
        """Forget the arrays kept under a name, if any."""
        self._write(lambda connection: connection.execute(sa.delete(schema.arrays).where(schema.arrays.c.name == name)))

    def put_snapshot(self, name: str, number: int, state: Any) -> None:
        """Keep a JSON value as the state after the act with a number."""
        check_id(name, "the name of a snapshot")
        packed = pack_json(state, "a snapshot")
        self._write(lambda connection: _put(connection, schema.snapshots, name=name, number=number, state=packed))

    def snapshot(self, name: str, at: int | None = None) -> tuple[int, Any] | None:
        """Return the last snapshot of a name at or before an act, with its number; None if there is none."""
        table = schema.snapshots
        query = sa.select(table.c.number, table.c.state).where(table.c.name == name)
        query = query if at is None else query.where(table.c.number <= at)
        query = query.order_by(table.c.number.desc()).limit(1)
        row = self._read(lambda connection: connection.execute(query).first())
        return None if row is None else (row.number, json.loads(row.state))

    def put_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator."""
        check_id(annotator.name, "the name of an annotator")
        details = pack_json(dict(annotator.details), "details of an annotator")
        self._write(lambda connection: _put(connection, schema.annotators, name=annotator.name, details=details))

    def annotators(self) -> list[Annotator]:
        """Return all annotators, sorted by name."""
        rows = self._read(lambda connection: connection.execute(sa.select(schema.annotators)).all())
        return [Annotator(name, json.loads(details)) for name, details in sorted(map(tuple, rows))]

    def put_settings(self, settings: Mapping[str, Any]) -> None:
        """Keep settings, each under its name, as JSON has them; others stay."""
        packed = {check_id(name, "the name of a setting"): pack_json(value, name) for name, value in settings.items()}

        def work(connection: sa.Connection) -> None:
            for name, value in packed.items():
                _put(connection, schema.settings, name=name, value=value)

        self._write(work)

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        rows = self._read(lambda connection: connection.execute(sa.select(schema.settings)).all())
        return {name: json.loads(value) for name, value in sorted(map(tuple, rows))}

    def claim(
        self,
        annotator: str,
        documents: Sequence[str],
        *,
        now: datetime,
        seconds: float = CLAIM_SECONDS,
        coders: int = 1,
        spoken: Spoken = NOBODY,
    ) -> str | None:
        """Reserve the first free one of some documents for an annotator; see `Store.claim`."""
        time = check_claim(documents, now, seconds, coders).timestamp()

        def work(connection: sa.Connection) -> str | None:
            for batch in document_tables.batches(documents):
                chosen = find_free(batch, _holders(connection, batch, time), annotator, coders, spoken)
                if chosen is not None:
                    _put(connection, schema.claims, document=chosen, annotator=annotator, until=time + seconds)
                    return chosen
            return None

        return self._write(work, schema.claims)

    def settle(self, annotator: str, document: str) -> None:
        """Let a claim never end: the annotator has dealt with the document, claimed or not."""
        check_id(document, "the id of a document")
        check_id(annotator, "annotator")
        row = {"document": document, "annotator": annotator, "until": None}
        self._write(lambda connection: _put(connection, schema.claims, **row), schema.claims)

    def release(self, annotator: str, document: str) -> None:
        """End a claim, settled or not, so that the document is free again."""
        table = schema.claims
        gone = sa.delete(table).where(table.c.document == document, table.c.annotator == annotator)
        self._write(lambda connection: connection.execute(gone), table)

    def close(self) -> None:
        """Let go of files and connections; nothing may be asked of the store afterwards."""
        with explained(self.url):
            self._engine.dispose()


def _last_act(connection: sa.Connection) -> int:
    return connection.execute(sa.select(sa.func.coalesce(sa.func.max(schema.acts.c.number), 0))).scalar_one()


def _read_acts(connection: sa.Connection, after: int) -> list[tuple[int, str]]:
    table = schema.acts
    query = sa.select(table.c.number, table.c.body).where(table.c.number > after).order_by(table.c.number).limit(_PAGE)
    return [(number, body) for number, body in connection.execute(query)]


def _known_acts(connection: sa.Connection, act_ids: Sequence[str]) -> dict[str, tuple[int, Entry]]:
    """Return the acts that are kept under some ids."""
    table, known = schema.acts, {}
    for batch in document_tables.batches(act_ids):
        for number, body in connection.execute(
            sa.select(table.c.number, table.c.body).where(table.c.act_id.in_(batch))
        ):
            entry = Entry.from_dict(json.loads(body))
            known[entry.act_id] = number, entry
    return known


def _append(connection: sa.Connection, entries: Sequence[Entry]) -> list[int]:
    """Write acts that are not there yet, and return the numbers of all."""
    known = _known_acts(connection, [entry.act_id for entry in entries])
    rows: list[dict[str, Any]] = []
    next_number = _last_act(connection) + 1
    for entry in entries:
        if entry.act_id not in known:
            known[entry.act_id] = next_number, entry
            rows.append(_pack_act(next_number, entry))
            next_number += 1
        elif not known[entry.act_id][1].repeats(entry):
            raise InputError(f"the act id {shorten(entry.act_id)} is that of another act; make a new id for each act")
    for batch in document_tables.batches(rows):
        connection.execute(sa.insert(schema.acts), list(batch))
    return [known[entry.act_id][0] for entry in entries]


def _pack_act(number: int, entry: Entry) -> dict[str, Any]:
    return {
        "number": number,
        "act_id": entry.act_id,
        "annotator": entry.annotator,
        "kind": entry.act.kind,
        "body": pack_json(entry.to_dict(), "an act"),
    }


def _holders(connection: sa.Connection, documents: Sequence[str], now: float) -> dict[str, dict[str, float | None]]:
    """Return who holds some documents, and until when."""
    table = schema.claims
    lasting = sa.or_(table.c.until.is_(None), table.c.until > now)
    holders: dict[str, dict[str, float | None]] = {}
    for document, annotator, until in connection.execute(
        sa.select(table).where(table.c.document.in_(documents), lasting)
    ):
        holders.setdefault(document, {})[annotator] = until
    return holders
