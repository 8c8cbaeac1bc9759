"""Decides a vote: two agents score a pull request without knowledge of each other's vote; the average decides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import (
    Aborted,
    AgentCall,
    AgentSettings,
    Done,
    Outcome,
    RateLimited,
    Unusable,
    to_outcome_word,
)
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.values import ForgeFailure, Pull
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits, VoteLimits
from reknit.core.vote.task import VoteOnPullRequest

VOTERS = 2


@dataclass(frozen=True)
class Ballot:
    """One voter: its vote, or the state of its calls until there is one."""

    rotation: AgentRotation
    """Contains the voter alone: no other agent votes in its place."""
    vote: Review | None = None
    tries: int = 0
    """Number of calls that ended without a vote."""
    last: Outcome = Done()
    """Outcome of its last call."""

    @property
    def agent(self) -> str:
        return self.rotation.agents[0]

    def with_call(self, call: AgentCall) -> "Ballot":
        """Return the ballot after a call of its voter."""
        outcome = call.outcome
        if isinstance(outcome, RateLimited):
            return replace(self, rotation=self.rotation.after_limit(outcome), last=outcome)
        if isinstance(outcome, Unusable):
            return replace(self, rotation=self.rotation.after_refusal(self.agent, outcome), last=outcome)
        vote = find_vote(call)
        return replace(
            self, rotation=self.rotation.after_work(), vote=vote, tries=self.tries + (vote is None), last=outcome
        )

    def with_rest(self, limited: RateLimited, wait_s: float) -> "Ballot":
        """Return the ballot after a wait for the voter's rate limit."""
        return replace(self, rotation=self.rotation.after_wait(self.agent, limited, wait_s))


@dataclass(frozen=True)
class Poll:
    """The state of a vote."""

    ballots: tuple[Ballot, ...]
    worked_s: float = 0.0
    """Time of all calls; calls at the same time count once."""

    @property
    def missing(self) -> tuple[Ballot, ...]:
        return tuple(ballot for ballot in self.ballots if ballot.vote is None)

    def with_calls(self, calls: Mapping[str, AgentCall]) -> "Poll":
        """Return the poll after calls that ran at the same time. `calls`: agent -> its call."""
        ballots = tuple(
            ballot.with_call(calls[ballot.agent]) if ballot.agent in calls else ballot for ballot in self.ballots
        )
        return Poll(ballots, self.worked_s + max(call.seconds for call in calls.values()))

    def with_ballot(self, ballot: Ballot) -> "Poll":
        ballots = tuple(ballot if other.agent == ballot.agent else other for other in self.ballots)
        return replace(self, ballots=ballots)


@dataclass(frozen=True)
class Vote:
    """One agent's vote."""

    agent: str
    kind: str
    review: Review

    @property
    def blocking(self) -> int:
        return sum(finding.severity == "blocking" for finding in self.review.findings)


@dataclass(frozen=True)
class Tally:
    """Both votes. It is made only when both are in, so that nothing can show one alone."""

    head: str
    """The commit that was voted on."""
    votes: tuple[Vote, ...]
    approve_0_100: float
    now: str | None = ""
    """The new head of the branch, if it has moved. None: unknown."""
    unseen: str = ""
    """Why the head is unknown."""

    @property
    def average(self) -> float:
        return sum(vote.review.score_0_100 for vote in self.votes) / len(self.votes)

    @property
    def approved(self) -> bool:
        return self.average >= self.approve_0_100

    @property
    def warning(self) -> str:
        """Return the count of blocking findings: the average still decides, so they are reported separately."""
        names = [f"{vote.agent} {vote.blocking}" for vote in self.votes if vote.blocking]
        count = sum(vote.blocking for vote in self.votes)
        return f"{count} BLOCKING finding(s) named ({', '.join(names)})" if count else ""

    @property
    def doubt(self) -> str:
        """Return why the votes may not apply to the current head of the branch; empty: they do."""
        if self.now is None:
            return f"the current head of the branch is unknown: {self.unseen or 'no reason given'}"
        return f"the branch has moved to {self.now[:7]}, which was not voted on" if self.now else ""


def find_vote(call: AgentCall) -> Review | None:
    """Return the vote of a finished call; None: it has none."""
    return call.report if isinstance(call.outcome, Done) and isinstance(call.report, Review) else None


