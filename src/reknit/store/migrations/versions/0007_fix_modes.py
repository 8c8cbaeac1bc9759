"""Bugs that windows of agents work on."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Frozen: later shapes are later migrations, whatever `store/tables.py` says by then."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
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
