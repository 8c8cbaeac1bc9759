"""What a vote comes to: two scores and their average, or why there are not two."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import FixReport
from reknit.core.agents.call import Aborted, AgentCall, Done, Outcome, RateLimited, Unusable
from reknit.core.forge.values import ForgeFailure, Pull
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits, VoteLimits
from reknit.core.vote.decision import (
    Poll,
    Tally,
    check_votable,
    count_votes,
    decide_ending,
    decide_stop,
    find_vote,
    make_key,
    start_poll,
)
from tests.tools.vote_samples import FAIR, GOOD, TALLY, TARGET, voted

LIMITS, VOTE = Limits(budget_usd=2.0, timeout_s=100.0, waits=1), VoteLimits()
NOT_NOW = RateLimited("rate_limited")
PULL = Pull(
    12, "", "Discounts", "open", "dev", "MEMBER", "share", "a" * 40, "acme/shop", "u", "main", "b" * 40, "u", None
)  # fmt: skip


def answered(*outcomes: Outcome, poll: Poll | None = None) -> Poll:
    """The second voter's calls ended so, one after the other; the first has voted."""
    poll = poll or start_poll(TARGET.voters).with_calls({"claude": voted(GOOD)})
    for outcome in outcomes:
        poll = poll.with_calls({"mine": AgentCall(outcome, seconds=10.0)})
    return poll


def test_both_are_asked_until_both_have_voted() -> None:
    poll = start_poll(TARGET.voters)
    assert [ballot.agent for ballot in poll.missing] == ["claude", "mine"]
    poll = poll.with_calls({"claude": voted(GOOD, 3.0), "mine": AgentCall(Aborted("idle"), seconds=5.0)})
    assert ([ballot.agent for ballot in poll.missing], poll.worked_s) == (["mine"], 5.0)
    poll = poll.with_calls({"mine": voted(FAIR)})
    assert (poll.missing, poll.worked_s, decide_stop(poll, LIMITS, VOTE)) == ((), 6.0, None)
    assert count_votes(poll, TARGET, "a" * 40, "a" * 40) == TALLY


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(AgentCall(Done()), id="it ended without a word"),
        pytest.param(AgentCall(Done(), report=FixReport("fixed", "it is")), id="it reported something else"),
        pytest.param(AgentCall(Aborted("timeout"), report=GOOD), id="it was cut off"),
    ],
)
def test_only_a_finished_review_is_a_vote(call: AgentCall) -> None:
    assert find_vote(call) is None
    poll = start_poll(TARGET.voters).with_calls({"mine": call})
    assert [(ballot.tries, ballot.vote) for ballot in poll.ballots] == [(0, None), (1, None)]


@pytest.mark.parametrize(
    ("outcomes", "word", "cause", "told"),
    [
        pytest.param([Unusable("login", "no key")], "BLOCKED", LOGIN, "no vote from mine: the agent has no usable key"),
        pytest.param([Unusable("auth", "401")] * 3, "BLOCKED", LOGIN, "401"),
        pytest.param([Unusable("config", "no binary")], "BLOCKED", "agent", "(config): no binary"),
        pytest.param(
            [NOT_NOW, NOT_NOW],
            "BLOCKED",
            "provider",
            "no vote from mine: the provider was rate limited or unavailable 2 times",
        ),
        pytest.param(
            [Aborted("budget")], "OVER_BUDGET", "", "no vote from mine: its share of the budget is spent; $2.00"
        ),
        pytest.param([Aborted("budget", "$1.00 is gone")], "OVER_BUDGET", "", "$1.00 is gone; $2.00 is for both"),
        pytest.param(
            [Aborted("idle"), Aborted("timeout")], "UNVERIFIED", "vote", "in 2 call(s) (vote.tries); the last: t"
        ),
        pytest.param([Aborted("idle"), Aborted("crashed", "signal 9")], "UNVERIFIED", "vote", "crashed, signal 9"),
    ],
)
def test_a_vote_that_does_not_come_ends_it(outcomes: list[Outcome], word: str, cause: str, told: str) -> None:
    ending = decide_stop(answered(*outcomes), LIMITS, VOTE)
    assert ending is not None
    assert (ending.word, ending.cause, told in ending.reason) == (word, cause, True), ending
    assert "85" not in ending.reason, "the vote that is in is nobody's to see"


@pytest.mark.parametrize(
    "outcomes", [[Unusable("auth", "401")] * 2, [NOT_NOW], [Aborted("idle")], [Aborted("idle"), NOT_NOW]]
)
def test_what_may_still_come_is_asked_for_again(outcomes: list[Outcome]) -> None:
    assert decide_stop(answered(*outcomes), LIMITS, VOTE) is None


def test_working_time_is_a_limit() -> None:
    poll = replace(start_poll(TARGET.voters), worked_s=100.0)
    ending = decide_stop(poll, LIMITS, VOTE)
    why = "no vote from claude and mine: 100 s of 100 s worked (loop.timeout_s)"
    assert ending == Ending("EXHAUSTED", why)
    done = poll.with_calls({"claude": voted(GOOD), "mine": voted(FAIR)})
    assert decide_stop(done, LIMITS, VOTE) is None


