"""Renders the events of a vote without scores, and both votes side by side once both are in."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.agents.call import AgentCall, RateLimited, to_outcome_word
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import Pull
from reknit.core.runs.ending import LOGIN
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, describe_spending, get_pull
from reknit.core.text.format import (
    format_location,
    format_seconds,
    render_field,
    sanitize_line,
    to_one_line,
)
from reknit.core.text.redact import clean
from reknit.core.vote.decision import Tally, Vote, decide_ending, find_vote
from reknit.core.vote.task import VoteOnPullRequest

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
"""Width of the output if there is no terminal; both votes fit beside each other."""
_MAX_SHOWN_FINDINGS = 5
"""Maximum number of findings per voter in a terminal; the pull request and `--format json` show more."""
READ_BEFORE_MERGE = "The average still decides: read them before you merge."
_COLUMN_GAP = 3


def render_heading(spec: RunSpec) -> list[str]:
    """Return the lines shown before the run starts."""
    target = spec.task_as(VoteOnPullRequest)
    names = " and ".join(voter.name for voter in target.voters)
    needs = f"an average of {target.limits.approve_0_100:g} approves"
    cap = f"at most ${spec.limits.budget_usd:.2f}"
    return [
        f"{spec.run_id}  #{target.number} {target.title}",
        f"  {names} vote, neither sees the other's vote; {needs}; {cap}",
    ]


def report_look(pull: Pull, snapshot: PullSnapshot) -> Event:
    """Report the commit that is voted on."""
    text = f"#{pull.number} {pull.title} at {snapshot.head[:7]}"
    return Event("look", "note", "look", text, {"head": snapshot.head, "base": snapshot.base, "pull": pull.number})


def report_voter_start(agent: str, tries: int) -> Event:
    """Report that a voter begins to read the change."""
    again = f", call {tries + 1}" if tries else ""
    return Event("voter", "note", agent, f"reads the change{again}", {"agent": agent, "call": tries + 1})


def report_call(agent: str, tries: int, call: AgentCall) -> Event:
    """Report that a vote is in, never its score; for a failed call, no text that could contain a score."""
    data: dict[str, object] = {
        "agent": agent,
        "call": tries + 1,
        "outcome": to_outcome_word(call.outcome),
        "cost_usd": call.usage.cost_usd,
        "seconds": round(call.seconds, 2),
    }
    took = f"  {format_seconds(call.seconds)}  ${call.usage.cost_usd:.2f}"
    if find_vote(call):
        return Event("voted", "ok", agent, f"has voted{took}", data)
    mark: Mark = "wait" if isinstance(call.outcome, RateLimited) else "bad"
    return Event("no_vote", mark, agent, f"gave no vote ({to_outcome_word(call.outcome)}){took}", data)


def report_tally(tally: Tally) -> Event:
    """Report both scores and the result."""
    data: dict[str, object] = {
        "head": tally.head,
        "scores": {vote.agent: vote.review.score_0_100 for vote in tally.votes},
        "average": tally.average,
        "needs": tally.approve_0_100,
        "approved": tally.approved,
    }
    ending = decide_ending(tally)
    return Event("votes", "ok" if ending.word == "CLEAN" else "bad", "votes", ending.reason, data)


def render_ending(run: RunView, tally: Tally | None, width: int = 0) -> str:
    """Return the text of an ended vote. `width`: of the terminal; 0: there is none."""
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {took}, {describe_spending(run)}",
        *render_field("why", to_one_line(run.reason), width),
        *(
            render_field("NOTE", f"{tally.warning}. {READ_BEFORE_MERGE}", width)
            if tally and tally.approved and tally.warning
            else []
        ),
        f"  pr      {to_one_line(str(get_pull(run)['url']))}",
        *render_side_by_side(tally, width),
    ]
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(_suggest_steps(run))]
    return clean("\n".join(lines))


def show_lines(run: RunView, tally: Tally | None, width: int = 0) -> list[str]:
    """Return the pull request and both votes."""
    pull = get_pull(run)
    text = f"#{pull['number']} {sanitize_line(str(pull['title']), 80)}   {to_one_line(str(pull['url']))}"
    return [*render_field("pr", text, width), *render_side_by_side(tally, width)]


def render_side_by_side(tally: Tally | None, width: int = 0) -> Iterator[str]:
    """Yield both votes with their feedback in two columns; nothing until both are in."""
    if tally is None:
        return
    column = (max(width or PIPE_COLUMNS, 60) - 2 - _COLUMN_GAP) // 2
    left_lines, right_lines = (list(_render_column(vote, column)) for vote in tally.votes)
    yield ""
    for one, other in zip_longest(left_lines, right_lines, fillvalue=""):
        yield f"  {one:<{column}}{' ' * _COLUMN_GAP}{other}".rstrip()
    yield ""


def sort_by_severity(findings: Iterable[ReportedFinding]) -> list[ReportedFinding]:
    """Return the findings, blocking ones first."""
    order = ("blocking", "warning", "suggestion")
    return sorted(findings, key=lambda finding: order.index(finding.severity))


def _render_column(vote: Vote, width: int) -> Iterator[str]:
    review = vote.review
    yield f"{vote.agent}  {review.score_0_100} of 100"
    for paragraph in clean(review.summary).splitlines():
        yield from textwrap.wrap(paragraph, width)
    findings = sort_by_severity(review.findings)
    for finding in findings[:_MAX_SHOWN_FINDINGS]:
        location = sanitize_line(format_location(finding.file, finding.line))
        text = f"- {finding.severity} {location}: {sanitize_line(finding.issue)}"
        yield from textwrap.wrap(text, width, subsequent_indent="  ")
    if len(findings) > _MAX_SHOWN_FINDINGS:
        yield f"- and {len(findings) - _MAX_SHOWN_FINDINGS} more"


def _suggest_steps(run: RunView) -> Sequence[str]:
    number = get_pull(run)["number"]
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
    return (steps.get(run.ending or "", f"reknit show {run.id} --why"),)
