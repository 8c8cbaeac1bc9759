"""Runs the migrations on the connection that `store/database.py` passes in."""

from alembic import context

from reknit.store.tables import SCHEMA, metadata

connection = context.config.attributes["connection"]
on_sqlite = connection.dialect.name == "sqlite"
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table="reknit_version",
    version_table_schema=None if on_sqlite else SCHEMA,
    include_schemas=not on_sqlite,
    render_as_batch=on_sqlite,
)
with context.begin_transaction():
    context.run_migrations()
