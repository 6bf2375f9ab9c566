"""What Alembic runs to migrate a project: on the connection it is given, inside the transaction that is open."""

from __future__ import annotations

from alembic import context


def run() -> None:
    """Run the migrations that are asked for."""
    attributes = context.config.attributes
    context.configure(connection=attributes["connection"], version_table=attributes["version_table"])
    with context.begin_transaction():
        context.run_migrations()


# The name under which Alembic loads this file; importing it otherwise does nothing.
if __name__ == "env_py":
    run()
