"""Documents in a database: written in bulk, read in order, searched by the database's own index of words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from wayword.corpus.corpus import Corpus, Document
from wayword.errors import DuplicateIdError, shorten
from wayword.store.base import Hit
from wayword.store.packing import check_corpus, pack_json, pack_metadata, pack_text, unpack_text
from wayword.store.queries import (
    SEARCHED_CHARACTERS,
    Phrase,
    cut_excerpt,
    split_words,
    to_fts5,
    to_pattern,
    to_tsquery,
)
from wayword.store.schema import documents

_BATCH = 500
# Much faster in one statement than with each document.
_INDEX_FILE = sa.text(
    "INSERT INTO document_search(rowid, text) SELECT number, text FROM documents WHERE number > :before"
)
_PUT_WORDS = sa.text("INSERT INTO document_words VALUES (:number, to_tsvector('simple', :words))")
_FOUND = {
    "sqlite": " FROM document_search JOIN documents d ON d.number = document_search.rowid"
    " WHERE document_search MATCH :query ORDER BY bm25(document_search), d.number",
    "postgresql": " FROM document_words w JOIN documents d ON d.number = w.number, to_tsquery('simple', :query) q"
    " WHERE w.words @@ q ORDER BY ts_rank(w.words, q) DESC, d.number",
}


def count_documents(connection: sa.Connection) -> int:
    """Return how many documents there are; they are numbered without gaps."""
    return connection.execute(sa.select(sa.func.coalesce(sa.func.max(documents.c.number), 0))).scalar_one()


def batches(items: Sequence[Any], size: int = _BATCH) -> Iterator[Sequence[Any]]:
    """Give items in pieces that a database takes at once."""
    return (items[start : start + size] for start in range(0, len(items), size))


def add_documents(connection: sa.Connection, corpus: Corpus) -> None:
    """Write the documents of a corpus after those that are there."""
    before = count_documents(connection)
    check_corpus(corpus, before)
    _check_fresh(connection, corpus.ids)
    for rows in batches(range(len(corpus))):
        connection.execute(sa.insert(documents), [_pack(corpus, row, before + row + 1) for row in rows])
    if connection.dialect.name == "sqlite":
        connection.execute(_INDEX_FILE, {"before": before})
    else:
        _put_words(connection, corpus, before)


def _put_words(connection: sa.Connection, corpus: Corpus, before: int) -> None:
    """Fill PostgreSQL's index of words; that of an empty project is built anew at the end, which is much faster."""
    if not before:
        connection.exec_driver_sql("DROP INDEX document_words_index")
    for rows in batches(range(len(corpus))):
        connection.execute(_PUT_WORDS, [_pack_words(corpus.texts[row], before + row + 1) for row in rows])
    if not before:
        connection.exec_driver_sql("CREATE INDEX document_words_index ON document_words USING gin (words)")


def _check_fresh(connection: sa.Connection, ids: Sequence[str]) -> None:
    for batch in batches(ids):
        known = connection.execute(sa.select(documents.c.id).where(documents.c.id.in_(batch)).limit(1)).scalar()
        if known is not None:
            raise DuplicateIdError(
                f"the project holds a document with the id {shorten(known)} already; nothing was added"
            )


def _pack(corpus: Corpus, row: int, number: int) -> dict[str, Any]:
    text, exact = pack_text(corpus.texts[row])
    return {
        "number": number,
        "id": corpus.ids[row],
        "text": text,
        "exact": exact,
        "labels": pack_json(corpus.labels[row], "labels"),
        "metadata": pack_metadata(corpus, row),
    }


def _pack_words(text: str, number: int) -> dict[str, Any]:
    words = split_words(pack_text(text[:SEARCHED_CHARACTERS])[0])
    return {"number": number, "words": " ".join(words)}


def _unpack(row: sa.Row[Any]) -> Document:
    labels, metadata = json.loads(row.labels), json.loads(row.metadata)
    return Document(row.id, unpack_text(row.text, row.exact), tuple(labels), metadata)


def read_documents(connection: sa.Connection) -> list[Document]:
    """Return all documents in order."""
    return [_unpack(row) for row in connection.execute(sa.select(documents).order_by(documents.c.number))]


def read_document(connection: sa.Connection, id: str) -> Document | None:
    """Return a document, None if there is none."""
    row = connection.execute(sa.select(documents).where(documents.c.id == id)).first()
    return None if row is None else _unpack(row)


def _find(connection: sa.Connection, phrases: list[Phrase], columns: str, limit: int | None) -> Iterable[Any]:
    """Return some columns of the documents that hold some phrases, the best first."""
    dialect = connection.dialect.name
    query = to_fts5(phrases) if dialect == "sqlite" else to_tsquery(phrases)
    at_most = "" if limit is None else f" LIMIT {limit:d}"
    return connection.execute(sa.text(f"SELECT {columns}{_FOUND[dialect]}{at_most}"), {"query": query})


def find_documents(connection: sa.Connection, phrases: list[Phrase], limit: int) -> list[Hit]:
    """Return the documents that hold some phrases, the best first."""
    pattern = to_pattern(phrases)
    rows = _find(connection, phrases, "d.id, d.text, d.exact", limit)
    return [Hit(id, cut_excerpt(unpack_text(text, exact), pattern)) for id, text, exact in rows]


def find_ids(connection: sa.Connection, phrases: list[Phrase]) -> list[str]:
    """Return the ids of all documents that hold some phrases, the best first."""
    return [id for (id,) in _find(connection, phrases, "d.id", None)]
