"""What an agent call came to: one table for all agents, read from typed facts and never from prose."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import FixReport, Review, Role
from reknit.core.agents.call import Aborted, Done, Outcome, RateLimited, Unusable
from reknit.core.box import CommandResult, EndReason
from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.core.gateway.policy import TOO_MANY
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
_LONGEST = 500
_TOO_LONG = 413


@dataclass(frozen=True)
class FinalEvent:
    """The event with which an agent's CLI says that it ended. It came out of the box: an account, not evidence."""

    finished: bool
    """It says that it did its work."""
    words: str = ""
    """What it said last, cut short and fit to be shown."""
    turn_limit: bool = False
    too_long: bool = False
    """The conversation outgrew the model's window: the work is lost, but nobody has to act."""


def outcome_of(ended: CommandResult, last: FinalEvent | None, seen: GatewayObservation, role: Role) -> Outcome:
    """First matching row wins. An exit code is never enough: killed or rate limited, a CLI can still exit 0."""
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
        return Aborted("crashed", f"exit code {ended.exit_code} after its last word")
    return _finished(seen, role)


def _killed(broke: Aborted, seen: GatewayObservation) -> Outcome:
    """A CLI that sleeps through a limit in the box did not fail: it was told `not now`."""
    return as_limited(seen.limit) if seen.limit is not None and broke.why != "output" else broke


def _crash(ended: CommandResult) -> Aborted:
    words = last_words(ended.stderr)
    return Aborted("crashed", f"exit code {ended.exit_code}: {words}" if words else f"exit code {ended.exit_code}")


def _finished(seen: GatewayObservation, role: Role) -> Outcome:
    """A fixer owes no report: its work is the tree."""
    if isinstance(seen.report, FixReport) and seen.report.status == "question":
        return Aborted("asked_a_question", first_words(seen.report.question))
    if role == "review" and not isinstance(seen.report, Review):
        return Aborted("invalid_output", first_words(seen.report_problem) or "no report came")
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
    """Only here a refusal of the gateway's own is the cause: else it may be of anything that runs in the box."""
    if seen.refused:
        return Unusable("bad_request", f"the gateway refused: {seen.refused[-1]}")
    return Unusable("config", f"it never asked its model: {last.words}")


def correction(outcome: Outcome) -> str:
    """What a reviewer whose report was missing or wrong is told when it is asked once more; empty: it is not asked."""
    if not isinstance(outcome, Aborted) or outcome.why != "invalid_output":
        return ""
    return (
        "Your last answer to this did not count, because your report was not handed in rightly: "
        f"{outcome.detail}. Prose is not read. Do the work again and end it with the reknit tools, "
        "each field as its description says."
    )


def first_words(text: str) -> str:
    return redact(clean(text[: 4 * _LONGEST])).strip()[:_LONGEST]


def last_words(output: bytes) -> str:
    return redact(clean(output[-4 * _LONGEST :].decode("utf-8", "replace"))).strip()[-_LONGEST:]
