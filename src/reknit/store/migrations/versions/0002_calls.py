"""Money by agent call, limits of provider accounts, and what is remembered of an unchanged tree."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Frozen: later shapes are later migrations, whatever `store/tables.py` says by then."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    run = schema + ".runs.id" if schema else "runs.id"
    op.add_column("attempts", sa.Column("agent", sa.Text), schema=schema)
    op.create_table(
        "calls",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("call", sa.Text, primary_key=True),
        sa.Column("usd", sa.Float, nullable=False),
        sa.Column("held_usd", sa.Float, nullable=False),
        schema=schema,
    )
    op.create_table(
        "accounts",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("strikes", sa.Integer, nullable=False),
        schema=schema,
    )
    op.create_table(
        "memories",
        sa.Column("question", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), nullable=False),
        schema=schema,
    )
    of = f"{schema}." if schema else ""
    spent = f"SELECT id, 'before', spent_usd, 0 FROM {of}runs WHERE spent_usd > 0"  # noqa: S608 - words of our own
    op.execute(f"INSERT INTO {of}calls (run_id, call, usd, held_usd) {spent}")  # so that it stays counted
