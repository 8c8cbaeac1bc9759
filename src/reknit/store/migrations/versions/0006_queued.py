"""Runs that wait for a worker and are not known to the engine yet."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Frozen: later shapes are later migrations, whatever `store/tables.py` says by then."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    run = "runs.id" if schema is None else "reknit.runs.id"
    op.create_table(
        "queued",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("pool", sa.Text, nullable=False),
        schema=schema,
    )
