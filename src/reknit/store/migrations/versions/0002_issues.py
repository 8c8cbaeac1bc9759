"""Creates the tables of issues, imports and history, and the triggers through which only history changes a status."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

LEGAL = (
    "('OPEN', 'IN_PROGRESS'), ('OPEN', 'IGNORED'), ('OPEN', 'DUPLICATE'), ('IN_PROGRESS', 'RESOLVED'),"
    " ('IN_PROGRESS', 'FAILED'), ('IN_PROGRESS', 'OPEN'), ('FAILED', 'IN_PROGRESS'), ('FAILED', 'IGNORED'),"
    " ('FAILED', 'DUPLICATE'), ('RESOLVED', 'MERGED'), ('RESOLVED', 'OPEN'), ('MERGED', 'OPEN'),"
    " ('IGNORED', 'OPEN'), ('DUPLICATE', 'OPEN')"
)
APPLIED = """
    status = NEW.new_status, changes = NEW.number, changed_at = NEW.at,
    run_id = coalesce(NEW.run_id, run_id),
    commit_id = CASE NEW.new_status WHEN 'RESOLVED' THEN NEW.commit_id WHEN 'MERGED' THEN commit_id END,
    pull = NULL, duplicate_of = NULL
"""
FOLLOWS = "id = NEW.issue AND status = NEW.old_status AND changes = NEW.number - 1"
RECORDED = (
    "issue = NEW.id AND number = NEW.changes AND NEW.id = OLD.id AND NEW.changes = OLD.changes + 1"
    " AND old_status = OLD.status AND new_status = NEW.status"
)


def upgrade() -> None:
    """Create the tables. Never change this migration: add a new one if `store/tables.py` changes."""
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    schema = None if on_sqlite else "reknit"
    _create_imports(schema)
    _create_issues(schema)
    _create_issue_changes(schema, schema + ".issues.id" if schema else "issues.id")
    for statement in _sqlite_triggers() if on_sqlite else _postgres_triggers():
        op.execute(statement)


def _create_imports(schema: str | None) -> None:
    op.create_table(
        "imports",
        sa.Column("repository", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tools", sa.Text, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
        sa.Column("commit_id", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        schema=schema,
    )
    op.create_table(
        "newest_imports",
        sa.Column("repository", sa.Text, primary_key=True),
        sa.Column("tools", sa.Text, nullable=False),
        schema=schema,
    )


def _create_issues(schema: str | None) -> None:
    texts = ("path", "concept", "tool", "rule", "message", "url", "weight", "suggestion", "more")
    numbers = ("line", "col", "effort", "files", "first_import", "last_import", "changed_import")
    op.create_table(
        "issues",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False, server_default="OPEN"),
        sa.Column("changes", sa.Integer, nullable=False, server_default="0"),
        *(sa.Column(name, sa.Text, nullable=False) for name in texts),
        *(sa.Column(name, sa.Integer, nullable=False) for name in numbers),
        *(sa.Column(name, sa.LargeBinary, nullable=False) for name in ("wide", "own", "said")),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("created_at", "changed_at")),
        sa.Column("duplicate_of", sa.Integer),
        *(sa.Column(name, sa.Text) for name in ("run_id", "commit_id", "pull")),
        sa.Column("listed", sa.Integer, sa.Computed("id", persisted=True)),
        sa.Column("label", sa.Text, nullable=False, server_default=""),
        schema=schema,
    )
    op.create_index("issues_by_fingerprint", "issues", ["repository", "fingerprint"], unique=True, schema=schema)
    op.create_index("issues_by_status", "issues", ["repository", "status", "listed"], schema=schema)
    op.create_index("issues_by_path", "issues", ["repository", "path"], schema=schema)
    for name, column in (("issues_by_run", "run_id"), ("issues_by_commit", "commit_id")):
        known = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, "issues", [column], schema=schema, sqlite_where=known, postgresql_where=known)
    labelled = sa.text("label <> ''")
    op.create_index(
        "issues_by_label",
        "issues",
        ["repository", "label"],
        unique=True,
        schema=schema,
        sqlite_where=labelled,
        postgresql_where=labelled,
    )


def _create_issue_changes(schema: str | None, issue: str) -> None:
    op.create_table(
        "issue_changes",
        sa.Column("issue", sa.Integer, sa.ForeignKey(issue), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("old_status", "new_status", "who", "why")),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("run_id", sa.Text),
        sa.Column("commit_id", sa.Text),
        sa.CheckConstraint("new_status <> 'IN_PROGRESS' OR run_id IS NOT NULL", name="in_progress_by_a_run"),
        sa.CheckConstraint("new_status <> 'RESOLVED' OR commit_id IS NOT NULL", name="resolved_by_a_commit"),
        schema=schema,
    )


def _sqlite_triggers() -> list[str]:
    def refuse(name: str, moment: str, when: str, why: str) -> str:
        return f"CREATE TRIGGER {name} {moment} WHEN {when} BEGIN SELECT RAISE(ABORT, '{why}'); END"

    known = f"EXISTS (SELECT 1 FROM issue_changes WHERE {RECORDED})"  # noqa: S608 - words of our own
    fitting = f"EXISTS (SELECT 1 FROM issues WHERE {FOLLOWS})"  # noqa: S608 - words of our own
    pair = f"(NEW.old_status, NEW.new_status) IN (VALUES {LEGAL})"
    apply = f"UPDATE issues SET {APPLIED} WHERE id = NEW.issue"  # noqa: S608 - words of our own
    return [
        refuse("issues_begin", "AFTER INSERT ON issues", "NEW.status <> 'OPEN' OR NEW.changes <> 0", "begins OPEN"),
        refuse("issues_change", "BEFORE UPDATE OF id, status, changes ON issues", f"NOT {known}", "not in history"),
        refuse("history_legal", "BEFORE INSERT ON issue_changes", f"NOT {pair}", "no such transition"),
        refuse("history_follows", "BEFORE INSERT ON issue_changes", f"NOT {fitting}", "not the status it has"),
        f"CREATE TRIGGER history_applies AFTER INSERT ON issue_changes BEGIN {apply}; END",
        refuse("history_unchanged", "BEFORE UPDATE ON issue_changes", "TRUE", "history stays"),
        refuse("history_kept", "BEFORE DELETE ON issue_changes", "TRUE", "history stays"),
    ]


def _postgres_triggers() -> list[str]:
    def function(name: str, body: str) -> str:
        return f"CREATE FUNCTION reknit.{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"

    def trigger(name: str, moment: str, function: str, when: str = "TRUE") -> str:
        return f"CREATE TRIGGER {name} {moment} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION reknit.{function}"

    def refuse(why: str) -> str:
        return f"RAISE EXCEPTION '{why}' USING ERRCODE = 'integrity_constraint_violation';"

    pair = f"(NEW.old_status, NEW.new_status) IN ({LEGAL})"
    history, elsewhere = "reknit.issue_changes", "NEW.status <> 'OPEN' OR NEW.changes <> 0"
    apply = f"UPDATE reknit.issues SET {APPLIED} WHERE {FOLLOWS};"  # noqa: S608 - words of our own
    known = f"EXISTS (SELECT FROM {history} WHERE {RECORDED})"
    not_found = f"IF NOT FOUND THEN {refuse('not the status it has')} END IF;"
    return [
        function("issues_begin", refuse("begins OPEN")),
        function("issues_change", f"IF NOT {known} THEN {refuse('not in history')} END IF; RETURN NEW;"),
        function("history_legal", refuse("no such transition")),
        function("history_applies", f"{apply} {not_found} RETURN NULL;"),
        function("history_stays", refuse("history stays")),
        # AFTER, because COPY does not insert in bulk if there is a BEFORE trigger
        trigger("issues_begin", "AFTER INSERT ON reknit.issues", "issues_begin()", elsewhere),
        trigger("issues_change", "BEFORE UPDATE OF id, status, changes ON reknit.issues", "issues_change()"),
        trigger("history_legal", f"BEFORE INSERT ON {history}", "history_legal()", f"NOT {pair}"),
        trigger("history_applies", f"AFTER INSERT ON {history}", "history_applies()"),
        trigger("history_stays", f"BEFORE UPDATE OR DELETE ON {history}", "history_stays()"),
    ]
