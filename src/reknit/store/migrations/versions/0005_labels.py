"""Labels of issues that a reviewer found: `SEC-001`, unique in a repository."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Frozen: later shapes are later migrations, whatever `store/tables.py` says by then."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    op.add_column("issues", sa.Column("label", sa.Text, nullable=False, server_default=""), schema=schema)
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
