"""Our tables, with patience: a restart or a long lock of the database must not end a run."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

RETRY_AFTER_S = (0.1, 0.5, 2.0, 5.0, 10.0)
T = TypeVar("T")


class Patient:
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

        return _patiently(once)

    def read(self, query: sa.Executable) -> Any:
        """The one value it asks for, or None."""

        def once() -> Any:
            with self.engine.connect() as db:
                return db.execute(query).scalar_one_or_none()

        return _patiently(once)

    def together(self, work: Callable[[sa.Connection], T]) -> T:
        """All that `work` reads and writes is one transaction; it may be called again after a failure."""

        def once() -> T:
            with self._transaction() as db:
                return work(db)

        return _patiently(once)

    @contextlib.contextmanager
    def held(self) -> Iterator[sa.Connection]:
        """One transaction for as long as the caller needs it, patient only until it has begun."""
        with contextlib.ExitStack() as stack:
            yield _patiently(lambda: stack.enter_context(self._transaction()))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as db:
            if self.engine.dialect.name == "sqlite":
                db.exec_driver_sql("BEGIN IMMEDIATE")  # else it begins at the first write, after what was read
            yield db
            db.commit()


def _patiently(once: Callable[[], T]) -> T:
    pause = threading.Event()
    for wait_s in RETRY_AFTER_S:
        try:
            return once()
        except sa.exc.OperationalError:
            pause.wait(wait_s)
    return once()
