"""Adds the indexes of the dashboard's pages, the time at which a run left the inbox, and the audit trail."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

INDEXES = {
    "runs_open": ("created_at", "ending IS NULL"),
    "runs_unsettled": ("ended_at", "ending IN ('BLOCKED', 'UNVERIFIED', 'DEFERRED') AND settled_at IS NULL"),
    "runs_landed": ("ended_at", "commit_id IS NOT NULL AND ended_at IS NOT NULL"),
}


def upgrade() -> None:
    """Add them. Never change this migration: add a new one if `store/tables.py` changes."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    op.add_column("runs", sa.Column("settled_at", sa.Float), schema=schema)
    for name, (time, rows) in INDEXES.items():
        where = sa.text(rows)
        op.create_index(name, "runs", [time, "id"], schema=schema, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("who", "source", "action", "target")),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        schema=schema,
    )
