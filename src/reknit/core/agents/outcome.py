"""Decides the outcome of an agent call: the same for all agents, by typed facts and never by prose."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.values import CaseProposal, FixReport, PlanProposal, Review, Role
from reknit.core.agents.call import Aborted, Done, Outcome, RateLimited, Unusable
from reknit.core.box import CommandResult, EndReason
from reknit.core.gateway.access import TOO_MANY, GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.core.text.redact import clean, redact


def to_rate_limited(limit: ProviderRefusal) -> RateLimited:
    """Convert a provider's refusal to an outcome."""
    if limit.status == UNREACHABLE:
        return RateLimited("unreachable", limit.until)
    return RateLimited("rate_limited" if limit.status == 429 else "overloaded", limit.until)


_KILLED: Mapping[EndReason, Aborted] = {
    "wall": Aborted("timeout"),
    "idle": Aborted("idle"),
    "output": Aborted("output"),
}
_REQUIRED_REPORTS: Mapping[Role, type] = {"review": Review, "plan": PlanProposal, "holdout": CaseProposal}
_NOT_STARTED = (126, 127)
"""Exit codes of a shell for a program that cannot be executed, or that does not exist."""
SHOW_MORE = "the box shows the repository and the system's programs; `workspace.show` adds files and folders of yours"
_MAX_CHARS = 500
_CONTENT_TOO_LARGE = 413


@dataclass(frozen=True)
class FinalEvent:
    """The event with which an agent's CLI reports its end. It comes from the box: a claim, not evidence."""

    has_finished: bool
    """The agent claims that its work is done."""
    words: str = ""
    """Its last message, truncated and safe to show."""
    turn_limit: bool = False
    too_long: bool = False
    """The conversation exceeded the model's context window: the work is lost, but no person needs to act."""


def decide_outcome(
    ended: CommandResult, last: FinalEvent | None, observation: GatewayObservation, role: Role
) -> Outcome:
    """Return the outcome of a call; the first matching condition wins.

    The exit code is never enough: a killed or rate-limited CLI can still exit 0.
    """
    if ended.reason in _KILLED:
        return _judge_killed(_KILLED[ended.reason], observation)
    if observation.over_budget == TOO_MANY:
        return Aborted("turn_limit", TOO_MANY)
    if observation.over_budget:
        return Aborted("budget", observation.over_budget)
    if last is None and observation.status is None and (problem := explain_no_start(ended)):
        return Unusable("config", problem)
    if last is None:
        return _to_crash(ended)
    if last.turn_limit:
        return Aborted("turn_limit")
    if observation.model_refused:
        return Aborted("refused", last.words)
    if not last.has_finished:
        return _judge_failed(last, observation)
    if ended.exit_code != 0:
        return Aborted("crashed", f"exit code {ended.exit_code} after its final event")
    return _judge_finished(observation, role)


def explain_no_start(ended: CommandResult) -> str:
    """Return why a program did not start in the box; empty: it did, whatever it then thought of its arguments."""
    has_ended = ended.reason == "exit" and ended.exit_code != 0
    if has_ended and (ended.exit_code in _NOT_STARTED or b"No such file" in ended.stderr):
        return f"it does not start in the box: {_to_crash(ended).detail}; {SHOW_MORE}"
    return ""


def _judge_killed(abort: Aborted, observation: GatewayObservation) -> Outcome:
    """Return `RateLimited` for a CLI that was killed while it waited for the end of a rate limit."""
    return to_rate_limited(observation.limit) if observation.limit is not None and abort.why != "output" else abort


def _to_crash(ended: CommandResult) -> Aborted:
    words = take_last_words(ended.stderr)
    return Aborted("crashed", f"exit code {ended.exit_code}: {words}" if words else f"exit code {ended.exit_code}")


def _judge_finished(observation: GatewayObservation, role: Role) -> Outcome:
    """Return `Done` only with the report that the role requires; a fixer needs none, because its work is the tree."""
    if isinstance(observation.report, FixReport) and observation.report.status == "question":
        return Aborted("asked_a_question", take_first_words(observation.report.question))
    if role in _REQUIRED_REPORTS and not isinstance(observation.report, _REQUIRED_REPORTS[role]):
        return Aborted("invalid_output", take_first_words(observation.report_problem) or "no report received")
    return Done()


def _judge_failed(last: FinalEvent, observation: GatewayObservation) -> Outcome:
    status = observation.status
    if observation.limit is not None:
        return to_rate_limited(observation.limit)
    if last.too_long or status == _CONTENT_TOO_LARGE:
        return Aborted("crashed", last.words)
    if status is None:
        return _explain_no_request(last, observation)
    if status == 0:
        return RateLimited("unreachable")
    if status == 429:
        return RateLimited("rate_limited")
    if status >= 500:
        return RateLimited("overloaded")
    if status in (401, 403):
        return Unusable("auth", last.words)
    return Unusable("bad_request", last.words) if status >= 400 else Aborted("crashed", last.words)


def _explain_no_request(last: FinalEvent, observation: GatewayObservation) -> Unusable:
    """Return why a failed CLI sent no request to its model.

    Only then the gateway's refusal is the cause; otherwise it may concern another program in the box.
    """
    if observation.refused:
        return Unusable("bad_request", f"the gateway refused: {observation.refused[-1]}")
    return Unusable("config", f"it never called its model: {last.words}")


def format_correction(outcome: Outcome) -> str:
    """Return the prompt for a second try if a report was missing or invalid; empty: there is no second try."""
    if not isinstance(outcome, Aborted) or outcome.why != "invalid_output":
        return ""
    return (
        "Your last answer did not count because your report was missing or invalid: "
        f"{outcome.detail}. Prose is not read. Do the work again and report with the reknit tools, "
        "filling in each field as its description says."
    )


def take_first_words(text: str) -> str:
    """Return the beginning of a text, truncated and safe to show."""
    return redact(clean(text[: 4 * _MAX_CHARS])).strip()[:_MAX_CHARS]


def take_last_words(output: bytes) -> str:
    """Return the end of an output, truncated and safe to show."""
    return redact(clean(output[-4 * _MAX_CHARS :].decode("utf-8", "replace"))).strip()[-_MAX_CHARS:]
