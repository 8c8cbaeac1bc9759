"""One writer a pull request on the whole fleet: who has the claim, and who may take it over."""

import threading

import pytest
import sqlalchemy as sa

from reknit.core.agents.call import AgentSettings
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_engine, open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.sample_tasks import FIX_PULL_REQUEST

API = "https://api.github.com"
ONE, TWO = f"{API} acme/shop#1", f"{API} acme/shop#2"
TESTS, AGENT = TestCommand("pytest", ("pytest",), "junit"), AgentSettings("claude", "claude")
ENDED = Ending("CLEAN", "all pass")


@pytest.fixture
def ledger(store: sa.Engine) -> SqlRunLedger:
    """With three runs that have claimed nothing yet."""
    ledger = SqlRunLedger(store)
    for name in ("r-a", "r-b", "r-c"):
        ledger.create(RunSpec(name, "/shop", "base", FIX_PULL_REQUEST, TESTS, (AGENT,)))
    return ledger


@pytest.fixture
def reader(store: sa.Engine) -> RunReader:
    return RunReader(store)


def test_the_first_has_it_and_may_ask_again(ledger: SqlRunLedger, reader: RunReader) -> None:
    assert reader.holder(ONE) == ""
    assert [ledger.claim(ONE, run_id) for run_id in ("r-a", "r-a", "r-b", "r-a")] == ["r-a"] * 4
    assert reader.holder(ONE) == "r-a"


def test_each_target_has_its_own_holder(ledger: SqlRunLedger, reader: RunReader) -> None:
    assert (ledger.claim(ONE, "r-a"), ledger.claim(TWO, "r-b")) == ("r-a", "r-b")
    assert (reader.holder(ONE), reader.holder(TWO)) == ("r-a", "r-b")


def test_another_takes_over_only_when_the_holder_has_ended(ledger: SqlRunLedger, reader: RunReader) -> None:
    ledger.claim(ONE, "r-a")
    ledger.set_interrupted("r-a")
    assert ledger.claim(ONE, "r-b") == "r-a"
    ledger.end("r-a", ENDED)
    assert reader.holder(ONE) == ""
    assert [ledger.claim(ONE, "r-b"), ledger.claim(ONE, "r-c")] == ["r-b", "r-b"]


def test_the_end_of_one_holder_frees_no_other_target(ledger: SqlRunLedger) -> None:
    ledger.claim(ONE, "r-a")
    ledger.claim(TWO, "r-b")
    ledger.end("r-a", ENDED)
    assert ledger.claim(TWO, "r-c") == "r-b"
    assert ledger.claim(ONE, "r-c") == "r-c"


def test_one_that_ended_takes_nothing_back(ledger: SqlRunLedger, reader: RunReader) -> None:
    """A step that is run again after a crash finds that another has the pull request now."""
    ledger.claim(ONE, "r-a")
    ledger.end("r-a", ENDED)
    ledger.claim(ONE, "r-b")
    assert ledger.claim(ONE, "r-a") == "r-b"
    assert reader.holder(ONE) == "r-b"


@pytest.mark.parametrize("taken", [False, True], ids=["nobody had it", "its holder has ended"])
def test_of_many_at_once_one_has_it(database_url: str, *, taken: bool) -> None:
    first = open_store(database_url)
    names = [f"r-{number}" for number in range(8)]
    for name in (*names, "r-old"):
        SqlRunLedger(first).create(RunSpec(name, "/shop", "base", FIX_PULL_REQUEST, TESTS, (AGENT,)))
    if taken:
        SqlRunLedger(first).claim(ONE, "r-old")
        SqlRunLedger(first).end("r-old", ENDED)
    told: dict[str, str] = {}
    together = threading.Barrier(len(names))

    def race(name: str) -> None:
        engine = open_engine(database_url)  # its own connection, as another worker has
        together.wait()
        told[name] = SqlRunLedger(engine).claim(ONE, name)
        engine.dispose()

    racers = [threading.Thread(target=race, args=(name,)) for name in names]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(timeout=60)
    winner = RunReader(first).holder(ONE)
    first.dispose()
    assert told == dict.fromkeys(names, winner)
    assert winner in names


def test_open_pulls_are_those_of_runs_that_have_not_ended(ledger: SqlRunLedger, reader: RunReader) -> None:
    for target, run_id in ((ONE, "r-a"), (TWO, "r-b")):
        ledger.claim(target, run_id)
    assert sorted(reader.open_pulls("acme/shop")) == [("r-a", 1), ("r-b", 2)]
    ledger.end("r-a", ENDED)
    assert reader.open_pulls("acme/shop") == [("r-b", 2)]


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        pytest.param("Acme/Shop_1", [("r-a", 412)], id="a forge knows no case"),
        pytest.param("acme/shop", [], id="not the beginning of a name"),
        pytest.param("me/shop_1", [], id="not the end of one"),
        pytest.param("acme/shopX1", [], id="an underscore stands for itself"),
        pytest.param("%", [], id="so does a percent sign"),
    ],
)
def test_a_repository_is_asked_for_by_its_whole_name(
    ledger: SqlRunLedger, reader: RunReader, slug: str, expected: list[tuple[str, int]]
) -> None:
    ledger.claim(f"{API} acme/shop_1#412", "r-a")
    assert reader.open_pulls(slug) == expected
