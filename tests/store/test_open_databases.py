"""Whatever a command opened is closed after it."""

import contextvars
import gc
import weakref
from pathlib import Path

import pytest

from reknit.store.database import open_engine
from reknit.store.open_databases import closing_databases, forget, register
from tests.tools.open_connections import open_connections


def test_what_is_opened_in_a_block_is_closed_after_it(database_url: str) -> None:
    with closing_databases():
        with open_connections() as left:
            open_engine(database_url).connect().close()
        assert len(left) == 1, "it is in the pool"
    with open_connections() as left, closing_databases():
        open_engine(database_url).connect().close()
    assert not left
    with open_connections() as left, pytest.raises(KeyError), closing_databases():
        open_engine(database_url).connect().close()
        raise KeyError
    assert not left


def test_what_was_closed_is_not_kept(tmp_path: Path) -> None:
    with closing_databases():
        engine = weakref.ref(open_engine(f"sqlite:///{tmp_path}/reknit.sqlite"))
        held = engine()
        assert held
        held.dispose()
        del held
        gc.collect()
        assert engine() is None


def test_blocks_inside_blocks_close_their_own(tmp_path: Path) -> None:
    with closing_databases():
        with open_connections() as left:
            open_engine(f"sqlite:///{tmp_path}/outer").connect().close()
            with closing_databases():
                open_engine(f"sqlite:///{tmp_path}/inner").connect().close()
        assert len(left) == 1, "the outer one is still open"


def test_outside_of_a_block_nothing_is_kept() -> None:
    class Counted:
        closed = 0

        def dispose(self) -> None:
            self.closed += 1

    def opened(database: Counted) -> None:
        register(database)
        forget(database)
        register(database)

    alone, inside = Counted(), Counted()
    contextvars.Context().run(opened, alone)
    with closing_databases():
        opened(inside)
    assert (alone.closed, inside.closed) == (0, 1)
