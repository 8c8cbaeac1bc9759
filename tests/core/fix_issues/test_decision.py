from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentSettings, RateLimited, Unusable
from reknit.core.checks.status import TestsResult
from reknit.core.fix_issues.decision import (
    Challenge,
    Land,
    StopBacklog,
    Work,
    compute_fixer_budget,
    decide,
    describe_judges,
    end_after_landing,
    end_after_tools,
    is_given_up,
    start_backlog,
    stop_without_effect,
)
from reknit.core.fix_issues.progress import (
    BacklogBaseline,
    BacklogProgress,
    BatchAttempt,
    ChallengeScore,
    ToolFix,
    list_addressed,
    list_kept_issues,
    list_resolved,
    list_unchecked,
)
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.limits import IssueLimits, Limits

LIMITS = Limits()
CLAUDE, GEMINI = AgentSettings("claude", "claude"), AgentSettings("gemini", "gemini")
ONE, TWO = Batch(1, "backend", (1, 2), 6), Batch(2, "frontend", (3,), 3)
TARGET = FixIssues("shop", (ONE, TWO), GEMINI)
START = BacklogProgress(AgentRotation(("claude",)), "base", (1, 2, 3), AgentRotation(("gemini",)))
LOGIN = Unusable("login", "no key")


def tried(
    batch: int, *, kept: bool = True, number: int = 1, round_number: int = 0, final: bool = False
) -> BatchAttempt:
    return BatchAttempt(number, batch, round_number, kept, "" if kept else "the tests did not hold\nmore", final)


def after(*tries: BatchAttempt, scores: tuple[ChallengeScore, ...] = (), head: str = "kept") -> BacklogProgress:
    return replace(START, head=head, attempts=tries, scores=scores)


def review(score: int, *, passed: bool = True) -> Review:
    return Review("passed" if passed else "needs_work", score, "words")


BOTH = (tried(1), tried(2, number=2))


@pytest.mark.parametrize(
    ("progress", "move"),
    [
        pytest.param(START, Work(1, "claude", ONE, 0, 0, ""), id="backend-comes-first"),
        pytest.param(after(tried(1)), Work(2, "claude", TWO, 0, 0, ""), id="then-frontend"),
        pytest.param(
            after(tried(1, kept=False)),
            Work(2, "claude", ONE, 0, 1, "the tests did not hold\nmore"),
            id="what-did-not-hold-is-tried-again-with-the-reason",
        ),
        pytest.param(
            after(tried(1, kept=False, final=True)), Work(2, "claude", TWO, 0, 0, ""), id="a-crash-is-not-tried-again"
        ),
        pytest.param(
            after(*(tried(1, kept=False) for _ in range(3))), Work(4, "claude", TWO, 0, 0, ""), id="three-tries-a-batch"
        ),
        pytest.param(
            replace(START, claimed_issues=(3,)), Work(1, "claude", TWO, 0, 0, ""), id="a-batch-of-others-is-skipped"
        ),
        pytest.param(after(*BOTH), Challenge(1, 1), id="the-whole-is-challenged"),
        pytest.param(after(*BOTH, scores=(ChallengeScore("kept", review(95)),)), Land(), id="95-lands"),
        pytest.param(
            after(*BOTH, scores=(ChallengeScore("kept", review(94)),)),
            Work(3, "claude", None, 1, 0, ""),
            id="94-is-reworked",
        ),
        pytest.param(
            after(*BOTH, scores=(ChallengeScore("kept", review(99, passed=False)),)),
            Work(3, "claude", None, 1, 0, ""),
            id="a-high-score-that-needs-work-is-no-approval",
        ),
        pytest.param(
            after(*BOTH, tried(0, kept=False, round_number=1), scores=(ChallengeScore("kept", review(94)),)),
            Work(4, "claude", None, 1, 1, "the tests did not hold\nmore"),
            id="a-rework-that-did-not-hold-is-tried-again",
        ),
        pytest.param(
            after(*BOTH, tried(0, round_number=1), scores=(ChallengeScore("kept", review(94)),), head="reworked"),
            Challenge(2, 2),
            id="a-rework-is-challenged-anew",
        ),
        pytest.param(
            after(*BOTH, scores=(ChallengeScore("kept", None, "silent"),)),
            Challenge(2, 1),
            id="an-unheard-challenge-is-repeated",
        ),
    ],
)
def test_the_next_move(progress: BacklogProgress, move: Work | Challenge | Land) -> None:
    assert decide(progress, TARGET, LIMITS) == move