def test_a_wait_is_over_for_the_one_who_waited() -> None:
    poll = answered(NOT_NOW)
    (ballot,) = poll.missing
    rested = poll.with_ballot(ballot.with_rest(NOT_NOW, 5.0))
    assert (rested.missing[0].rotation.resting, rested.missing[0].rotation.waits, rested.ballots[0]) == (
        (),
        1,
        poll.ballots[0],
    )


def scores(*given: int, approve: float = 80.0) -> Tally:
    votes = [
        replace(vote, review=replace(GOOD, score_0_100=score)) for vote, score in zip(TALLY.votes, given, strict=True)
    ]
    return replace(TALLY, votes=tuple(votes), approve_0_100=approve)


@pytest.mark.parametrize(
    ("counted", "word", "cause", "reason"),
    [
        pytest.param(
            scores(85, 78),
            "CLEAN",
            "",
            "approved at aaaaaaa: claude 85, mine 78, average 81.5, needs 80",
            id="the average is enough",
        ),
        pytest.param(
            scores(100, 60), "CLEAN", "", "approved at aaaaaaa: claude 100, mine 60, average 80, needs 80", id="just"
        ),
        pytest.param(
            scores(80, 79),
            "BLOCKED",
            "vote",
            "not approved at aaaaaaa: claude 80, mine 79, average 79.5, needs 80; a person must decide",
            id="not quite",
        ),
        pytest.param(
            scores(90, 90, approve=95.5),
            "BLOCKED",
            "vote",
            "not approved at aaaaaaa: claude 90, mine 90, average 90, needs 95.5; a person must decide",
            id="as the configuration has it",
        ),
        pytest.param(
            TALLY,
            "CLEAN",
            "",
            "approved at aaaaaaa: claude 85, mine 78, average 81.5, needs 80; 1 BLOCKING finding(s) named (mine 1)",
            id="a blocking finding is told, and decides nothing",
        ),
        pytest.param(
            replace(scores(85, 78), now="c" * 40),
            "UNVERIFIED",
            "moved",
            "approved at aaaaaaa: claude 85, mine 78, average 81.5, needs 80; "
            "the branch has moved to ccccccc, which was not voted on",
            id="the branch moved",
        ),
        pytest.param(
            replace(scores(85, 78), now=None, unseen="it is gone"),
            "UNVERIFIED",
            "unseen",
            "approved at aaaaaaa: claude 85, mine 78, average 81.5, needs 80; "
            "the current head of the branch is unknown: it is gone",
            id="nobody knows where the branch is",
        ),
        pytest.param(
            replace(TALLY, now="c" * 40, approve_0_100=90.0),
            "BLOCKED",
            "vote",
            "not approved at aaaaaaa: claude 85, mine 78, average 81.5, needs 90; 1 BLOCKING finding(s) named (mine 1);"
            " the branch has moved to ccccccc, which was not voted on; a person must decide",
            id="not approved, wherever the branch is",
        ),
    ],
)
def test_the_average_decides(counted: Tally, word: str, cause: str, reason: str) -> None:
    ending = decide_ending(counted)
    assert (ending.word, ending.cause, ending.reason) == (word, cause, reason)


@pytest.mark.parametrize("count", [0, 1])
def test_one_vote_decides_nothing(count: int) -> None:
    both = scores(99, 99)
    assert decide_ending(replace(both, votes=both.votes[:count])).word == "UNVERIFIED"


def test_where_the_branch_is_now_is_kept_if_it_moved() -> None:
    poll = start_poll(TARGET.voters).with_calls({"claude": voted(GOOD), "mine": voted(FAIR)})
    assert [count_votes(poll, TARGET, "a" * 40, now).now for now in ("a" * 40, "c" * 40)] == ["", "c" * 40]


def test_that_nobody_could_see_the_branch_is_kept_with_the_reason() -> None:
    poll = start_poll(TARGET.voters).with_calls({"claude": voted(GOOD), "mine": voted(FAIR)})
    unseen = [count_votes(poll, TARGET, "a" * 40, now) for now in ("", ForgeFailure("limited", "until noon"))]
    assert [(each.now, each.unseen) for each in unseen] == [(None, "it is gone"), (None, "limited: until noon")]


@pytest.mark.parametrize(
    ("pull", "cause", "told"),
    [
        pytest.param(replace(PULL, state="merged"), "closed", "#12 is already merged", id="merged"),
        pytest.param(replace(PULL, state="closed"), "closed", "reopen it, then `reknit vote 12`", id="closed"),
        pytest.param(
            replace(PULL, head_slug=""), "fork-gone", "is gone; `git fetch origin pull/12/head`", id="no fork"
        ),
    ],
)
def test_what_cannot_be_voted_on(pull: Pull, cause: str, told: str) -> None:
    barred = check_votable(pull)
    assert barred is not None
    assert (barred.cause, told in barred.sentence, barred.read_only) == (cause, True, False)


def test_an_open_one_can() -> None:
    assert check_votable(PULL) is None
    assert make_key(TARGET) == "vote https://api.github.com/acme/shop#12"
