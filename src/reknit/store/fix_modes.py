"""Stores the fix modes of agent windows: one row for each bug that a window works on."""

import json
from collections.abc import Callable

import sqlalchemy as sa

from reknit.core.errors import UsageError
from reknit.core.hook.mode import CheckResult, FixMode, parse_mode, to_mode_document
from reknit.store.tables import fix_modes
from reknit.store.transactions import RetryingTransactions

_c = fix_modes.c


class SqlFixModes:
    """The table of fix modes."""

    def __init__(self, engine: sa.Engine) -> None:
        self._tables = RetryingTransactions(engine)

    def add(self, mode: FixMode, spec: str) -> None:
        self._tables.add_once(fix_modes, id=mode.id, armed_at=mode.armed_at, spec=spec, **_row(mode))

    def spec(self, mode_id: str) -> str:
        text: str = self._tables.read(sa.select(_c.spec).where(_c.id == mode_id)) or ""
        return text

    def list_modes(self, repository: str, *, only_open: bool = True) -> list[FixMode]:
        """Return the fix modes of a repository, newest first."""
        query = sa.select(_c.body).where(_c.repository == repository).order_by(_c.armed_at.desc(), _c.id)
        query = query.where(_c.status == "in_progress") if only_open else query
        return [parse_mode(json.loads(row.body)) for row in self._tables.read_rows(query)]

    def change(self, mode_id: str, change: Callable[[FixMode], FixMode]) -> FixMode:
        """Change a fix mode in one transaction, so that two processes do not overwrite each other's changes."""

        def work(db: sa.Connection) -> FixMode:
            row = db.execute(sa.select(_c.body).where(_c.id == mode_id).with_for_update()).scalar_one_or_none()
            if row is None:
                raise UsageError("no-fix-mode", f"there is no fix mode {mode_id!r}", help="`reknit hook status`")
            mode = change(parse_mode(json.loads(row)))
            db.execute(sa.update(fix_modes).where(_c.id == mode_id).values(**_row(mode)))
            return mode

        return self._tables.run_in_transaction(work)

    def settle(self, mode_id: str, run_id: str, result: CheckResult) -> FixMode:
        return self.change(mode_id, lambda mode: mode.settle(run_id, result))


def _row(mode: FixMode) -> dict[str, str]:
    body = json.dumps(to_mode_document(mode), separators=(",", ":"))
    return {"repository": mode.repository, "status": mode.bug.status, "body": body}