@pytest.mark.parametrize(
    ("progress", "word", "says", "failed"),
    [
        pytest.param(
            after(tried(1, kept=False, final=True), tried(2, kept=False, final=True)),
            "DEFERRED", "nothing was accepted in 2 agent call(s)", True, id="nothing-was-kept",
        ),
        pytest.param(
            after(*BOTH, scores=tuple(ChallengeScore("kept", review(score)) for score in (80, 85, 94))),
            "DEFERRED", "94 of 100, needs 95, in round 3 of 3", True, id="three-rounds-below",
        ),
        pytest.param(
            after(*BOTH, scores=tuple(ChallengeScore("kept", review(99, passed=False)) for _ in range(3))),
            "DEFERRED", "says that it needs work", True, id="three-rounds-of-needs-work",
        ),
        pytest.param(
            after(
                *BOTH, tried(0, kept=False, round_number=1, final=True), scores=(ChallengeScore("kept", review(82)),)
            ),
            "DEFERRED", "the fixer's rework did not hold: the tests did not hold", True, id="the-rework-crashed",
        ),
        pytest.param(
            after(*BOTH, scores=(ChallengeScore("kept", None, "silent"), ChallengeScore("kept", None, "silent"))),
            "UNVERIFIED", "the challenger gave no score: silent", False, id="nobody-heard-the-challenger",
        ),
        pytest.param(
            replace(after(*BOTH), spent_usd=5.0),
            "OVER_BUDGET", "no budget is left to challenge", False, id="no-money-for-the-challenger",
        ),
        pytest.param(
            replace(after(*BOTH), judges=AgentRotation(("gemini",)).after_refusal("gemini", LOGIN)),
            "BLOCKED", "the change was not challenged", False, id="the-challenger-has-no-key",
        ),
        pytest.param(
            replace(START, rotation=START.rotation.after_refusal("claude", LOGIN)),
            "BLOCKED", "no usable key", False, id="the-fixer-has-no-key",
        ),
        pytest.param(replace(START, spent_usd=4.5), "OVER_BUDGET", "$4.50 of $5.00", False, id="no-money"),
        pytest.param(replace(START, worked_s=2700.0), "EXHAUSTED", "2700 s of 2700 s", False, id="time-is-up"),
        pytest.param(
            replace(after(*BOTH, scores=(ChallengeScore("kept", review(82)),)), worked_s=2700.0),
            "EXHAUSTED", "82 of 100", False, id="no-time-to-answer-the-challenger",
        ),
    ],
)  # fmt: skip
def test_why_it_stops(progress: BacklogProgress, word: str, says: str, failed: bool) -> None:
    stop = decide(progress, TARGET, LIMITS)
    assert isinstance(stop, StopBacklog)
    assert (stop.ending.word, stop.failed) == (word, (1, 2, 3) if failed else ())
    assert says in stop.ending.reason


def test_what_was_never_tried_is_not_failed() -> None:
    once = replace(TARGET, limits=IssueLimits(rounds=1))
    poor = replace(after(tried(1), scores=(ChallengeScore("kept", review(50)),)), spent_usd=4.6)
    stop = decide(poor, once, LIMITS)
    assert isinstance(stop, StopBacklog)
    assert (stop.ending.word, stop.failed) == ("DEFERRED", (1, 2))


