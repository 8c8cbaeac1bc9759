"""The ledger: each write may happen twice and changes nothing then; the first ending stays. Read back as it was."""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
import sqlalchemy as sa

from reknit.core.agents.call import AgentCall, AgentSettings, Done, Unusable, Usage
from reknit.core.errors import InternalError, UsageError
from reknit.core.finding import Finding
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import Receipt
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.spending import Spending
from reknit.core.testing.command import TestCommand
from reknit.core.testing.proof import Proof
from reknit.store import tables
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader

TESTS = TestCommand("pytest", ("pytest", "-q"), "junit")
FINDING = Finding("T-1", "tests", "test-failed", "t::one")
CALL = AgentCall(Done(), Usage(input_tokens=5, output_tokens=2, cost_usd=0.5), 1.0, "Fixed.")
GATE = GateVerdict((Refusal("too-much", "a.py", "too much"),), ("too-much",), 1, 2, 3)
PROOF = Proof("proven", "3 passed", "junit", fixed=("t::one",))
RECEIPT = Receipt(
    finding="T-1", tests=("t::one",), base="base", commit="commit", tree="tree", attempt=1, strategy="local",
    agent="claude", evidence="junit", red_before="red", green_after="green", red_without="red again", gate="gate",
    rules=("too-much",), box="bubblewrap", cost_usd=0.5, command=("pytest",),
)  # fmt: skip


def spec(run_id: str = "r-abc123", created_at: float = 100.0, repository: str = "/shop") -> RunSpec:
    agent = AgentSettings("claude", "claude")
    return RunSpec(run_id, repository, "base", FixTests(), TESTS, (agent,), created_at=created_at)


@pytest.fixture
def ledger(store: sa.Engine) -> SqlRunLedger:
    ledger = SqlRunLedger(store)
    ledger.create(spec())
    return ledger


def everything(ledger: SqlRunLedger) -> dict[str, list[Any]]:
    with ledger.engine.connect() as db:
        return {table.name: list(db.execute(sa.select(table)).all()) for table in tables.metadata.sorted_tables}


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda ledger: ledger.create(spec()), id="creating the run"),
        pytest.param(lambda ledger: ledger.set_phase("r-abc123", "attempt"), id="the phase"),
        pytest.param(lambda ledger: ledger.set_waiting("r-abc123", "limit", 9.0), id="waiting"),
        pytest.param(lambda ledger: ledger.set_running("r-abc123"), id="running"),
        pytest.param(lambda ledger: ledger.set_interrupted("r-abc123"), id="interrupted"),
        pytest.param(lambda ledger: ledger.end_attempt("r-abc123", 1, CALL, GATE, PROOF), id="an attempt's end"),
        pytest.param(lambda ledger: ledger.put_receipt("r-abc123", RECEIPT), id="a receipt"),
        pytest.param(lambda ledger: ledger.charge("r-abc123", "attempt-1-1", 0.5), id="the money"),
        pytest.param(lambda ledger: ledger.end("r-abc123", Ending("FIXED", "all")), id="the ending"),
        pytest.param(lambda ledger: ledger.set_undone("r-abc123"), id="the undoing"),
        pytest.param(
            lambda ledger: ledger.put_event("r-abc123", "started", Event("started", "note", "r", "text")), id="an event"
        ),
        pytest.param(lambda ledger: ledger.record_answer("question", "r-abc123"), id="an answer"),
        pytest.param(lambda ledger: ledger.put_document("r-abc123", "spec", "{}"), id="a document"),
    ],
)
def test_a_write_that_happens_twice_changes_nothing(
    ledger: SqlRunLedger, write: Callable[[SqlRunLedger], None]
) -> None:
    ledger.start_attempt("r-abc123", 1, FINDING, "local", "claude")
    write(ledger)
    once = everything(ledger)
    write(ledger)
    assert everything(ledger) == once


def test_the_first_ending_stays_and_nothing_moves_an_ended_run(ledger: SqlRunLedger) -> None:
    ledger.end("r-abc123", Ending("CANCELLED", "by a person"))
    ended = RunReader(ledger.engine).run("r-abc123")
    ledger.end("r-abc123", Ending("FIXED", "all"))
    ledger.set_phase("r-abc123", "land")
    ledger.set_waiting("r-abc123", "limit", 9.0)
    ledger.set_running("r-abc123")
    ledger.set_interrupted("r-abc123")
    assert RunReader(ledger.engine).run("r-abc123") == ended
    assert (ended.state, ended.ending, ended.reason) == ("ended", "CANCELLED", "by a person")


