"""Defines our tables. On Postgres they are in the schema `reknit`, on SQLite beside the engine's tables."""

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
    sa.Column("settled_at", sa.Float),
)
"""`settled_at`: when a person took the run out of the inbox."""
sa.Index("runs_by_age", runs.c.created_at)
sa.Index("runs_by_repository", runs.c.repository, runs.c.created_at)
OPEN_RUN = runs.c.ending.is_(None)
UNSETTLED_RUN = sa.and_(
    runs.c.ending.in_([sa.literal_column(f"'{word}'") for word in ("BLOCKED", "UNVERIFIED", "DEFERRED")]),
    runs.c.settled_at.is_(None),
)
"""Runs that need a person. The words are no parameters: SQLite would not use the index then."""

LANDED_RUN = sa.and_(runs.c.commit_id.is_not(None), runs.c.ended_at.is_not(None))
for _name, _time, _rows in (
    ("runs_open", runs.c.created_at, OPEN_RUN),
    ("runs_unsettled", runs.c.ended_at, UNSETTLED_RUN),
    ("runs_landed", runs.c.ended_at, LANDED_RUN),
):
    sa.Index(_name, _time, runs.c.id, sqlite_where=_rows, postgresql_where=_rows)  # the pages of the dashboard

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

queued = sa.Table(
    "queued",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey(runs.c.id), primary_key=True),
    sa.Column("pool", sa.Text, nullable=False),
)
"""Runs that wait for a worker; the engine does not know them yet."""

fix_modes = sa.Table(
    "fix_modes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("armed_at", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("spec", sa.Text, nullable=False),
)
"""`body`: the whole `FixMode` as JSON. `spec`: the spec of its checks, which does not change after the start."""
sa.Index("fix_modes_by_repository", fix_modes.c.repository, fix_modes.c.status)

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

imports = sa.Table(
    "imports",
    metadata,
    sa.Column("repository", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("tools", sa.Text, nullable=False),
    sa.Column("names", sa.Text, nullable=False),
    sa.Column("commit_id", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

newest_imports = sa.Table(
    "newest_imports",
    metadata,
    sa.Column("repository", sa.Text, primary_key=True),
    sa.Column("tools", sa.Text, nullable=False),
)
"""`tools`: the number of each tool's newest import, as JSON."""

issues = sa.Table(
    "issues",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("repository", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, server_default="OPEN"),
    sa.Column("changes", sa.Integer, nullable=False, server_default="0"),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("line", sa.Integer, nullable=False),
    sa.Column("col", sa.Integer, nullable=False),
    sa.Column("concept", sa.Text, nullable=False),
    sa.Column("wide", sa.LargeBinary, nullable=False),
    sa.Column("own", sa.LargeBinary, nullable=False),
    sa.Column("said", sa.LargeBinary, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("rule", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("weight", sa.Text, nullable=False),
    sa.Column("suggestion", sa.Text, nullable=False),
    sa.Column("effort", sa.Integer, nullable=False),
    sa.Column("files", sa.Integer, nullable=False),
    sa.Column("more", sa.Text, nullable=False),
    sa.Column("first_import", sa.Integer, nullable=False),
    sa.Column("last_import", sa.Integer, nullable=False),
    sa.Column("changed_import", sa.Integer, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("changed_at", sa.Float, nullable=False),
    sa.Column("duplicate_of", sa.Integer),
    sa.Column("run_id", sa.Text),
    sa.Column("commit_id", sa.Text),
    sa.Column("pull", sa.Text),
    sa.Column("listed", sa.Integer, sa.Computed("id", persisted=True)),
    sa.Column("label", sa.Text, nullable=False, server_default=""),
)
"""`more`: sources after the first one, as JSON, usually empty. `changes`: number of rows in `issue_changes`.

`listed`: a copy of the id, by which lists are ordered. To order by the id itself, Postgres may scan the primary key and
read the issues of other repositories and statuses. For this column only the index that separates them fits.
"""
sa.Index("issues_by_fingerprint", issues.c.repository, issues.c.fingerprint, unique=True)
sa.Index("issues_by_status", issues.c.repository, issues.c.status, issues.c.listed)
sa.Index("issues_by_path", issues.c.repository, issues.c.path)
for _name, _column in (("issues_by_run", issues.c.run_id), ("issues_by_commit", issues.c.commit_id)):
    _set = _column.is_not(None)  # an import sets neither column, so these indexes do not slow it down
    sa.Index(_name, _column, sqlite_where=_set, postgresql_where=_set)

_labelled = issues.c.label != ""
sa.Index(
    "issues_by_label", issues.c.repository, issues.c.label, unique=True,
    sqlite_where=_labelled, postgresql_where=_labelled,
)  # fmt: skip

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)
"""Each action that somebody asked for over the web, whether it was `accepted` or `refused`."""

issue_changes = sa.Table(
    "issue_changes",
    metadata,
    sa.Column("issue", sa.Integer, sa.ForeignKey(issues.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("old_status", sa.Text, nullable=False),
    sa.Column("new_status", sa.Text, nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("run_id", sa.Text),
    sa.Column("commit_id", sa.Text),
    sa.CheckConstraint("new_status <> 'IN_PROGRESS' OR run_id IS NOT NULL", name="in_progress_by_a_run"),
    sa.CheckConstraint("new_status <> 'RESOLVED' OR commit_id IS NOT NULL", name="resolved_by_a_commit"),
)
"""History. To change a status, insert a row here: a trigger applies it to the issue. Others refuse direct changes."""
