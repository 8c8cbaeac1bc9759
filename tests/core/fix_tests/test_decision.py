"""The decision of the loop: the first matching row wins, and it always stops."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agents.call import Aborted, Done, Outcome, RateLimited, Unusable, Usage
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.decision import StopRepair, begin, decide, should_recheck
from reknit.core.fix_tests.progress import Attempt, RepairProgress, Try
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import EXIT_CODES
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import ProofWord
from reknit.core.testing.report import WHOLE_SUITE

ONE = Finding("T-1", "tests", "test-failed", "t::one")
TWO = Finding("T-2", "tests", "test-failed", "t::two")
START = RepairProgress(AgentRotation(("claude",)), (ONE, TWO), "base")
PAIR = replace(START, rotation=AgentRotation(("claude", "gemini")))
NOT_NOW = RateLimited("rate_limited", 99.0)
NOT_TAKEN = Unusable("auth", "401")
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
    return Attempt(1, finding.id, "local", outcome or Done(), proof, done, usage, seconds, "")


def silent() -> Attempt:
    return replace(tried(outcome=Aborted("idle")), idle=True)


def after(*attempts: Attempt, start: RepairProgress = START) -> RepairProgress:
    for attempt in attempts:
        start = start.add_attempt(attempt, "head", start.spent_usd + attempt.usage.cost_usd)
    return start


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        pytest.param(START, Try(ONE, 1, "local", "claude"), id="the first finding is tried with the code alone"),
        pytest.param(after(tried()), Try(ONE, 2, "search", "claude"), id="the second attempt may search"),
        pytest.param(
            after(tried(), tried()), Try(TWO, 3, "local", "claude"), id="the next finding starts with the code alone"
        ),
        pytest.param(
            after(tried(proof="proven")), Try(TWO, 2, "local", "claude"), id="a fixed finding is not tried again"
        ),
        pytest.param(
            after(tried(proof="unproven")), Try(TWO, 2, "local", "claude"), id="an unproven fix is not tried again"
        ),
        pytest.param(
            START.with_wait(RateLimited("overloaded"), 1.0, 0.0).after_wait("claude", NOT_NOW, 30.0),
            Try(ONE, 1, "local", "claude"),
            id="a wait is not an attempt",
        ),
        pytest.param(
            PAIR.with_wait(RateLimited("overloaded"), 1.0, 0.0).after_wait("claude", NOT_NOW, 0.0),
            Try(ONE, 1, "local", "gemini"),
            id="another agent takes over",
        ),
        pytest.param(
            PAIR.after_wait("claude", NOT_NOW, 0.0).after_wait("gemini", NOT_NOW, 0.0),
            Try(ONE, 1, "local", "claude"),
            id="when all are tired the first is asked again",
        ),
        pytest.param(
            after(tried(), start=PAIR.after_wait("claude", NOT_NOW, 0.0)),
            Try(ONE, 2, "search", "claude"),
            id="after an attempt the first is back",
        ),
        pytest.param(
            START.with_block("claude", Unusable("auth", "401"), 0.0),
            Try(ONE, 1, "local", "claude"),
            id="a key that is not taken is tried again",
        ),
        pytest.param(
            PAIR.with_block("claude", Unusable("login", "no key"), 0.0),
            Try(ONE, 1, "local", "gemini"),
            id="an agent that a person must act for is left out",
        ),
        pytest.param(after(silent()), Try(ONE, 2, "local", "claude"), id="silence is counted apart"),
        pytest.param(
            after(silent(), silent(), silent()), Try(ONE, 4, "search", "claude"), id="too much silence is an attempt"
        ),
    ],
)
def test_what_is_tried_next(progress: RepairProgress, expected: Try) -> None:
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
            "tried",
            ("T-1", "T-2"),
            id="the attempts are used up",
        ),
        pytest.param(
            after(tried(), tried(), tried(TWO), tried(TWO, outcome=Aborted("crashed"))),
            "DEFERRED",
            "",
            ("T-1", "T-2"),
            id="a crash at the end is no answer to remember",
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
            START.with_wait(RateLimited("overloaded"), 1.0, 2.0),
            "OVER_BUDGET",
            "",
            ("T-1", "T-2"),
            id="a refused call may cost too",
        ),
        pytest.param(
            after(tried(outcome=Aborted("budget"))),
            "OVER_BUDGET",
            "",
            ("T-1", "T-2"),
            id="the gateway stopped the agent",
        ),
        pytest.param(after(tried(seconds=100)), "EXHAUSTED", "", ("T-1", "T-2"), id="the time is used up"),
        pytest.param(
            replace(START, rotation=AgentRotation(("claude",), waits=3)),
            "BLOCKED",
            "provider",
            ("T-1", "T-2"),
            id="the provider never says yes",
        ),
        pytest.param(
            START.with_block("claude", NOT_TAKEN, 0.0)
            .with_block("claude", NOT_TAKEN, 0.0)
            .with_block("claude", NOT_TAKEN, 0.0),
            "BLOCKED",
            "login",
            ("T-1", "T-2"),
            id="the key was not taken three times",
        ),
        pytest.param(
            START.with_block("claude", Unusable("login", "no key"), 0.0),
            "BLOCKED",
            "login",
            ("T-1", "T-2"),
            id="there is no key",
        ),
        pytest.param(
            START.with_block("claude", Unusable("config", "no model"), 0.0),
            "BLOCKED",
            "agent",
            ("T-1", "T-2"),
            id="the agent could not start",
        ),
    ],
)
def test_how_it_ends(progress: RepairProgress, word: str, cause: str, left: tuple[str, ...]) -> None:
    decision = decide(progress, LIMITS)
    assert isinstance(decision, StopRepair)
    ending = decision.ending
    assert (ending.word, ending.cause, ending.left) == (word, cause, left)
    assert {*ending.fixed, *ending.left} == {"T-1", "T-2"}


def test_a_run_that_had_no_money_for_its_next_request_says_so() -> None:
    decision = decide(after(tried(outcome=Aborted("budget", "a request may cost $0.60"))), LIMITS)
    assert isinstance(decision, StopRepair)
    assert decision.ending.reason == "$0.10 of $1.00 spent or reserved; a request may cost $0.60"


def test_a_wait_is_no_part_of_a_row_of_refused_keys() -> None:
    twice = START.with_block("claude", NOT_TAKEN, 0.0).with_block("claude", NOT_TAKEN, 0.0)
    again = twice.with_wait(NOT_NOW, 1.0, 0.0).after_wait("claude", NOT_NOW, 30.0).with_block("claude", NOT_TAKEN, 0.0)
    assert isinstance(decide(again, LIMITS), Try)


def test_only_waits_without_a_time_make_the_next_one_longer() -> None:
    waited = START.with_wait(NOT_NOW, 1.0, 0.0).with_wait(RateLimited("overloaded"), 1.0, 0.0)
    assert (waited.rotation.waits, waited.rotation.unnamed_waits) == (2, 1)
    assert after(tried(), start=waited).rotation.unnamed_waits == 0


def test_money_that_was_counted_once_stays_counted() -> None:
    assert replace(START, spent_usd=0.5).with_wait(NOT_NOW, 1.0, 0.0).spent_usd == 0.5


def test_a_fix_that_only_an_exit_code_shows_is_named_in_the_ending() -> None:
    both = [replace(tried(finding, "proven"), by_exit_code=finding is TWO) for finding in (ONE, TWO)]
    stop = decide(after(*both), LIMITS)
    assert isinstance(stop, StopRepair)
    assert stop.ending.reason == "everything asked for is fixed and proven, by exit code"


def test_an_exit_code_that_proves_nothing_says_why() -> None:
    said = "UNPROVEN by exit code: the command does not fail when its test files do"
    stop = decide(after(*(replace(tried(finding, "unproven"), sentence=said) for finding in (ONE, TWO))), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.reason) == ("UNVERIFIED", said)


def test_a_deferred_run_names_the_strategies_it_used() -> None:
    attempts = [replace(tried(), strategy=word) for word in ("local", "search", "deep")]
    decision = decide(after(*attempts, start=replace(START, findings=(ONE,))), Limits())
    assert isinstance(decision, StopRepair)
    assert decision.ending.reason == "3 attempts (local, search, deep) did not repair it"


def test_a_change_that_was_refused_though_it_was_green_is_told_as_such() -> None:
    refused = replace(tried(proof="refused"), sentence="tampering seen by the check twins: a copy passes too")
    decision = decide(after(refused, refused, refused, start=replace(START, findings=(ONE,))), Limits())
    assert isinstance(decision, StopRepair)
    assert decision.ending.reason == (
        "3 attempts (local); the last one turned its tests green, but was refused (`reknit explain twins`): "
        "tampering seen by the check twins: a copy passes too"
    )


@pytest.mark.parametrize(
    ("baseline", "word"),
    [
        pytest.param(Baseline("unseen", "junit", why="no report"), "UNVERIFIED", id="not seen is not clean"),
        pytest.param(Baseline("green", "junit", passing_count=3), "CLEAN", id="green is clean"),
    ],
)
def test_a_run_without_red_tests_ends_at_once(baseline: Baseline, word: str) -> None:
    where = begin(baseline, "base", ("claude",))
    assert isinstance(where, StopRepair)
    assert where.ending.word == word


@pytest.mark.parametrize(
    ("baseline", "reason"),
    [
        pytest.param(Baseline("green", "junit", passing_count=3), "no test fails at abcdefa: 3 pass", id="all"),
        pytest.param(
            Baseline("green", "junit", has_requested_tests=True), "no test that you named fails at abcdefa", id="named"
        ),
        pytest.param(
            Baseline("green", "junit", has_requested_tests=True, red_elsewhere=("t::b",)),
            "no test that you named fails at abcdefa; red, but not asked for: t::b",
            id="others are red",
        ),
    ],
)
def test_what_is_clean_is_said(baseline: Baseline, reason: str) -> None:
    where = begin(baseline, "abcdefabc", ("claude",))
    assert isinstance(where, StopRepair)
    assert where.ending.reason == reason


def test_a_test_that_was_flaky_on_base_is_named_in_the_ending() -> None:
    where = begin(Baseline("red", "junit", (ONE,), flaky=("t::f",)), "base", ("a",))
    stop = decide(after(tried(proof="proven"), start=where), LIMITS) if isinstance(where, RepairProgress) else where
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.reason.endswith("; flaky, left out: t::f")) == ("FIXED", True)


def test_a_run_with_red_tests_begins_at_its_base() -> None:
    assert begin(Baseline("red", "junit", (ONE,)), "base", ("a",)) == RepairProgress(
        AgentRotation(("a",)), (ONE,), "base"
    )


def test_what_a_run_already_gave_up_on_is_not_paid_for_again() -> None:
    where = begin(Baseline("red", "junit", (ONE,), answered_by="r-0001"), "base", ("claude",))
    assert isinstance(where, StopRepair)
    assert (where.ending.word, where.ending.cause, where.ending.left) == ("DEFERRED", "remembered", ("T-1",))
    assert "r-0001" in where.ending.reason


@pytest.mark.parametrize(
    ("progress", "wait_s", "expected"),
    [
        pytest.param(PAIR, 61.0, True, id="a long wait, and another is ready"),
        pytest.param(PAIR, 60.0, False, id="a short wait is waited out"),
        pytest.param(START, 999.0, False, id="there is no other"),
        pytest.param(PAIR.after_wait("gemini", NOT_NOW, 0.0), 999.0, False, id="the other one is tired too"),
    ],
)
def test_when_another_agent_takes_over(progress: RepairProgress, wait_s: float, expected: bool) -> None:
    assert progress.rotation.should_fall_over("claude", wait_s, Limits()) is expected


OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(
    [
        Done(),
        Done(),
        Aborted("timeout"),
        Aborted("budget"),
        RateLimited("rate_limited"),
        RateLimited("overloaded", 5.0),
        Unusable("auth"),
        Unusable("config"),
        Aborted("idle"),
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
    progress, moves = RepairProgress(AgentRotation(("claude", "gemini")), findings, "base"), 0
    while isinstance(move := decide(progress, limits), Try):
        moves += 1
        assert moves <= 3 * (attempts + limits.idles) * count + waits + 1 + 2 * 3
        assert move.finding in progress.remaining
        progress = _played(data, progress, move)
    ending = move.ending
    assert ending.word in EXIT_CODES
    assert sorted((*ending.fixed, *ending.left)) == sorted(finding.id for finding in findings)
    assert (ending.word == "FIXED") == (not ending.left)


def _played(data: st.DataObject, progress: RepairProgress, move: Try) -> RepairProgress:
    outcome = data.draw(OUTCOMES)
    usage = Usage(cost_usd=data.draw(st.sampled_from([0.0, 0.3])))
    spent_usd = progress.spent_usd + usage.cost_usd
    if isinstance(outcome, RateLimited):
        waited = progress.with_wait(outcome, 1.0, spent_usd)
        wait_s = data.draw(st.sampled_from([0.0, 30.0])) if len(progress.rotation.ready) > 1 else 30.0
        return waited.after_wait(move.agent, outcome, wait_s)
    if isinstance(outcome, Unusable):
        return progress.with_block(move.agent, outcome, spent_usd)
    word = data.draw(PROOFS)
    fixed = (move.finding.subject,) if word == "proven" else ()
    seconds = data.draw(st.sampled_from([0.0, 20.0]))
    idle = outcome == Aborted("idle")
    attempt = Attempt(move.number, move.finding.id, move.strategy, outcome, word, fixed, usage, seconds, "", idle)
    return progress.add_attempt(attempt, "head", spent_usd)


GROUP = replace(ONE, also=("t::three", "t::four"))
OF_GROUP = replace(START, findings=(GROUP, TWO))


def test_a_finding_with_several_tests_is_worked_on_until_all_are_green() -> None:
    some = tried(GROUP, "proven", fixed=("t::one", "t::four"))
    assert after(some, start=OF_GROUP).remaining == (replace(ONE, subject="t::three"), TWO)
    move = decide(after(tried(GROUP), some, tried(GROUP), start=OF_GROUP), replace(LIMITS, attempts=2))
    assert isinstance(move, Try)
    assert (move.finding.subject, move.strategy) == ("t::three", "search")
    done = after(tried(GROUP, "proven", fixed=GROUP.tests), tried(TWO, "proven"), start=OF_GROUP)
    stop = decide(done, LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.fixed, done.landed) == ("FIXED", ("T-1", "T-2"), 2)


def test_a_finding_in_doubt_gets_one_attempt() -> None:
    doubtful = replace(START, doubtful=("T-1",))
    assert doubtful.limit_tries(ONE, LIMITS) == 1
    assert decide(after(tried(), start=doubtful), LIMITS) == Try(TWO, 2, "local", "claude")


def test_the_ending_names_the_doubt_of_what_is_left() -> None:
    doubts = ((("t::one",), "acme is not installed", "`pip install acme`"),)
    baseline = Baseline("red", "junit", (ONE,), doubtful=("T-1",), doubts=doubts)
    start = begin(baseline, "base", ("claude",))
    assert isinstance(start, RepairProgress)
    failed, fixed = (
        decide(after(tried(), start=start), LIMITS),
        decide(after(tried(proof="proven"), start=start), LIMITS),
    )
    assert isinstance(failed, StopRepair)
    assert isinstance(fixed, StopRepair)
    assert failed.ending.word == "DEFERRED"
    assert "because the environment may be at fault: acme is not installed; `pip install acme`" in failed.ending.reason
    assert "in doubt" not in fixed.ending.reason


@pytest.mark.parametrize(
    ("attempts", "word", "said"),
    [
        pytest.param([tried(proof="unseen")], "UNVERIFIED", "no further attempt was made", id="at once"),
        pytest.param([tried(proof="proven"), tried(TWO, "unseen")], "PARTIAL", "gave no result", id="after a fix"),
    ],
)
def test_a_verification_that_could_not_be_seen_ends_the_run(attempts: list[Attempt], word: str, said: str) -> None:
    stop = decide(after(*attempts), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, said in stop.ending.reason) == (word, True)


@pytest.mark.parametrize(
    ("attempts", "word"),
    [
        pytest.param([tried(), tried(), tried(TWO)], "DEFERRED", id="nothing landed"),
        pytest.param([tried(proof="proven"), *[tried(TWO)] * 3], "PARTIAL", id="a fix landed before"),
        pytest.param([tried(), silent(), tried(), tried()], "DEFERRED", id="an idle call does not count"),
    ],
)
def test_attempts_in_a_row_that_land_nothing_end_the_run(attempts: list[Attempt], word: str) -> None:
    limits = replace(LIMITS, attempts=9, fruitless=3, budget_usd=9.0)
    stop = decide(after(*attempts), limits)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, "loop.fruitless" in stop.ending.reason, stop.ending.cause) == (word, True, "")


LEFT_OUT = ((("t::net", "t::far"), "the tests need the network", "mock it"),)


def test_what_the_environment_broke_blocks_a_run_that_has_nothing_else_to_do() -> None:
    where = begin(Baseline("blocked", "junit", left_out=LEFT_OUT), "base", ("claude",))
    assert isinstance(where, StopRepair)
    reason = "2 tests, not the code's fault (t::net, t::far): the tests need the network; mock it"
    assert (where.ending.word, where.ending.cause, where.ending.reason) == ("BLOCKED", "environment", reason)


def test_a_named_test_that_was_left_out_is_not_fixed() -> None:
    start = replace(START, left_out=LEFT_OUT, has_requested_tests=True)
    stop = decide(after(tried(proof="proven"), tried(TWO, "proven"), start=start), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, "t::net" in stop.ending.reason) == ("PARTIAL", True)


def test_a_test_that_turned_out_flaky_while_a_fix_was_proven_is_named() -> None:
    proven = replace(tried(proof="proven"), flaky=("t::luck",))
    stop = decide(after(proven, tried(TWO, "proven")), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.reason.endswith("flaky, left out: t::luck")) == ("FIXED", True)


def test_what_was_left_out_is_named_in_every_other_ending() -> None:
    stop = decide(after(tried(proof="proven"), tried(TWO, "proven"), start=replace(START, left_out=LEFT_OUT)), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, "left out: 2 tests" in stop.ending.reason) == ("FIXED", True)


def test_a_verdict_of_a_flaky_suite_is_not_remembered() -> None:
    shaky = replace(tried(), flaky=("t::other",))
    stop = decide(after(tried(), shaky, tried(TWO), tried(TWO)), LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.cause) == ("DEFERRED", "")


def test_a_finding_that_turns_out_to_be_flaky_is_neither_tried_nor_fixed() -> None:
    progress = after(tried(TWO, "proven")).leave_out_flaky(("t::one",))
    stop = decide(progress, LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.fixed, stop.ending.left) == ("FIXED", ("T-2",), ())
    assert stop.ending.reason.endswith("; flaky, left out: t::one")


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        pytest.param(
            START.leave_out_flaky(("t::one", "t::two")), "flaky, so no fix could be proven: t::one, t::two", id="looks"
        ),
        pytest.param(
            after(replace(tried(proof="unproven"), flaky=("t::one",))).leave_out_flaky(("t::two",)),
            "UNPROVEN: the test passes without the fix too",
            id="green on the very tree it was red on",
        ),
    ],
)
def test_a_run_with_nothing_but_flaky_findings_proves_nothing(progress: RepairProgress, reason: str) -> None:
    stop = decide(progress, LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, stop.ending.reason) == ("UNVERIFIED", reason)


def test_a_finding_is_looked_at_again_before_every_attempt_but_the_first() -> None:
    assert [should_recheck(progress) for progress in (START, after(tried()))] == [False, True]


def test_a_named_test_that_turns_out_to_be_flaky_was_not_fixed() -> None:
    named = replace(after(tried(TWO, "proven")), has_requested_tests=True).leave_out_flaky(("t::one",))
    stop = decide(named, LIMITS)
    assert isinstance(stop, StopRepair)
    assert (stop.ending.word, "t::one" in stop.ending.reason) == ("PARTIAL", True)


LOCKED = (("protected-config", "uv.lock"),)
ASKED = replace(START, waivers=Waivers(ends_at_once=True))


def test_what_only_a_person_may_allow_is_not_paid_for_twice_and_the_others_go_on() -> None:
    refused = replace(tried(proof=None), waivers=LOCKED, at_once=True)
    progress = after(refused, start=ASKED)
    assert decide(progress, LIMITS) == Try(TWO, 2, "local", "claude")
    both = after(refused, replace(tried(TWO, None), waivers=LOCKED, at_once=True), start=ASKED)
    stopped = decide(both, LIMITS)
    assert isinstance(stopped, StopRepair)
    assert (stopped.ending.word, stopped.ending.cause) == ("BLOCKED", "waiver")
    assert stopped.ending.reason.endswith("add `--allow protected-config:uv.lock`")


def test_a_changed_test_is_tried_once_more() -> None:
    refused = replace(tried(proof=None), waivers=(("protected-test", "tests/test_a.py"),))
    one = replace(ASKED, findings=(ONE,))
    limits = replace(LIMITS, attempts=3)
    assert decide(after(refused, start=one), limits) == Try(ONE, 2, "search", "claude")
    stopped = decide(after(refused, refused, start=one), limits)
    assert isinstance(stopped, StopRepair)
    assert stopped.ending.word == "BLOCKED"


def test_when_the_attempts_are_used_up_it_says_what_the_last_change_would_have_needed() -> None:
    refused = replace(tried(proof=None), waivers=(("protected-config", "tsconfig.json"),))
    stopped = decide(after(refused, start=replace(ASKED, findings=(ONE,))), replace(LIMITS, attempts=1))
    assert isinstance(stopped, StopRepair)
    assert stopped.ending.word == "DEFERRED"
    assert stopped.ending.reason.endswith("; the last change would need `--allow protected-config:tsconfig.json`")


def test_what_was_fixed_beside_it_makes_it_partial() -> None:
    progress = after(replace(tried(proof=None), waivers=LOCKED, at_once=True), tried(TWO, "proven"), start=ASKED)
    stopped = decide(progress, LIMITS)
    assert isinstance(stopped, StopRepair)
    assert stopped.ending.word == "PARTIAL"
    assert "--allow protected-config:uv.lock" in stopped.ending.reason


def test_a_suite_that_calls_its_lockfile_stale_is_not_paid_for() -> None:
    suite = replace(ONE, subject=WHOLE_SUITE, message="error: The lockfile at `uv.lock` needs to be updated")
    stopped = decide(replace(ASKED, findings=(suite,)), LIMITS)
    assert isinstance(stopped, StopRepair)
    assert (stopped.ending.word, stopped.ending.cause) == ("BLOCKED", "waiver")
    typed = Waivers((Waiver("protected-config", "uv.lock"),), ends_at_once=True)
    assert isinstance(decide(replace(START, findings=(suite,), waivers=typed), LIMITS), Try)
    assert isinstance(decide(replace(START, findings=(suite,)), LIMITS), Try)


def test_a_hold_out_that_disagrees_ends_the_run_with_its_cases() -> None:
    said = "UNPROVEN by hold-out: of 1 further case by codex, which has not seen the fix, 1 failed with it: t::b"
    move = decide(after(replace(tried(proof="unproven"), sentence=said), start=replace(START, findings=(ONE,))), LIMITS)
    assert isinstance(move, StopRepair)
    assert (move.ending.word, move.ending.reason, move.ending.fixed) == ("UNVERIFIED", said, ())
