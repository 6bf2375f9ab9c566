"""Steps that bring projects of older versions up to date, run by Alembic."""
