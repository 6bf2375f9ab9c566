"""Documents, acts, arrays, snapshots, annotators and settings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of the first version."""
    op.create_table(
        "documents",
        sa.Column("number", _number, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("exact", sa.LargeBinary),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
    )
    op.create_table(
        "acts",
        sa.Column("number", _number, primary_key=True, autoincrement=False),
        sa.Column("act_id", sa.Text, nullable=False, unique=True),
        sa.Column("annotator", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "arrays",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "snapshots",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("number", _number, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    for name, column in (("annotators", "details"), ("settings", "value")):
        op.create_table(name, sa.Column("name", sa.Text, primary_key=True), sa.Column(column, sa.Text, nullable=False))
