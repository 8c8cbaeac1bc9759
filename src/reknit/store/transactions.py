"""Runs transactions on our tables, and retries them while the database is unreachable or locked."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from reknit.core.errors import DatabaseError
from reknit.store.problems import database_problem

PATIENCE = "reknit_patience_s"
"""Execution option of an engine: for how many seconds its calls are retried."""
PATIENCE_S = 60.0
"""Default of that option."""
MAX_PAUSE_S = 1.0
T = TypeVar("T")


class RetryingTransactions:
    """Statements on our tables, each in a transaction that is retried."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        dialect: Any = sqlite if engine.dialect.name == "sqlite" else postgresql
        self.insert = dialect.insert

    def add_once(self, table: sa.Table, **values: Any) -> None:
        self.write(self.insert(table).values(**values).on_conflict_do_nothing())

    def put(self, table: sa.Table, keys: dict[str, Any], **values: Any) -> None:
        """Insert the row with these keys, or update it to these values."""
        statement = self.insert(table).values(**keys, **values)
        self.write(statement.on_conflict_do_update(index_elements=list(keys), set_=values))

    def write(self, *statements: sa.Executable) -> Any:
        """Run all statements in one transaction. Return the single value of the last one; None if it returns no row."""

        def once() -> Any:
            with self.engine.begin() as db:
                *_, last = [db.execute(statement) for statement in statements]
                return last.scalar_one_or_none() if last.returns_rows else None

        return call_with_retries(self.engine, once)

    def read(self, query: sa.Executable) -> Any:
        """Return the single value that the query selects, or None."""

        def once() -> Any:
            with self.engine.connect() as db:
                return db.execute(query).scalar_one_or_none()

        return call_with_retries(self.engine, once)

    def read_rows(self, query: sa.Executable) -> Sequence[Any]:
        def once() -> Sequence[Any]:
            with self.engine.connect() as db:
                return db.execute(query).all()

        return call_with_retries(self.engine, once)

    def run_in_transaction(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in one transaction. After a failure it may be called again."""

        def once() -> T:
            with self._transaction() as db:
                return work(db)

        return call_with_retries(self.engine, once)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Open one transaction for the block. Only its start is retried."""
        with contextlib.ExitStack() as stack:
            yield call_with_retries(self.engine, lambda: stack.enter_context(self._transaction()))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql(
                    "BEGIN IMMEDIATE"
                )  # otherwise the transaction begins at the first write, after the reads
            yield db
            db.commit()


def is_passing(error: Exception) -> bool:
    """Return True if the database is unreachable or locked, so that the same call may succeed a moment later."""
    problem = database_problem(error, "")
    return isinstance(problem, DatabaseError) and problem.passes


def disable_retries(engine: sa.Engine) -> sa.Engine:
    """Return an engine with the same connections for a caller that retries by itself."""
    return engine.execution_options(**{PATIENCE: 0.0})


def call_with_retries(engine: sa.Engine, once: Callable[[], T]) -> T:
    """Call `once`, and again while the database is unreachable. A process with a lease ends before the timeout."""
    pause, began, wait_s = threading.Event(), time.monotonic(), 0.1
    patience_s = float(engine.get_execution_options().get(PATIENCE, PATIENCE_S))
    while True:
        try:
            return once()
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, engine.dialect.loaded_dbapi.Error) as error:
            if not is_passing(error) or time.monotonic() - began >= patience_s:
                raise
        pause.wait(wait_s)
        wait_s = min(2 * wait_s, MAX_PAUSE_S)
