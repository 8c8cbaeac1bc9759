"""The outcome of an agent call: one decision table for all agents, based on typed facts, never on prose."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import CaseProposal, FixReport, PlanProposal, Review, Role
from reknit.core.agents.call import Aborted, Done, Outcome, RateLimited, Unusable
from reknit.core.box import CommandResult, EndReason
from reknit.core.gateway.access import TOO_MANY, GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.core.text.redact import clean, redact


def as_limited(limit: ProviderRefusal) -> RateLimited:
    if limit.status == UNREACHABLE:
        return RateLimited("unreachable", limit.until)
    return RateLimited("rate_limited" if limit.status == 429 else "overloaded", limit.until)


_KILLED: Mapping[EndReason, Aborted] = {
    "wall": Aborted("timeout"),
    "idle": Aborted("idle"),
    "output": Aborted("output"),
}
_OWED: Mapping[Role, type] = {"review": Review, "plan": PlanProposal, "holdout": CaseProposal}
_LONGEST = 500
_TOO_LONG = 413


@dataclass(frozen=True)
class FinalEvent:
    """The event with which an agent's CLI reports its end. It comes from the box: a claim, not evidence."""

    finished: bool
    """It claims to have done its work."""
    words: str = ""
    """Its last message, truncated and safe to show."""
    turn_limit: bool = False
    too_long: bool = False
    """The conversation exceeded the model's context window: the work is lost, but no person has to act."""


def outcome_of(ended: CommandResult, last: FinalEvent | None, seen: GatewayObservation, role: Role) -> Outcome:
    """First matching row wins. The exit code is never enough: a killed or rate-limited CLI can still exit 0."""
    if ended.reason in _KILLED:
        return _killed(_KILLED[ended.reason], seen)
    if seen.over_budget == TOO_MANY:
        return Aborted("turn_limit", TOO_MANY)
    if seen.over_budget:
        return Aborted("budget", seen.over_budget)
    if last is None:
        return _crash(ended)
    if last.turn_limit:
        return Aborted("turn_limit")
    if seen.model_refused:
        return Aborted("refused", last.words)
    if not last.finished:
        return _failed(last, seen)
    if ended.exit_code != 0:
        return Aborted("crashed", f"exit code {ended.exit_code} after its final event")
    return _finished(seen, role)


def _killed(broke: Aborted, seen: GatewayObservation) -> Outcome:
    """A CLI that was killed while waiting out a rate limit in the box did not fail: it was rate limited."""
    return as_limited(seen.limit) if seen.limit is not None and broke.why != "output" else broke


def _crash(ended: CommandResult) -> Aborted:
    words = last_words(ended.stderr)
    return Aborted("crashed", f"exit code {ended.exit_code}: {words}" if words else f"exit code {ended.exit_code}")


def _finished(seen: GatewayObservation, role: Role) -> Outcome:
    """A fixer needs no report: its work is the tree."""
    if isinstance(seen.report, FixReport) and seen.report.status == "question":
        return Aborted("asked_a_question", first_words(seen.report.question))
    if role in _OWED and not isinstance(seen.report, _OWED[role]):
        return Aborted("invalid_output", first_words(seen.report_problem) or "no report received")
    return Done()


def _failed(last: FinalEvent, seen: GatewayObservation) -> Outcome:
    status = seen.status
    if seen.limit is not None:
        return as_limited(seen.limit)
    if last.too_long or status == _TOO_LONG:
        return Aborted("crashed", last.words)
    if status is None:
        return _never_asked(last, seen)
    if status == 0:
        return RateLimited("unreachable")
    if status == 429:
        return RateLimited("rate_limited")
    if status >= 500:
        return RateLimited("overloaded")
    if status in (401, 403):
        return Unusable("auth", last.words)
    return Unusable("bad_request", last.words) if status >= 400 else Aborted("crashed", last.words)


def _never_asked(last: FinalEvent, seen: GatewayObservation) -> Unusable:
    """Only here is a gateway refusal the cause; elsewhere it may concern anything that runs in the box."""
    if seen.refused:
        return Unusable("bad_request", f"the gateway refused: {seen.refused[-1]}")
    return Unusable("config", f"it never called its model: {last.words}")


def correction(outcome: Outcome) -> str:
    """Prompt text for a second try of a reviewer whose report was missing or invalid; empty: no second try."""
    if not isinstance(outcome, Aborted) or outcome.why != "invalid_output":
        return ""
    return (
        "Your last answer did not count because your report was missing or invalid: "
        f"{outcome.detail}. Prose is not read. Do the work again and report with the reknit tools, "
        "filling in each field as its description says."
    )


def first_words(text: str) -> str:
    return redact(clean(text[: 4 * _LONGEST])).strip()[:_LONGEST]


def last_words(output: bytes) -> str:
    return redact(clean(output[-4 * _LONGEST :].decode("utf-8", "replace"))).strip()[-_LONGEST:]
