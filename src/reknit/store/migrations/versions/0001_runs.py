"""Creates the tables of runs and their parts, of the work that processes share, and of fix modes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables. Never change this migration: add a new one if `store/tables.py` changes."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    run = schema + ".runs.id" if schema else "runs.id"
    _create_runs(schema)
    _create_run_tables(schema, run)
    _create_shared_tables(schema, run)
    _create_fix_modes(schema)


def _create_runs(schema: str | None) -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("base", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False, server_default=""),
        sa.Column("worker", sa.Text, nullable=False, server_default=""),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("until", sa.Float),
        sa.Column("ending", sa.Text),
        sa.Column("ending_detail", sa.Text),
        sa.Column("commit_id", sa.Text),
        sa.Column("spent_usd", sa.Float, nullable=False, server_default="0"),
        sa.Column("budget_usd", sa.Float, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("undone_at", sa.Float),
        schema=schema,
    )
    op.create_index("runs_by_age", "runs", ["created_at"], schema=schema)
    op.create_index("runs_by_repository", "runs", ["repository", "created_at"], schema=schema)


def _create_run_tables(schema: str | None, run: str) -> None:
    op.create_table(
        "attempts",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("finding", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("strategy", sa.Text, nullable=False),
        sa.Column("starts", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("gate", sa.Text),
        sa.Column("proof", sa.Text),
        sa.Column("said", sa.Text),
        sa.Column("cost_usd", sa.Float),
        sa.Column("tokens", sa.Integer),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("agent", sa.Text),
        schema=schema,
    )
    op.create_table(
        "receipts",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("finding", sa.Text, primary_key=True),
        sa.Column("commit_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        schema=schema,
    )
    op.create_table(
        "events",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "key"),
        schema=schema,
    )
    op.create_table(
        "documents",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        schema=schema,
    )
    op.create_table(
        "calls",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("call", sa.Text, primary_key=True),
        sa.Column("usd", sa.Float, nullable=False),
        sa.Column("held_usd", sa.Float, nullable=False),
        schema=schema,
    )


def _create_shared_tables(schema: str | None, run: str) -> None:
    op.create_table(
        "slots",
        sa.Column("pool", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text),
        sa.Column("expires_at", sa.Float, nullable=False),
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
    op.create_table(
        "claims",
        sa.Column("target", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), nullable=False),
        schema=schema,
    )
    op.create_table(
        "queued",
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), primary_key=True),
        sa.Column("pool", sa.Text, nullable=False),
        schema=schema,
    )


def _create_fix_modes(schema: str | None) -> None:
    op.create_table(
        "fix_modes",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("armed_at", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("spec", sa.Text, nullable=False),
        schema=schema,
    )
    op.create_index("fix_modes_by_repository", "fix_modes", ["repository", "status"], schema=schema)
