"""What a pull-request run leaves to a person."""

from dataclasses import replace

from reknit.core.fix_pr.state import Fix, StopPullRun, Wait
from reknit.core.fix_pr.waivers import after_refusal, known_before
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waiver, Waivers
from tests.tools.pull_moves import TESTS_RED, after
from tests.tools.pull_samples import LINT, TEST

NOW, STATE = Waivers(ends_at_once=True), after()
STALE = replace(LINT, subject="install", message="missing go.sum entry", file="back/go.sum")
LOCK = Refusal("protected-config", "back/go.sum", "the fix changed back/go.sum")
TESTED = Refusal("protected-test", "tests/test_a.py", "the fix changed tests/test_a.py")


def fix(*findings: object, feedback: str = "") -> Fix:
    return Fix(1, ("ci",), findings, "local", "claude", feedback, only_critical=False)  # type: ignore[arg-type]


def before(move: Fix, waivers: Waivers = NOW) -> object:
    return known_before(move, waivers, STATE, TESTS_RED)


def refused(move: Fix, *refusals: Refusal) -> StopPullRun | None:
    return after_refusal(GateVerdict(refusals, ("a",), 1, 1, 1), NOW, move, STATE, TESTS_RED)


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
    assert known_before(wait, NOW, STATE, TESTS_RED) is wait


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
