"""The decision of the loop: the first matching row wins, and it always stops."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agent_call import Broke, Done, Limited, Outcome, Refused, Usage
from reknit.core.baseline import Baseline
from reknit.core.endings import EXIT_CODES
from reknit.core.findings import Finding
from reknit.core.limits import Limits
from reknit.core.repair import (
    Attempt,
    Progress,
    Stop,
    Try,
    begin,
    decide,
    finished_attempt,
    wait_seconds,
)
from reknit.core.verdict import GateVerdict, Proof, ProofWord, Refusal

ONE = Finding("T-1", "tests", "test-failed", "t::one")
TWO = Finding("T-2", "tests", "test-failed", "t::two")
START = Progress((ONE, TWO), "base")
LIMITS = Limits(attempts=2, budget_usd=1.0, timeout_s=100.0, waits=2)


def tried(
    finding: Finding = ONE,
    proof: ProofWord | None = "still_red",
    *,
    usd: float = 0.1,
    seconds: float = 1.0,
    outcome: Outcome | None = None,
    fixed: tuple[str, ...] | None = None,
) -> Attempt:
    done = fixed if fixed is not None else (finding.subject,) if proof == "proven" else ()
    usage = Usage(cost_usd=usd)
    return Attempt(1, finding.id, "local", outcome or Done(), (), proof, done, usage, seconds, "")


def after(*attempts: Attempt, start: Progress = START) -> Progress:
    for attempt in attempts:
        start = start.with_attempt(attempt, "head")
    return start


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        pytest.param(START, Try(ONE, 1, "local"), id="the first finding is tried with the code alone"),
        pytest.param(after(tried()), Try(ONE, 2, "search"), id="the second attempt may search"),
        pytest.param(after(tried(), tried()), Try(TWO, 3, "local"), id="the next finding starts with the code alone"),
        pytest.param(after(tried(proof="proven")), Try(TWO, 2, "local"), id="a fixed finding is not tried again"),
        pytest.param(after(tried(proof="unproven")), Try(TWO, 2, "local"), id="an unproven fix is not tried again"),
        pytest.param(
            START.with_wait(Limited("overloaded"), Usage(), 1.0), Try(ONE, 1, "local"), id="a wait is not an attempt"
        ),
    ],
)
def test_what_is_tried_next(progress: Progress, expected: Try) -> None:
    assert decide(progress, LIMITS) == expected


@pytest.mark.parametrize(
    ("progress", "word", "cause", "left"),
    [
        pytest.param(after(tried(proof="proven"), tried(TWO, "proven")), "FIXED", "", (), id="all is proven"),
        pytest.param(
            after(tried(proof="proven", fixed=("t::one", "t::two"))), "FIXED", "", (), id="one fix may mend both"
        ),
        pytest.param(
            after(tried(proof="proven"), tried(TWO, "proven", usd=9)),
            "FIXED",
            "",
            (),
            id="fixed at last, whatever it cost",
        ),
        pytest.param(
            after(
                tried(proof="proven", fixed=("t::one", "t::two")), start=replace(START, unprovable=("t::now_and_then",))
            ),
            "PARTIAL",
            "",
            (),
            id="a flaky test that was asked for is not fixed",
        ),
        pytest.param(
            after(tried(proof="proven"), tried(TWO), tried(TWO)), "PARTIAL", "", ("T-2",), id="one of two is proven"
        ),
        pytest.param(
            after(tried(), tried(), tried(TWO), tried(TWO)),
            "DEFERRED",
            "",
            ("T-1", "T-2"),
            id="the attempts are used up",
        ),
        pytest.param(
            after(tried(proof="unproven"), tried(TWO), tried(TWO)),
            "UNVERIFIED",
            "",
            ("T-1", "T-2"),
            id="a fix that could not be proven is not green",
        ),
        pytest.param(
            after(tried(proof="unseen"), tried(proof="unseen"), tried(TWO), tried(TWO)),
            "UNVERIFIED",
            "",
            ("T-1", "T-2"),
            id="tests that could not be seen are not green",
        ),
        pytest.param(after(tried(usd=1.0)), "OVER_BUDGET", "", ("T-1", "T-2"), id="the money is spent"),
        pytest.param(
            START.with_wait(Limited("overloaded"), Usage(cost_usd=2), 1.0),
            "OVER_BUDGET",
            "",
            ("T-1", "T-2"),
            id="a refused call may cost too",
        ),
        pytest.param(
            after(tried(outcome=Broke("budget"))), "OVER_BUDGET", "", ("T-1", "T-2"), id="the gateway stopped the agent"
        ),
        pytest.param(after(tried(seconds=100)), "EXHAUSTED", "", ("T-1", "T-2"), id="the time is used up"),
        pytest.param(replace(START, waits=3), "BLOCKED", "provider", ("T-1", "T-2"), id="the provider never says yes"),
        pytest.param(
            START.with_block(Refused("auth", "401"), Usage()),
            "BLOCKED",
            "login",
            ("T-1", "T-2"),
            id="a login is needed",
        ),
        pytest.param(
            START.with_block(Refused("config", "no model"), Usage()),
            "BLOCKED",
            "agent",
            ("T-1", "T-2"),
            id="the agent could not start",
        ),
    ],
)
def test_how_it_ends(progress: Progress, word: str, cause: str, left: tuple[str, ...]) -> None:
    decision = decide(progress, LIMITS)
    assert isinstance(decision, Stop)
    ending = decision.ending
    assert (ending.word, ending.cause, ending.left) == (word, cause, left)
    assert {*ending.fixed, *ending.left} == {"T-1", "T-2"}


def test_a_deferred_run_names_the_strategies_it_used() -> None:
    attempts = [replace(tried(), strategy=word) for word in ("local", "search", "deep")]
    decision = decide(after(*attempts, start=Progress((ONE,), "base")), Limits())
    assert isinstance(decision, Stop)
    assert decision.ending.reason == "3 attempts (local, search, deep) did not repair it"


@pytest.mark.parametrize(
    ("baseline", "word"),
    [
        pytest.param(Baseline("unseen", "junit", why="no report"), "UNVERIFIED", id="not seen is not clean"),
        pytest.param(Baseline("green", "junit", passing_count=3), "CLEAN", id="green is clean"),
    ],
)
def test_a_run_without_red_tests_ends_at_once(baseline: Baseline, word: str) -> None:
    where = begin(baseline, "base")
    assert isinstance(where, Stop)
    assert where.ending.word == word


def test_a_run_with_red_tests_begins_at_its_base() -> None:
    assert begin(Baseline("red", "junit", (ONE,)), "base") == Progress((ONE,), "base")


@pytest.mark.parametrize(
    ("limited", "waits", "expected"),
    [
        pytest.param(Limited("overloaded"), 0, 30.0, id="the first wait"),
        pytest.param(Limited("overloaded"), 2, 120.0, id="it doubles"),
        pytest.param(Limited("overloaded"), 500, 3600.0, id="never more than an hour"),
        pytest.param(Limited("rate_limited", until=1050.0), 9, 50.0, id="the provider named a time"),
        pytest.param(Limited("rate_limited", until=900.0), 0, 1.0, id="that time is over: a moment all the same"),
    ],
)
def test_how_long_a_wait_is(limited: Limited, waits: int, expected: float) -> None:
    assert wait_seconds(limited, waits, Limits(), now=1000.0) == expected


def test_a_refused_attempt_remembers_each_rule_once_and_fixes_nothing() -> None:
    gate = GateVerdict((Refusal("a", "x", "one"), Refusal("a", "y", "two"), Refusal("b", "y", "three")), (), 1, 1, 1)
    attempt = finished_attempt(Try(ONE, 1, "local"), Done(), Usage(), 2.0, gate, None)
    assert (attempt.refused_by, attempt.proof, attempt.fixed, attempt.seconds) == (("a", "b"), None, (), 2.0)


@pytest.mark.parametrize(
    ("word", "fixed"),
    [
        pytest.param("proven", ("t::one",), id="proven counts"),
        pytest.param("regressed", (), id="a regression fixes nothing, whatever it turned green"),
    ],
)
def test_only_a_proven_attempt_fixes(word: ProofWord, fixed: tuple[str, ...]) -> None:
    proof = Proof(word, "said", "junit", fixed=("t::one",), seconds=3.0)
    attempt = finished_attempt(Try(ONE, 1, "local"), Done(), Usage(), 2.0, GateVerdict((), (), 1, 1, 1), proof)
    assert (attempt.fixed, attempt.seconds) == (fixed, 5.0)


OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(
    [
        Done(),
        Done(),
        Broke("timeout"),
        Broke("budget"),
        Limited("rate_limited"),
        Limited("overloaded", 5.0),
        Refused("auth"),
    ]
)
PROOFS: st.SearchStrategy[ProofWord | None] = st.sampled_from(
    [None, "proven", "unproven", "still_red", "regressed", "unseen"]
)


@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.integers(0, 4))
def test_it_always_stops_within_its_limits_whatever_comes(
    data: st.DataObject, count: int, attempts: int, waits: int
) -> None:
    findings = tuple(Finding(f"T-{number}", "tests", "r", f"t::{number}") for number in range(count))
    limits = Limits(attempts=attempts, waits=waits, budget_usd=1.0, timeout_s=50.0)
    progress, moves = Progress(findings, "base"), 0
    while isinstance(move := decide(progress, limits), Try):
        moves += 1
        assert moves <= attempts * count + waits + 1
        assert move.finding in progress.left
        progress = _played(data, progress, move)
    ending = move.ending
    assert ending.word in EXIT_CODES
    assert sorted((*ending.fixed, *ending.left)) == sorted(finding.id for finding in findings)
    assert (ending.word == "FIXED") == (not ending.left)


def _played(data: st.DataObject, progress: Progress, move: Try) -> Progress:
    outcome = data.draw(OUTCOMES)
    usage = Usage(cost_usd=data.draw(st.sampled_from([0.0, 0.3])))
    if isinstance(outcome, Limited):
        return progress.with_wait(outcome, usage, 1.0)
    if isinstance(outcome, Refused):
        return progress.with_block(outcome, usage)
    word = data.draw(PROOFS)
    fixed = (move.finding.subject,) if word == "proven" else ()
    seconds = data.draw(st.sampled_from([0.0, 20.0]))
    attempt = Attempt(move.number, move.finding.id, move.strategy, outcome, (), word, fixed, usage, seconds, "")
    return progress.with_attempt(attempt, "head")
