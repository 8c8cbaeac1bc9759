"""Writes to our tables: an insert that knows its dialect, and patience with a database that is away for a moment."""

import threading
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

RETRY_AFTER_S = (0.1, 0.5, 2.0, 5.0, 10.0)


class Writer:
    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        dialect: Any = sqlite if engine.dialect.name == "sqlite" else postgresql
        self.insert = dialect.insert

    def add_once(self, table: sa.Table, **values: Any) -> None:
        self.write(self.insert(table).values(**values).on_conflict_do_nothing())

    def put(self, table: sa.Table, keys: dict[str, Any], **values: Any) -> None:
        """The row with these keys has these values afterwards, whether it was there or not."""
        statement = self.insert(table).values(**keys, **values)
        self.write(statement.on_conflict_do_update(index_elements=list(keys), set_=values))

    def write(self, *statements: sa.Executable) -> Any:
        """In one transaction; the first column of the last one's first row, if it returns rows.

        A restart or a long lock of the database must not end a run.
        """
        pause = threading.Event()
        for wait_s in RETRY_AFTER_S:
            try:
                return self._once(statements)
            except sa.exc.OperationalError:
                pause.wait(wait_s)
        return self._once(statements)

    def _once(self, statements: tuple[sa.Executable, ...]) -> Any:
        with self.engine.begin() as db:
            *_, last = [db.execute(statement) for statement in statements]
            return last.scalar_one_or_none() if last.returns_rows else None
