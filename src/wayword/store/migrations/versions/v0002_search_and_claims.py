"""Full-text search of documents, and claims on documents that are handed out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wayword.store.queries import SEARCHED_CHARACTERS, split_words

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BATCH = 500
_SQLITE_INDEX = (
    "CREATE VIRTUAL TABLE document_search USING fts5(text, content='documents', content_rowid='number',"
    " tokenize='unicode61 remove_diacritics 0')",
    "INSERT INTO document_search(document_search) VALUES ('rebuild')",
)
_POSTGRES_INDEX = (
    "CREATE TABLE document_words"
    " (number bigint PRIMARY KEY REFERENCES documents ON DELETE CASCADE, words tsvector NOT NULL)",
    "CREATE INDEX document_words_index ON document_words USING gin (words)",
)


def upgrade() -> None:
    """Make the index of words and the table of claims, and index what is there."""
    op.create_table(
        "claims",
        sa.Column("document", sa.Text, primary_key=True),
        sa.Column("annotator", sa.Text, primary_key=True),
        sa.Column("until", sa.Double),
    )
    connection = op.get_bind()
    on_sqlite = connection.dialect.name == "sqlite"
    for statement in _SQLITE_INDEX if on_sqlite else _POSTGRES_INDEX:
        connection.exec_driver_sql(statement)
    if not on_sqlite:
        _index_documents(connection)


def _index_documents(connection: sa.Connection) -> None:
    """Put the words of all documents into PostgreSQL's index."""
    page = sa.text("SELECT number, text FROM documents WHERE number > :last ORDER BY number LIMIT :batch")
    put = sa.text("INSERT INTO document_words VALUES (:number, to_tsvector('simple', :words))")
    last = 0
    while rows := connection.execute(page, {"last": last, "batch": _BATCH}).all():
        words = [{"number": n, "words": " ".join(split_words(text[:SEARCHED_CHARACTERS]))} for n, text in rows]
        connection.execute(put, words)
        last = rows[-1][0]