def test_a_step_that_ran_again_tells_what_it_saw_then(ledger: SqlRunLedger) -> None:
    for text in ("first", "second"):
        ledger.put_event("r-abc123", "gate-1", Event("gate", "ok", "gate", text, {"text": text}))
    [seen] = RunReader(ledger.engine).events("r-abc123")
    assert seen.event == Event("gate", "ok", "gate", "second", {"text": "second"})


def test_an_attempt_that_starts_again_is_counted_and_keeps_its_first_end(ledger: SqlRunLedger) -> None:
    starts = [ledger.start_attempt("r-abc123", 1, FINDING, "local", agent) for agent in ("claude", "gemini")]
    assert starts == [1, 2]
    ledger.end_attempt("r-abc123", 1, CALL, GATE, PROOF)
    ledger.end_attempt("r-abc123", 1, AgentCall(Done()), None, None)
    [attempt] = RunReader(ledger.engine).attempts("r-abc123")
    assert (attempt.starts, attempt.outcome, attempt.tokens, attempt.cost_usd) == (2, "done", 7, 0.5)
    assert attempt.gate is not None
    assert attempt.gate["refusals"] == [{"rule": "too-much", "path": "a.py", "sentence": "too much"}]
    assert attempt.proof is not None
    assert attempt.proof["fixed"] == ["t::one"]


def test_an_attempt_that_could_not_begin_and_is_started_again_has_the_later_end(ledger: SqlRunLedger) -> None:
    ledger.start_attempt("r-abc123", 1, FINDING, "local", "claude")
    ledger.end_attempt("r-abc123", 1, AgentCall(Unusable("auth")), None, None)
    ledger.start_attempt("r-abc123", 1, FINDING, "local", "gemini")
    ledger.end_attempt("r-abc123", 1, CALL, GATE, PROOF)
    [attempt] = RunReader(ledger.engine).attempts("r-abc123")
    assert (attempt.outcome, attempt.cost_usd, attempt.starts) == ("done", 0.5, 2)


def test_an_attempt_that_was_not_judged_has_neither_gate_nor_proof(ledger: SqlRunLedger) -> None:
    ledger.start_attempt("r-abc123", 1, FINDING, "local", "claude")
    ledger.end_attempt("r-abc123", 1, CALL, None, None)
    [attempt] = RunReader(ledger.engine).attempts("r-abc123")
    assert (attempt.gate, attempt.proof) == (None, None)


def test_a_run_is_read_back_as_it_was_written(ledger: SqlRunLedger) -> None:
    ledger.set_waiting("r-abc123", "for the limit", 9.0)
    ledger.charge("r-abc123", "attempt-1-1", 0.5)
    ledger.put_receipt("r-abc123", RECEIPT)
    run = RunReader(ledger.engine).run("r-abc123")
    assert (run.state, run.reason, run.until, run.spent_usd, run.commit) == (
        "waiting",
        "for the limit",
        9.0,
        0.5,
        "commit",
    )
    assert (run.kind, run.budget_usd, run.created_at, run.ending) == ("fix tests", 5.0, 100.0, None)
    assert run.spec["tests"]["argv"] == ["pytest", "-q"]  # type: ignore[index]
    [receipt] = RunReader(ledger.engine).receipts("r-abc123")
    assert (receipt["commit"], receipt["rules"]) == ("commit", ["too-much"])


def test_going_on_clears_the_reason_of_the_wait(ledger: SqlRunLedger) -> None:
    ledger.set_waiting("r-abc123", "for the limit", 9.0)
    ledger.set_phase("r-abc123", "attempt")
    run = RunReader(ledger.engine).run("r-abc123")
    assert (run.state, run.reason, run.until, run.phase) == ("running", "", None, "attempt")


def test_documents_are_replaced_by_name(ledger: SqlRunLedger) -> None:
    ledger.put_document("r-abc123", "baseline", "old")
    ledger.put_document("r-abc123", "baseline", "new")
    assert ledger.document("r-abc123", "baseline") == "new"
    assert ledger.document("r-abc123", "nothing") == ""


def test_every_call_is_counted_also_one_that_a_crash_cut_off(ledger: SqlRunLedger) -> None:
    ledger.charge("r-abc123", "attempt-1-1", 0.25, 0.5)  # set aside, and then the worker died
    ledger.charge("r-abc123", "attempt-1-2", 0.0, 0.5)
    ledger.charge("r-abc123", "attempt-1-2", 0.125)
    assert ledger.total_cost("r-abc123") == 0.875
    [run] = RunReader(ledger.engine).runs()
    assert (run.spent_usd, run.held_usd) == (0.375, 0.5)
    assert ledger.read_spending("r-abc123") == Spending(0.375, 5.0, 0.5)
    assert ledger.read_spending("r-unknown") == Spending(0.0, 0.0, 0.0)


