"""One writer a pull request: which run has it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Frozen: later shapes are later migrations, whatever `store/tables.py` says by then."""
    schema = None if op.get_bind().dialect.name == "sqlite" else "reknit"
    run = schema + ".runs.id" if schema else "runs.id"
    op.create_table(
        "claims",
        sa.Column("target", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, sa.ForeignKey(run), nullable=False),
        schema=schema,
    )
