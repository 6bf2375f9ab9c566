"""Tables of a project in a database, as the newest migration leaves them.

Migrations make the tables; a test compares the two. The index for full-text search differs between databases and
stands in the migrations alone.
"""

from __future__ import annotations

import sqlalchemy as sa

# The newest migration. Kept here so that a project that is up to date opens without Alembic.
VERSION = "0002"
VERSION_TABLE = "wayword_version"
# "Wayw" in ASCII: marks an SQLite file as a project.
APPLICATION_ID = 0x57617977

metadata = sa.MetaData()
# SQLite takes only INTEGER for the number of a row.
_number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("number", _number, primary_key=True, autoincrement=False),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("exact", sa.LargeBinary),
    sa.Column("labels", sa.Text, nullable=False),
    sa.Column("metadata", sa.Text, nullable=False),
)
acts = sa.Table(
    "acts",
    metadata,
    sa.Column("number", _number, primary_key=True, autoincrement=False),
    sa.Column("act_id", sa.Text, nullable=False, unique=True),
    sa.Column("annotator", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
arrays = sa.Table(
    "arrays",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
snapshots = sa.Table(
    "snapshots",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("number", _number, primary_key=True, autoincrement=False),
    sa.Column("state", sa.Text, nullable=False),
)
annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("details", sa.Text, nullable=False),
)
settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
claims = sa.Table(
    "claims",
    metadata,
    sa.Column("document", sa.Text, primary_key=True),
    sa.Column("annotator", sa.Text, primary_key=True),
    # Seconds since 1970; null once settled.
    sa.Column("until", sa.Double),
)