def test_a_question_is_answered_by_the_last_run_that_did(ledger: SqlRunLedger) -> None:
    assert ledger.find_answer("question") == ""
    ledger.create(spec("r-2"))
    for run_id in ("r-abc123", "r-2"):
        ledger.record_answer("question", run_id)
    assert ledger.find_answer("question") == "r-2"


def test_events_are_read_from_where_one_stopped(ledger: SqlRunLedger) -> None:
    for key in "abc":
        ledger.put_event("r-abc123", key, Event("gate", "ok", "gate", key))
    reader = RunReader(ledger.engine)
    first, *rest = reader.events("r-abc123")
    assert reader.events("r-abc123", after=first.number) == rest
    assert [seen.event.text for seen in rest] == ["b", "c"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("r-abc123", "r-abc123", id="by its id"),
        pytest.param("abc123", "r-abc123", id="without its r-"),
        pytest.param("r-abc1", "r-abc123", id="by the beginning of its id"),
        pytest.param("r-abd", "r-abd", id="by its id although others begin so"),
    ],
)
def test_a_run_is_found_by_what_people_type(ledger: SqlRunLedger, asked: str, found: str) -> None:
    for run_id in ("r-abd9", "r-abd8", "r-abd7", "r-abd"):
        ledger.create(spec(run_id))
    assert RunReader(ledger.engine).run(asked).id == found


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        pytest.param("r-zzz", "no run 'r-zzz'", id="nobody knows it"),
        pytest.param("r-ab", "matches several runs", id="several begin so"),
        pytest.param("%", "no run '%'", id="a wildcard is only a letter"),
    ],
)
def test_an_unclear_run_is_refused(ledger: SqlRunLedger, asked: str, what: str) -> None:
    ledger.create(spec("r-abd999"))
    with pytest.raises(UsageError, match="run") as caught:
        RunReader(ledger.engine).run(asked)
    assert what in caught.value.message
    assert caught.value.help


def test_runs_are_listed_newest_first_and_by_repository(ledger: SqlRunLedger) -> None:
    ledger.create(spec("r-2", 300.0, "/other"))
    ledger.create(spec("r-3", 200.0))
    reader = RunReader(ledger.engine)
    assert [run.id for run in reader.runs()] == ["r-2", "r-3", "r-abc123"]
    assert [run.id for run in reader.runs(repository="/shop", limit=1)] == ["r-3"]
    assert [run.id for run in reader.runs(but_kinds=["hook check"])] == ["r-2", "r-3", "r-abc123"]
    assert not reader.runs(but_kinds=[reader.run("r-2").kind, "hook check"])


def test_a_run_of_an_earlier_release_is_the_same_run(ledger: SqlRunLedger) -> None:
    """Its record lacks the fields that came later."""
    with ledger.engine.begin() as db:
        known = json.loads(db.execute(sa.select(tables.runs.c.spec)).scalar_one())
        del known["waivers"], known["limits"]["idles"]
        db.execute(sa.update(tables.runs).values(spec=json.dumps(known)))
    ledger.create(spec())


def test_another_run_under_the_same_id_is_refused(ledger: SqlRunLedger) -> None:
    ledger.create(spec())
    with pytest.raises(InternalError, match="another run already has the id r-abc123"):
        ledger.create(spec(created_at=101.0))


def test_a_database_that_is_away_for_a_moment_ends_nothing(ledger: SqlRunLedger) -> None:
    away = [True]

    def refuse_once(*_: Any) -> None:
        if away:
            away.clear()
            raise _lost(ledger.engine)

    sa.event.listen(ledger.engine, "do_execute", refuse_once)
    ledger.set_phase("r-abc123", "verify")
    sa.event.remove(ledger.engine, "do_execute", refuse_once)
    assert away == []
    assert RunReader(ledger.engine).run("r-abc123").phase == "verify"


def _lost(engine: sa.Engine) -> Exception:
    """What the driver says when its server has gone, or when another process holds the file."""
    lost: Any = engine.dialect.dbapi.OperationalError("the connection is lost")  # type: ignore[union-attr]
    lost.sqlite_errorname = "SQLITE_BUSY"
    return cast("Exception", lost)


def test_a_step_beside_the_one_that_parked_a_run_does_not_start_it_again(ledger: SqlRunLedger) -> None:
    ledger.set_interrupted("r-abc123", "the repository is gone")
    ledger.set_phase("r-abc123", "measure")
    ledger.set_waiting("r-abc123", "limit", 9.0)
    run = RunReader(ledger.engine).run("r-abc123")
    assert (run.state, run.reason) == ("interrupted", "the repository is gone")
    ledger.set_running("r-abc123")
    ledger.set_phase("r-abc123", "measure")
    assert RunReader(ledger.engine).run("r-abc123").state == "running"