def test_a_change_beside_every_issue_lands_nothing() -> None:
    stop = stop_without_effect(APPROVED, TARGET)
    assert (stop.ending.word, stop.failed) == ("DEFERRED", (1, 2, 3))


def test_a_stopped_fixer_does_not_keep_what_was_kept_from_being_judged() -> None:
    blocked = replace(after(tried(1)), rotation=START.rotation.after_refusal("claude", LOGIN))
    assert decide(blocked, TARGET, LIMITS) == Challenge(1, 1)
    assert decide(blocked, replace(TARGET, challenger=None), LIMITS) == Land()


def test_a_share_of_the_money_is_the_challengers() -> None:
    assert compute_fixer_budget(TARGET, LIMITS) == pytest.approx(4.5)
    assert compute_fixer_budget(replace(TARGET, challenger=None), LIMITS) == 5.0


def test_how_a_run_begins() -> None:
    passing = TestsResult("pass", passed=3)
    assert start_backlog(BacklogBaseline(passing, (1,)), "base", ("claude",), TARGET) == replace(
        START, claimed_issues=(1,)
    )
    alone = start_backlog(BacklogBaseline(passing, (1,)), "base", ("claude",), replace(TARGET, challenger=None))
    assert isinstance(alone, BacklogProgress)
    assert alone.judges.agents == ()
    unseen = start_backlog(BacklogBaseline(TestsResult("error", why="no pytest"), (1,)), "base", ("claude",), TARGET)
    assert isinstance(unseen, StopBacklog)
    assert (unseen.ending.word, "no pytest" in unseen.ending.reason) == ("UNVERIFIED", True)
    broken = TestsResult("error", why="no pytest", left_out=(((), "pytest is not installed", "`pip install pytest`"),))
    blocked = start_backlog(BacklogBaseline(broken, (1,)), "base", ("claude",), TARGET)
    assert isinstance(blocked, StopBacklog)
    assert (blocked.ending.word, blocked.ending.cause) == ("BLOCKED", "environment")
    assert blocked.ending.reason == "pytest is not installed; `pip install pytest`"
    taken = start_backlog(BacklogBaseline(passing, ()), "base", ("claude",), TARGET)
    assert isinstance(taken, StopBacklog)
    assert taken.ending.word == "DEFERRED"


def test_only_a_kept_change_moves_the_head() -> None:
    kept = START.with_attempt(tried(1), "new", 7.0, 2.0, 0.5)
    assert (kept.head, kept.at, kept.worked_s, kept.spent_usd) == ("new", 7.0, 2.0, 0.5)
    refused = kept.with_attempt(tried(2, kept=False), "bad", 9.0, 1.0, 0.4)
    assert (refused.head, refused.at, refused.worked_s, refused.spent_usd) == ("new", 7.0, 3.0, 0.5)
    scored = refused.with_score(ChallengeScore("new", review(80)), 4.0, 0.9)
    assert (scored.scores[-1].head, scored.worked_s, scored.spent_usd) == ("new", 7.0, 0.9)


def test_a_limit_of_the_fixer_is_not_the_challengers() -> None:
    waited = START.with_wait(RateLimited("rate_limited"), 2.0, 0.1)
    assert (waited.rotation.waits, waited.judges.waits) == (1, 0)


def test_a_limit_of_the_challenger_is_not_the_fixers() -> None:
    waited = START.with_judges(START.judges.after_limit(RateLimited("rate_limited")), 2.0, 0.1)
    assert (waited.rotation.waits, waited.judges.waits, waited.worked_s, waited.spent_usd) == (0, 1, 2.0, 0.1)


