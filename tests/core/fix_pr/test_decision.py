"""What a pull-request run does next: each ending and which of them comes first, and what a fix is about."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import Aborted, Unusable
from reknit.core.causes.cause import LeftOut
from reknit.core.checks.status import FinishedStatus, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.decision import (
    count_round,
    list_failures,
    name_failures,
    set_aside_stale_locks,
    stop_for_waivers,
)
from reknit.core.fix_pr.state import Fix, PullRunState, StopPullRun, Wait
from reknit.core.forge.permission import FixBlocked, PullSnapshot
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waiver, Waivers
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import ENVIRONMENT, LOGIN
from tests.tools.pull_moves import CALM, OTHER, PULL, SAME, SIGHT, TESTS_RED, after, ending, move, seen
from tests.tools.pull_samples import COURSE, FAILED, LINT, NEW, NIT, RACE, RED, TEST, THREAD

GROWN = FindingCounts(1, 0, landed=True, grown_source=401, grown_tests=0)
NO_PUSH = FixBlocked("no-push", "dev may not push to acme/shop; ask an admin for the role `Write`", read_only=True)
CLOSED = FixBlocked("closed", "#412 is closed; reopen it")

NAMES = ("nobody", "money", "time", "barred", "stalled", "churn", "iterations", "fruitless")


def with_reasons(names: tuple[str, ...]) -> tuple[PullRunState, PullSnapshot, FindingCounts]:
    """A course at which these reasons to end hold, and no other."""
    stalled, fruitless = "stalled" in names, "fruitless" in names
    state = after(*([SAME] * 10 if stalled else [OTHER, SAME] * 5), commit="" if fruitless else "c" * 40)
    state = state if "iterations" in names else replace(state, turns=state.turns[5 if stalled else 4 :])
    if "nobody" in names:
        state = state.with_block("claude", Unusable("login", "no key"), 0.0)
    state = replace(state, spent_usd=1.0 if "money" in names else 0.9, worked_s=100.0 if "time" in names else 99.0)
    return state, replace(SIGHT, barred=NO_PUSH if "barred" in names else None), GROWN if "churn" in names else CALM


@pytest.mark.parametrize(
    ("first", "word", "cause", "words"),
    [
        pytest.param("nobody", "BLOCKED", LOGIN, "no usable key: no key", id="nobody can work"),
        pytest.param(
            "money", "OVER_BUDGET", "", "$1.00 of $1.00 spent or reserved (loop.budget_usd)", id="then the money"
        ),
        pytest.param("time", "EXHAUSTED", "", "100 s of 100 s worked (loop.timeout_s)", id="then the time"),
        pytest.param("barred", "BLOCKED", "no-push", NO_PUSH.sentence, id="then the right to push"),
        pytest.param(
            "stalled", "STALLED", "", "3 fixes in a row left the same failures (loop.stall_after)", id="then a stall"
        ),
        pytest.param("churn", "CHURN", "", "401 lines of source", id="then its own growth"),
        pytest.param("iterations", "EXHAUSTED", "", "10 iterations (loop.max_iterations)", id="then the iterations"),
        pytest.param("fruitless", "DEFERRED", "", "fixes in a row did not land (loop.fruitless)", id="then the fruit"),
    ],
)
def test_of_several_reasons_to_end_the_first_is_told(first: str, word: str, cause: str, words: str) -> None:
    reasons = NAMES[NAMES.index(first) :]
    state, snapshot, now = with_reasons(reasons)
    told = ending(state, snapshot=snapshot, now=now)
    assert (told.word, told.cause, told.left) == (word, cause, (f"T-1 {TEST.subject}",))
    assert words in told.reason
    assert told.fixed == state.commits
    alone, snapshot, now = with_reasons((first,))
    assert ending(alone, snapshot=snapshot, now=now).word == word


def test_without_any_reason_to_end_it_goes_on() -> None:
    state, snapshot, now = with_reasons(())
    assert isinstance(move(state, snapshot=snapshot, now=now), Fix)


@pytest.mark.parametrize(
    ("state", "word"),
    [
        pytest.param(after(*[OTHER, SAME] * 4, OTHER), "", id="the tenth iteration is the last"),
        pytest.param(after(*[OTHER, SAME] * 5), "EXHAUSTED", id="there is no eleventh"),
        pytest.param(after(*[OTHER, SAME] * 2, commit=""), "", id="a fifth fix is tried"),
        pytest.param(after(*[OTHER, SAME] * 2, OTHER, commit=""), "DEFERRED", id="when none of five landed, no sixth"),
        pytest.param(after(SAME), "", id="the same failures twice"),
        pytest.param(after(SAME, SAME, SAME), "STALLED", id="three fixes left the same failures"),
    ],
)
def test_each_limit_is_reached_when_it_says_so(state: PullRunState, word: str) -> None:
    asked = move(state)
    assert (asked.ending.word if isinstance(asked, StopPullRun) else "") == word


def test_an_ending_names_what_is_left_and_a_churn_its_curve() -> None:
    checks = ChecksSnapshot("a" * 40, ReviewResult("fail", (RACE, THREAD, NIT)), TestsResult("fail", (TEST,)), FAILED)
    told = ending(NEW, checks, now=replace(GROWN, findings=4))
    assert told.reason.endswith("findings 4, own 0 %, +401 lines")
    assert told.left == (f"T-1 {TEST.subject}", "C-1 lint", "R-1 src/token.py", "R-2 api.py")


def test_money_that_a_call_ran_out_of_is_told_in_its_words() -> None:
    spent = replace(NEW, spent_usd=0.4, last_outcome=Aborted("budget", "the next request would cost $0.70"))
    assert (
        ending(spent).reason == "$0.40 of $1.00 spent or reserved (loop.budget_usd); the next request would cost $0.70"
    )
    assert isinstance(move(replace(spent, last_outcome=Aborted("timeout"))), Fix)


def test_clean_comes_before_every_limit() -> None:
    state, snapshot, now = with_reasons(NAMES)
    told = ending(replace(state, turns=COURSE.turns), seen(), snapshot=snapshot, now=now)
    assert (told.word, told.fixed, told.left) == ("CLEAN", COURSE.commits, ())
    assert told.reason.startswith("PR CLEAN")


FIX = Fix(1, ("tests", "ci", "review"), (TEST, LINT, RACE), "local", "claude", "", only_critical=False)


def test_a_fix_is_about_all_that_is_red_by_priority() -> None:
    assert move(NEW, seen("fail", "fail", "fail")) == FIX


def test_minor_findings_are_nobodys_work() -> None:
    checks = replace(seen("fail"), review=ReviewResult("fail", (NIT, THREAD, RACE)))
    assert move(NEW, checks) == replace(FIX, parts=("review",), findings=(THREAD, RACE))


@pytest.mark.parametrize(
    ("state", "strategy", "feedback"),
    [
        pytest.param(after(feedback="no"), "local", "", id="the first attempt"),
        pytest.param(after(SAME, feedback="no"), "search", "no", id="the same failures again"),
        pytest.param(after(SAME, SAME, feedback="no"), "deep", "no", id="and once more"),
        pytest.param(after(SAME, SAME, SAME, feedback="no"), "deep", "no", id="and ever after"),
        pytest.param(after(SAME, SAME, OTHER, feedback="no"), "local", "", id="other failures start anew"),
        pytest.param(after(OTHER, SAME, feedback="no"), "search", "no", id="only those in a row count"),
    ],
)
def test_the_strategy_goes_further_while_the_same_failures_stay(
    state: PullRunState, strategy: str, feedback: str
) -> None:
    fix = move(state, pull=replace(PULL, stall_after=9))
    assert isinstance(fix, Fix)
    assert (fix.number, fix.strategy, fix.feedback) == (state.number, strategy, feedback)


def test_the_last_attempt_before_a_stall_is_the_deepest() -> None:
    strategies = [move(after(*[SAME] * count), pull=replace(PULL, stall_after=3)) for count in (0, 1, 2)]
    assert [each.strategy for each in strategies if isinstance(each, Fix)] == ["local", "search", "deep"]


NO_PACKAGE = (("t::a", "t::b"), "the package `requests` is not installed", "`pip install requests`")


def without(*left_out: LeftOut, passed: int = 3, status: FinishedStatus = "fail") -> ChecksSnapshot:
    return replace(seen(), tests=TestsResult(status, passed=passed, left_out=left_out))


def test_what_the_environment_broke_is_no_work_for_an_agent() -> None:
    told = ending(NEW, without(NO_PACKAGE))
    assert (told.word, told.cause) == ("BLOCKED", ENVIRONMENT)
    assert told.reason == (
        "not every test can pass here: 2 tests, not the code's fault (t::a, t::b): the package `requests` is not "
        "installed; `pip install requests`"
    )


@pytest.mark.parametrize("checks", [seen(ci="fail"), seen("fail")])
def test_what_else_is_red_is_fixed_beside_it(checks: ChecksSnapshot) -> None:
    beside = move(NEW, replace(checks, tests=without(NO_PACKAGE).tests))
    assert isinstance(beside, Fix)
    assert "tests" not in beside.parts


def test_tests_that_the_environment_kept_from_running_prove_nothing() -> None:
    nothing = without(((), "no `make` here", "install it"), passed=0, status="error")
    told = ending(NEW, replace(nothing, ci=seen(ci="fail").ci))
    assert (told.word, told.cause, "install it" in told.reason) == ("BLOCKED", ENVIRONMENT, True)


def test_red_tests_beside_those_left_out_go_to_the_agent() -> None:
    both = replace(TESTS_RED, tests=replace(TESTS_RED.tests, passed=3, left_out=(NO_PACKAGE,)))
    assert move(NEW, both) == move(NEW, TESTS_RED)


@pytest.mark.parametrize(
    ("turns", "findings"),
    [
        pytest.param(4, (TEST, THREAD, RACE), id="iteration 5 fixes what is important"),
        pytest.param(5, (TEST, RACE), id="iteration 6 only what is critical"),
    ],
)
def test_later_only_what_is_critical_is_fixed(turns: int, findings: tuple[Finding, ...]) -> None:
    checks = replace(TESTS_RED, review=ReviewResult("fail", (THREAD, RACE, NIT)))
    fix = move(after(*[OTHER, SAME, OTHER, SAME, OTHER][:turns]), checks)
    assert isinstance(fix, Fix)
    assert (fix.findings, fix.only_critical) == (findings, turns == 5)


def test_the_fix_is_for_the_agent_that_is_ready() -> None:
    fix = move(replace(NEW, rotation=AgentRotation(("claude", "gemini"), resting=(("claude", None),))))
    assert isinstance(fix, Fix)
    assert fix.agent == "gemini"


def test_a_round_counts_what_is_left_and_what_the_run_has_added() -> None:
    grown = [replace(each, grown_source=10, grown_tests=-2) for each in COURSE.turns]
    assert count_round(replace(COURSE, turns=tuple(grown)), RED, 2) == FindingCounts(
        4, 2, landed=True, grown_source=20, grown_tests=-4
    )
    assert count_round(NEW, RED, 0) == replace(CALM, findings=4)
    assert count_round(after(SAME, commit=""), RED, 0).landed is False


def test_minor_findings_keep_nothing_from_being_clean() -> None:
    assert list_failures(RED) == (TEST, LINT, THREAD, RACE)
    assert name_failures(replace(RED, review=ReviewResult("pass", (NIT,)))) == (f"T-1 {TEST.subject}", "C-1 lint")


NOW, STATE = Waivers(ends_at_once=True), after()
STALE = replace(LINT, subject="install", message="missing go.sum entry", file="back/go.sum")
LOCK = Refusal("protected-config", "back/go.sum", "the fix changed back/go.sum")
TESTED = Refusal("protected-test", "tests/test_a.py", "the fix changed tests/test_a.py")


def fix(*findings: object, feedback: str = "") -> Fix:
    return Fix(1, ("ci",), findings, "local", "claude", feedback, only_critical=False)  # type: ignore[arg-type]


def before(move: Fix, waivers: Waivers = NOW) -> object:
    return set_aside_stale_locks(move, waivers, STATE, TESTS_RED)


def refused(move: Fix, *refusals: Refusal) -> StopPullRun | None:
    return stop_for_waivers(GateVerdict(refusals, ("a",), 1, 1, 1), NOW, move, STATE, TESTS_RED)


def test_a_stale_lockfile_alone_is_left_to_a_person() -> None:
    stopped = before(fix(STALE, STALE))
    assert isinstance(stopped, StopPullRun)
    assert (stopped.ending.word, stopped.ending.cause) == ("BLOCKED", "waiver")
    assert "`--allow protected-config:back/go.sum`" in stopped.ending.reason


def test_what_else_fails_is_worked_on() -> None:
    assert before(fix(STALE, TEST)) == fix(TEST)
    assert before(fix(TEST)) == fix(TEST)


def test_what_is_allowed_or_older_is_worked_on_as_before() -> None:
    move = fix(STALE)
    assert before(move, replace(NOW, allowed=(Waiver("protected-config", "back/go.sum"),))) == move
    assert before(move, Waivers()) == move
    wait = Wait("ci", 1.0, 1)
    assert set_aside_stale_locks(wait, NOW, STATE, TESTS_RED) is wait


def test_no_agent_is_paid_for_what_the_repository_forbids() -> None:
    stopped = before(fix(STALE), replace(NOW, forbidden=("protected-config:**",)))
    assert isinstance(stopped, StopPullRun)
    assert (stopped.ending.word, "--allow" in stopped.ending.reason) == ("BLOCKED", False)


def test_one_of_several_lockfiles_may_be_allowed() -> None:
    move = fix(replace(STALE, file="**/go.sum"))
    assert isinstance(before(move), StopPullRun)
    assert before(move, replace(NOW, allowed=(Waiver("protected-config", "back/go.sum"),))) == move


def test_a_refusal_that_only_a_waiver_lifts_ends_the_run() -> None:
    assert isinstance(refused(fix(STALE), LOCK), StopPullRun)
    assert refused(fix(STALE)) is None


def test_an_agent_that_had_more_to_do_is_told_first() -> None:
    assert refused(fix(STALE, TEST), LOCK) is None
    assert isinstance(refused(fix(STALE, TEST, feedback=LOCK.sentence), LOCK), StopPullRun)


def test_an_agent_that_changed_a_test_is_told_first() -> None:
    assert refused(fix(TEST), TESTED) is None
    assert isinstance(refused(fix(TEST, feedback=TESTED.sentence), TESTED), StopPullRun)
    assert refused(fix(TEST, feedback="another reason"), TESTED) is None