def start_poll(voters: Iterable[AgentSettings]) -> Poll:
    """Return a poll without votes."""
    return Poll(tuple(Ballot(AgentRotation((voter.name,))) for voter in voters))


def decide_stop(poll: Poll, limits: Limits, vote: VoteLimits) -> Ending | None:
    """Return the ending if a vote will never arrive: one vote alone decides nothing and is never shown."""
    for ballot in poll.missing:
        if ending := _stop_ballot(ballot, limits, vote):
            return ending
    if poll.missing and poll.worked_s >= limits.timeout_s:
        why = f"{poll.worked_s:.0f} s of {limits.timeout_s:.0f} s worked (loop.timeout_s)"
        return Ending("EXHAUSTED", f"no vote from {' and '.join(ballot.agent for ballot in poll.missing)}: {why}")
    return None


def _stop_ballot(ballot: Ballot, limits: Limits, vote: VoteLimits) -> Ending | None:
    if ending := ballot.rotation.find_ending(limits):
        return replace(ending, reason=f"no vote from {ballot.agent}: {ending.reason}")
    last = ballot.last
    if isinstance(last, Aborted) and last.why == "budget":
        why = last.detail or "its share of the budget is spent"
        text = f"${limits.budget_usd:.2f} is for both (loop.budget_usd)"
        return Ending("OVER_BUDGET", f"no vote from {ballot.agent}: {why}; {text}")
    if ballot.tries >= vote.tries:
        detail = f", {last.detail[:200]}" if isinstance(last, Aborted) and last.detail else ""
        calls = f"{ballot.tries} call(s) (vote.tries)"
        why = f"no vote from {ballot.agent} in {calls}; the last: {to_outcome_word(last)}{detail}"
        return Ending("UNVERIFIED", why, "vote")
    return None


def count_votes(poll: Poll, target: VoteOnPullRequest, head: str, now: str | ForgeFailure) -> Tally:
    """Return the tally. `now`: the head of the branch once both votes are in; empty: the branch is gone."""
    kinds = {voter.name: voter.kind for voter in target.voters}
    votes = tuple(Vote(ballot.agent, kinds[ballot.agent], ballot.vote) for ballot in poll.ballots if ballot.vote)
    if isinstance(now, ForgeFailure):
        return Tally(head, votes, target.limits.approve_0_100, None, f"{now.kind}: {now.detail}")
    if not now:
        return Tally(head, votes, target.limits.approve_0_100, None, "it is gone")
    return Tally(head, votes, target.limits.approve_0_100, "" if now == head else now)


def decide_ending(tally: Tally) -> Ending:
    """Decide by the average alone. An approval is void if its commit is no longer the head."""
    if len(tally.votes) < VOTERS:
        return Ending("UNVERIFIED", f"{len(tally.votes)} of {VOTERS} votes are in, which decides nothing", "vote")
    scores = ", ".join(f"{vote.agent} {vote.review.score_0_100}" for vote in tally.votes)
    text = f"at {tally.head[:7]}: {scores}, average {tally.average:g}, needs {tally.approve_0_100:g}"
    more = "".join(f"; {part}" for part in (tally.warning, tally.doubt) if part)
    if not tally.approved:
        return Ending("BLOCKED", f"not approved {text}{more}; a person must decide", "vote")
    if tally.doubt:
        return Ending("UNVERIFIED", f"approved {text}{more}", "unseen" if tally.now is None else "moved")
    return Ending("CLEAN", f"approved {text}{more}")


def check_votable(pull: Pull) -> FixBlocked | None:
    """Return why nobody can vote on this pull request; None: both agents can."""
    if pull.state == "merged":
        return FixBlocked("closed", f"#{pull.number} is already merged; there is nothing left to decide")
    if pull.state != "open":
        return FixBlocked("closed", f"#{pull.number} is closed; reopen it, then `reknit vote {pull.number}`")
    if not pull.head_slug:
        why = f"the repository of the branch of #{pull.number} is gone"
        return FixBlocked(
            "fork-gone", f"{why}; `git fetch origin pull/{pull.number}/head` and push that as a branch of your own"
        )
    return None


def make_key(target: VoteOnPullRequest) -> str:
    """Return the key of a pull request: it has a single vote comment, so one vote runs at a time."""
    return f"vote {target.place.api.rstrip('/')}/{target.place.slug}#{target.number}".lower()