def test_addressed_are_exactly_those_of_kept_batches_whose_file_is_in_the_commit() -> None:
    files = [(1, "a.py"), (2, "b.py"), (3, "c.ts")]
    kept_first = after(tried(1), tried(2, kept=False))
    both = ["a.py", "b.py"]
    assert list_addressed(kept_first, TARGET, files, ["a.py", "c.ts"], ["a.py", "c.ts"]) == (1,)
    assert list_addressed(replace(kept_first, claimed_issues=(2, 3)), TARGET, files, both, both) == (2,)


def test_comments_resolve_nothing_but_what_a_check_of_its_own_saw() -> None:
    files, paths = [(1, "a.py"), (2, "b.py")], ["a.py", "b.py"]
    own = replace(START, attempts=(replace(tried(1), checked_issues=(2,)),))
    assert list_addressed(own, TARGET, files, paths, []) == (2,)
    assert list_addressed(own, TARGET, files, ["a.py"], ["a.py"]) == (1,)


def test_resolved_is_what_a_check_or_the_challenger_saw() -> None:
    own = replace(START, head="kept", attempts=(replace(tried(1), checked_issues=(2,)),))
    assert (list_unchecked(own, ALONE), list_resolved(own, ALONE, (1, 2))) == ((1,), (2,))
    approved = replace(own, scores=(ChallengeScore("kept", review(96)),))
    assert (list_unchecked(approved, TARGET), list_resolved(approved, TARGET, (1, 2))) == ((), (1, 2))
    earlier = replace(own, scores=(ChallengeScore("before", review(96)),))
    assert list_resolved(earlier, TARGET, (1, 2)) == (2,)
    assert describe_judges(own, ALONE) == "not challenged: no second vendor; no check of this issue exists: I-1"


def test_a_batch_is_given_up_when_nothing_of_it_will_be_kept() -> None:
    assert not is_given_up(after(tried(1, kept=False)), ONE, LIMITS)
    assert is_given_up(after(tried(1, kept=False, final=True)), ONE, LIMITS)
    assert not is_given_up(after(tried(1)), ONE, LIMITS)


APPROVED = after(*BOTH, scores=(ChallengeScore("kept", review(82)), ChallengeScore("new", review(96))), head="new")
ALONE = replace(TARGET, challenger=None, unchallenged="no second vendor")
CHECKED = after(tried(1), replace(tried(2, number=2), checked_issues=(1, 2, 3)))


@pytest.mark.parametrize(
    ("progress", "target", "done", "word", "says"),
    [
        pytest.param(APPROVED, TARGET, (1, 2, 3), "FIXED", "3 of 3 issues have their file in the change", id="all"),
        pytest.param(APPROVED, TARGET, (1, 3), "PARTIAL", "2 of 3 issues", id="some"),
        pytest.param(after(*BOTH), ALONE, (1, 2, 3), "UNVERIFIED", "not challenged: no second vendor", id="alone"),
        pytest.param(
            CHECKED, replace(ALONE, by_choice=True), (1, 2, 3), "FIXED", "not challenged", id="by-choice"
        ),
        pytest.param(CHECKED, ALONE, (1, 2, 3), "UNVERIFIED", "; not challenged: no sec", id="no-second-vendor"),
        pytest.param(
            after(*BOTH), replace(ALONE, by_choice=True), (), "UNVERIFIED",
            "0 of 3 issues resolved; not challenged: no second vendor; "
            "no check of this issue exists: I-1, I-2, I-3", id="nothing-checks-it",
        ),
        pytest.param(
            replace(after(tried(1), scores=(ChallengeScore("kept", review(97)),)), spent_usd=4.6),
            TARGET, (1, 2), "OVER_BUDGET", "2 of 3 issues committed, then $4.60", id="money-ran-out",
        ),
    ],
)  # fmt: skip
def test_how_a_run_ends_that_committed(
    progress: BacklogProgress, target: FixIssues, done: tuple[int, ...], word: str, says: str
) -> None:
    ending = end_after_landing(progress, target, LIMITS, done)
    assert ending.word == word
    assert says in ending.reason
    assert ending.fixed == tuple(f"I-{issue}" for issue in done)
    assert len(ending.fixed) + len(ending.left) == 3


