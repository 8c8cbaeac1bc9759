"""What an agent call came to: one table for all agents, read from typed facts and never from prose."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import FixReport, Review, Role
from reknit.core.agents.call import Broke, Done, Limited, Outcome, Refused
from reknit.core.box import Ended, EndReason
from reknit.core.gateway.access import Seen
from reknit.core.gateway.metering import UNREACHABLE, NotNow
from reknit.core.gateway.policy import TOO_MANY
from reknit.core.text.redact import clean, redact


def as_limited(limit: NotNow) -> Limited:
    if limit.status == UNREACHABLE:
        return Limited("unreachable", limit.until)
    return Limited("rate_limited" if limit.status == 429 else "overloaded", limit.until)


_KILLED: Mapping[EndReason, Broke] = {"wall": Broke("timeout"), "idle": Broke("idle"), "output": Broke("output")}
_LONGEST = 500
_TOO_LONG = 413


@dataclass(frozen=True)
class LastWord:
    """The event with which an agent's CLI says that it ended. It came out of the box: an account, not evidence."""

    finished: bool
    """It says that it did its work."""
    words: str = ""
    """What it said last, cut short and fit to be shown."""
    turn_limit: bool = False
    too_long: bool = False
    """The conversation outgrew the model's window: the work is lost, but nobody has to act."""


def outcome_of(ended: Ended, last: LastWord | None, seen: Seen, role: Role) -> Outcome:
    """First matching row wins. An exit code is never enough: killed or rate limited, a CLI can still exit 0."""
    if ended.reason in _KILLED:
        return _killed(_KILLED[ended.reason], seen)
    if seen.over_budget == TOO_MANY:
        return Broke("turn_limit", TOO_MANY)
    if seen.over_budget:
        return Broke("budget", seen.over_budget)
    if last is None:
        return _crash(ended)
    if last.turn_limit:
        return Broke("turn_limit")
    if seen.model_refused:
        return Broke("refused", last.words)
    if not last.finished:
        return _failed(last, seen)
    if ended.exit_code != 0:
        return Broke("crashed", f"exit code {ended.exit_code} after its last word")
    return _finished(seen, role)


def _killed(broke: Broke, seen: Seen) -> Outcome:
    """A CLI that sleeps through a limit in the box did not fail: it was told `not now`."""
    return as_limited(seen.limit) if seen.limit is not None and broke.why != "output" else broke


def _crash(ended: Ended) -> Broke:
    words = last_words(ended.stderr)
    return Broke("crashed", f"exit code {ended.exit_code}: {words}" if words else f"exit code {ended.exit_code}")


def _finished(seen: Seen, role: Role) -> Outcome:
    """A fixer owes no report: its work is the tree."""
    if isinstance(seen.report, FixReport) and seen.report.status == "question":
        return Broke("asked_a_question", first_words(seen.report.question))
    if role == "review" and not isinstance(seen.report, Review):
        return Broke("invalid_output", first_words(seen.report_problem) or "no report came")
    return Done()


def _failed(last: LastWord, seen: Seen) -> Outcome:
    status = seen.status
    if seen.limit is not None:
        return as_limited(seen.limit)
    if last.too_long or status == _TOO_LONG:
        return Broke("crashed", last.words)
    if status is None:
        return _never_asked(last, seen)
    if status == 0:
        return Limited("unreachable")
    if status == 429:
        return Limited("rate_limited")
    if status >= 500:
        return Limited("overloaded")
    if status in (401, 403):
        return Refused("auth", last.words)
    return Refused("bad_request", last.words) if status >= 400 else Broke("crashed", last.words)


def _never_asked(last: LastWord, seen: Seen) -> Refused:
    """Only here a refusal of the gateway's own is the cause: else it may be of anything that runs in the box."""
    if seen.refused:
        return Refused("bad_request", f"the gateway refused: {seen.refused[-1]}")
    return Refused("config", f"it never asked its model: {last.words}")


def correction(outcome: Outcome) -> str:
    """What a reviewer whose report was missing or wrong is told when it is asked once more; empty: it is not asked."""
    if not isinstance(outcome, Broke) or outcome.why != "invalid_output":
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
