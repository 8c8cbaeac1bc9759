"""Texts of a vote: events that show no score, and both votes side by side once both are in."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.agents.call import AgentCall, RateLimited, outcome_word
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import Pull
from reknit.core.runs.ending import LOGIN
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, pull_of
from reknit.core.text.format import file_line, one_line, seconds, spent_of, words
from reknit.core.text.layout import field
from reknit.core.text.redact import clean
from reknit.core.vote.decision import Tally, Vote, ending_of, vote_in

PHASES = {
    "vote_look": "looks at the pull request",
    "cast": "the voters read the change",
    "count": "counts the votes",
    "post": "comments on the pull request",
    "wait_forge": "waiting for the forge",
    "wait_agent": "waiting for an agent",
    "end": "ends",
}
"""The steps of a vote, for people."""
PIPE_COLUMNS = 100
"""Wide enough for two columns if there is no terminal."""
SHOWN = 5
"""Findings per voter in a terminal; the pull request and `--format json` show more."""
READ = "The average still decides: read them before you merge."
_GAP = 3


def heading(spec: RunSpec) -> list[str]:
    target = spec.vote_target
    names = " and ".join(voter.name for voter in target.voters)
    needs = f"an average of {target.limits.approve_0_100:g} approves"
    cap = f"at most ${spec.limits.budget_usd:.2f}"
    return [
        f"{spec.run_id}  #{target.number} {target.title}",
        f"  {names} vote, neither sees the other's vote; {needs}; {cap}",
    ]


def looked(pull: Pull, snapshot: PullSnapshot) -> Event:
    text = f"#{pull.number} {pull.title} at {snapshot.head[:7]}"
    return Event("look", "note", "look", text, {"head": snapshot.head, "base": snapshot.base, "pull": pull.number})


def begins(agent: str, tries: int) -> Event:
    again = f", call {tries + 1}" if tries else ""
    return Event("voter", "note", agent, f"reads the change{again}", {"agent": agent, "call": tries + 1})


def heard(agent: str, tries: int, call: AgentCall) -> Event:
    """Says that a vote is in, never its score; for a failed call, no text that could contain a score."""
    data: dict[str, object] = {
        "agent": agent,
        "call": tries + 1,
        "outcome": outcome_word(call.outcome),
        "cost_usd": call.usage.cost_usd,
        "seconds": round(call.seconds, 2),
    }
    took = f"  {seconds(call.seconds)}  ${call.usage.cost_usd:.2f}"
    if vote_in(call):
        return Event("voted", "ok", agent, f"has voted{took}", data)
    mark: Mark = "wait" if isinstance(call.outcome, RateLimited) else "bad"
    return Event("no_vote", mark, agent, f"gave no vote ({outcome_word(call.outcome)}){took}", data)


def counted(tally: Tally) -> Event:
    data: dict[str, object] = {
        "head": tally.head,
        "scores": {vote.agent: vote.review.score_0_100 for vote in tally.votes},
        "average": tally.average,
        "needs": tally.approve_0_100,
        "approved": tally.approved,
    }
    ending = ending_of(tally)
    return Event("votes", "ok" if ending.word == "CLEAN" else "bad", "votes", ending.reason, data)


def ending_text(run: RunView, tally: Tally | None, width: int = 0) -> str:
    """`width` of the terminal; 0: there is none."""
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {took}, {spent_of(run.spent_usd, run.budget_usd)}",
        *field("why", one_line(run.reason), width),
        *(field("NOTE", f"{tally.warning}. {READ}", width) if tally and tally.approved and tally.warning else []),
        f"  pr      {one_line(str(pull_of(run)['url']))}",
        *side_by_side(tally, width),
    ]
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(_next(run))]
    return clean("\n".join(lines))


def show_lines(run: RunView, tally: Tally | None, width: int = 0) -> list[str]:
    pull = pull_of(run)
    text = f"#{pull['number']} {words(str(pull['title']), 80)}   {one_line(str(pull['url']))}"
    return [*field("pr", text, width), *side_by_side(tally, width)]


def side_by_side(tally: Tally | None, width: int = 0) -> Iterator[str]:
    """Both votes with their feedback in two columns; nothing until both are in."""
    if tally is None:
        return
    column = (max(width or PIPE_COLUMNS, 60) - 2 - _GAP) // 2
    left, right = (list(_column(vote, column)) for vote in tally.votes)
    yield ""
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"  {one:<{column}}{' ' * _GAP}{other}".rstrip()
    yield ""


def heaviest_first(findings: Iterable[ReportedFinding]) -> list[ReportedFinding]:
    order = ("blocking", "warning", "suggestion")
    return sorted(findings, key=lambda finding: order.index(finding.severity))


def _column(vote: Vote, width: int) -> Iterator[str]:
    review = vote.review
    yield f"{vote.agent}  {review.score_0_100} of 100"
    for paragraph in clean(review.summary).splitlines():
        yield from textwrap.wrap(paragraph, width)
    findings = heaviest_first(review.findings)
    for finding in findings[:SHOWN]:
        text = f"- {finding.severity} {words(file_line(finding.file, finding.line))}: {words(finding.issue)}"
        yield from textwrap.wrap(text, width, subsequent_indent="  ")
    if len(findings) > SHOWN:
        yield f"- and {len(findings) - SHOWN} more"


def _next(run: RunView) -> Sequence[str]:
    number = pull_of(run)["number"]
    cause, again = run.detail.get("cause"), f"reknit vote {number}"
    if cause == LOGIN:
        return ("reknit doctor", again)
    if run.ending == "BLOCKED" and cause == "vote":
        return (f"reknit fix pr {number}", again)
    steps: Mapping[str, str] = {
        "CLEAN": f"reknit show {run.id}",
        "OVER_BUDGET": f"{again} --budget {2 * run.budget_usd:g}",
        "UNVERIFIED": again,
        "CANCELLED": again,
    }
    return (steps.get(run.ending or "", f"reknit explain {run.id}"),)
