"""Our tables. On Postgres they stand in their own schema `reknit`, on SQLite beside the engine's."""

import sqlalchemy as sa

SCHEMA = "reknit"
metadata = sa.MetaData(schema=SCHEMA)

runs = sa.Table(
    "runs",
    metadata,
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
)
sa.Index("runs_by_age", runs.c.created_at)
sa.Index("runs_by_repository", runs.c.repository, runs.c.created_at)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("finding", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("strategy", sa.Text, nullable=False),
    sa.Column("agent", sa.Text),
    sa.Column("starts", sa.Integer, nullable=False),
    sa.Column("outcome", sa.Text),
    sa.Column("gate", sa.Text),
    sa.Column("proof", sa.Text),
    sa.Column("said", sa.Text),
    sa.Column("cost_usd", sa.Float),
    sa.Column("tokens", sa.Integer),
    sa.Column("started_at", sa.Float, nullable=False),
    sa.Column("ended_at", sa.Float),
)

receipts = sa.Table(
    "receipts",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("finding", sa.Text, primary_key=True),
    sa.Column("commit_id", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.UniqueConstraint("run_id", "key"),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
)

slots = sa.Table(
    "slots",
    metadata,
    sa.Column("pool", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("owner", sa.Text),
    sa.Column("expires_at", sa.Float, nullable=False),
)

calls = sa.Table(
    "calls",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("call", sa.Text, primary_key=True),
    sa.Column("usd", sa.Float, nullable=False),
    sa.Column("held_usd", sa.Float, nullable=False),
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("until", sa.Float, nullable=False),
    sa.Column("strikes", sa.Integer, nullable=False),
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("question", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), nullable=False),
)

claims = sa.Table(
    "claims",
    metadata,
    sa.Column("target", sa.Text, primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), nullable=False),
)
