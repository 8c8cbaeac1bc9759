"""Our tables, with patience: a database that is away or locked is waited for, anything else is told at once."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from reknit.core.errors import DatabaseProblem
from reknit.store.problems import database_problem

PATIENCE = "reknit_patience_s"
"""The execution option of an engine that says how long an absence is waited for."""
PATIENCE_S = 60.0
LONGEST_PAUSE_S = 1.0
T = TypeVar("T")


class RetryingTransactions:
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
        """In one transaction; the first column of the last one's first row, if it returns rows."""

        def once() -> Any:
            with self.engine.begin() as db:
                *_, last = [db.execute(statement) for statement in statements]
                return last.scalar_one_or_none() if last.returns_rows else None

        return patiently(self.engine, once)

    def read(self, query: sa.Executable) -> Any:
        """The one value it asks for, or None."""

        def once() -> Any:
            with self.engine.connect() as db:
                return db.execute(query).scalar_one_or_none()

        return patiently(self.engine, once)

    def rows(self, query: sa.Executable) -> Sequence[Any]:
        def once() -> Sequence[Any]:
            with self.engine.connect() as db:
                return db.execute(query).all()

        return patiently(self.engine, once)

    def together(self, work: Callable[[sa.Connection], T]) -> T:
        """All that `work` reads and writes is one transaction; it may be called again after a failure."""

        def once() -> T:
            with self._transaction() as db:
                return work(db)

        return patiently(self.engine, once)

    @contextlib.contextmanager
    def held(self) -> Iterator[sa.Connection]:
        """One transaction for as long as the caller needs it, patient only until it has begun."""
        with contextlib.ExitStack() as stack:
            yield patiently(self.engine, lambda: stack.enter_context(self._transaction()))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")  # else it begins at the first write, after what was read
            yield db
            db.commit()


def is_passing(error: Exception) -> bool:
    """The database is away or locked: the same call may succeed a moment later."""
    problem = database_problem(error, "")
    return isinstance(problem, DatabaseProblem) and problem.passes


def without_patience(engine: sa.Engine) -> sa.Engine:
    """The same connections, for whoever does the waiting itself."""
    return engine.execution_options(**{PATIENCE: 0.0})


def patiently(engine: sa.Engine, once: Callable[[], T]) -> T:
    """Calls it again while the database is away. Where a lease is held, its watchdog ends the process before this."""
    pause, began, wait_s = threading.Event(), time.monotonic(), 0.1
    patience_s = float(engine.get_execution_options().get(PATIENCE, PATIENCE_S))
    while True:
        try:
            return once()
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, engine.dialect.loaded_dbapi.Error) as error:
            if not is_passing(error) or time.monotonic() - began >= patience_s:
                raise
        pause.wait(wait_s)
        wait_s = min(2 * wait_s, LONGEST_PAUSE_S)