def test_the_threshold_is_the_users() -> None:
    low = replace(TARGET, limits=IssueLimits(threshold_0_100=80.0))
    assert decide(after(*BOTH, scores=(ChallengeScore("kept", review(82)),)), low, LIMITS) == Land()
    assert "needs 80" in describe_judges(after(*BOTH, scores=(ChallengeScore("kept", review(82)),)), low)


BY_RUFF = replace(START, tool_fixes=(ToolFix("ruff 1.0", (3,)),), head="tools", tools_head="tools")
WITHOUT_THREE = replace(TARGET, batches=(ONE,), others=(3,))


def test_the_ending_says_what_tools_did_and_what_they_no_longer_report() -> None:
    ending = end_after_landing(
        replace(BY_RUFF, attempts=(tried(1),), absent_issues=(4,)), replace(TARGET, others=(3, 4)), LIMITS, (1, 2, 3)
    )
    assert "; 1 of them fixed by their tools; I-4 left OPEN, no longer reported by their tools: " in ending.reason


def test_what_only_tools_fixed_lands_without_a_challenger() -> None:
    done = replace(TARGET, batches=(), others=(1, 2, 3))
    assert decide(BY_RUFF, done, LIMITS) == Land()
    assert decide(replace(BY_RUFF, spent_usd=5.0), WITHOUT_THREE, LIMITS) == Land()
    ending = end_after_landing(BY_RUFF, replace(done, others=(3,), challenger=None), LIMITS, (3,))
    assert (ending.word, ending.fixed) == ("FIXED", ("I-3",))
    assert ending.reason.endswith("fixed by the tools that reported them, without an agent")


def test_what_agents_are_asked_to_do_beside_it_is_challenged() -> None:
    assert decide(BY_RUFF, WITHOUT_THREE, LIMITS) == Work(1, "claude", ONE, 0, 0, "")
    both = replace(BY_RUFF, attempts=(tried(1),), head="kept")
    assert decide(both, WITHOUT_THREE, LIMITS) == Challenge(1, 1)
    assert list_kept_issues(both, WITHOUT_THREE) == (3, 1, 2)


def test_nothing_is_done_for_issues_that_are_no_longer_reported() -> None:
    others = replace(TARGET, batches=(), others=(1, 2, 3))
    stop = decide(replace(START, absent_issues=(1, 2, 3)), others, LIMITS)
    assert isinstance(stop, StopBacklog)
    assert stop.ending.word == "CLEAN"
    some = decide(replace(START, claimed_issues=(1,), absent_issues=(1,)), others, LIMITS)  # another run has the others
    assert isinstance(some, StopBacklog)
    assert (some.ending.word, some.ending.reason) == (
        "DEFERRED",
        "I-1 left OPEN, no longer reported by their tools: import new reports",
    )


def test_what_its_tool_still_reports_is_not_resolved() -> None:
    files = [(1, "a.py"), (2, "a.py"), (3, "c.ts")]
    partly = replace(BY_RUFF, attempts=(replace(tried(1), still_reported=(2,)),))
    assert list_addressed(partly, WITHOUT_THREE, files, ["a.py", "c.ts"], ["a.py"]) == (1, 3)


def test_what_tools_fixed_is_committed_even_if_the_agents_work_is_not() -> None:
    stop = decide(replace(BY_RUFF, attempts=(tried(1),), spent_usd=5.0), WITHOUT_THREE, LIMITS)
    assert isinstance(stop, StopBacklog)
    ended = end_after_tools(stop, WITHOUT_THREE, (3,)).ending
    assert (ended.word, ended.fixed, ended.left) == ("OVER_BUDGET", ("I-3",), ("I-1", "I-2"))
    assert ended.reason.startswith(
        "1 of 3 issues committed, fixed by the tools that reported them, without an agent; then"
    )
