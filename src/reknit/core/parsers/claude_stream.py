"""Claude Code's `stream-json` output: its last event, and the outcome it stands for."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.agent_call import Broke, Done, Limited, Outcome, Refused, Usage
from reknit.core.box import Ended
from reknit.core.gateway import OVER_BUDGET
from reknit.core.killed import KILLED
from reknit.core.metering import UNREACHABLE, NotNow, as_limited
from reknit.core.redact import clean, redact

_WORDS = 500
_STOPPED: Mapping[str, Broke] = {
    "error_max_turns": Broke("turn_limit"),
    "error_max_budget_usd": Broke("budget"),
}
_OVERLOADED = frozenset({500, 502, 503, 504, 529})
_TOO_LONG = 413


@dataclass(frozen=True)
class ClaudeEnd:
    """The terminal `result` event. It came out of the box: an account of the agent, not evidence."""

    subtype: str
    is_error: bool
    """True on an API error even when the subtype says `success`."""
    words: str
    """What it said last, cut short and fit to be shown."""
    status: int
    """HTTP status of the API error that ended the work; 0: none."""
    connection_failed: bool
    too_long: bool
    """The conversation outgrew the model's window: the work is lost, but nobody has to act."""
    usage: Usage


def read(stdout: bytes) -> ClaudeEnd | None:
    """None when the CLI did not reach its end. Lines that are no JSON objects are noise."""
    last: dict[str, object] | None = None
    for line in stdout.splitlines():
        if b'"result"' not in line:
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and event.get("type") == "result":
            last = event
    return None if last is None else _end(last)


def _end(event: Mapping[str, object]) -> ClaudeEnd:
    errors = event.get("errors")
    said = event.get("result") or (errors[0] if isinstance(errors, list) and errors else "")
    status = _count(event, "api_error_status")
    return ClaudeEnd(
        subtype=str(event.get("subtype", "")),
        is_error=bool(event.get("is_error")),
        words=_words(str(said)),
        status=status,
        connection_failed=event.get("api_error") == "connection_failed",
        too_long=event.get("terminal_reason") == "prompt_too_long" or status == _TOO_LONG,
        usage=_usage(event),
    )


def _words(text: str) -> str:
    return redact(clean(text[: 4 * _WORDS])).strip()[:_WORDS]


def _usage(event: Mapping[str, object]) -> Usage:
    """Of all the models the call used; `usage` alone leaves subagents and side requests out."""
    cost = event.get("total_cost_usd")
    known_cost = float(cost) if isinstance(cost, int | float) and math.isfinite(cost) else 0.0
    models = event.get("modelUsage")
    used = [each for each in models.values() if isinstance(each, dict)] if isinstance(models, dict) else []
    return Usage(
        input_tokens=sum(_count(each, "inputTokens") + _count(each, "cacheCreationInputTokens") for each in used),
        cached_tokens=sum(_count(each, "cacheReadInputTokens") for each in used),
        output_tokens=sum(_count(each, "outputTokens") for each in used),
        cost_usd=max(0.0, known_cost),
    )


def _count(values: Mapping[str, object], name: str) -> int:
    value = values.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def outcome(end: ClaudeEnd | None, ended: Ended, *, limit: NotNow | None, refused: Sequence[str]) -> Outcome:
    """First matching row wins. The exit code is never enough: killed or rate limited, the CLI can still exit 0."""
    if ended.reason in KILLED:
        return KILLED[ended.reason]
    if end is None:
        return Broke("crashed", _words(ended.stderr.decode("utf-8", "replace").strip()[-_WORDS:]))
    if end.subtype in _STOPPED:
        return _STOPPED[end.subtype]
    if end.is_error:
        return _api_error(end, limit, refused)
    return Done() if ended.exit_code == 0 else Broke("crashed", f"exit code {ended.exit_code} after its last word")


def _api_error(end: ClaudeEnd, limit: NotNow | None, refused: Sequence[str]) -> Outcome:
    if OVER_BUDGET in refused:
        return Broke("budget")
    if end.status == 429:
        return Limited("rate_limited", limit.until if limit else None)
    if end.connection_failed or (end.status == 502 and limit is not None and limit.status == UNREACHABLE):
        return Limited("unreachable")
    if end.status in _OVERLOADED:
        return Limited("overloaded", limit.until if limit else None)
    if end.too_long:
        return Broke("crashed", end.words)
    if end.status == 403 and refused:
        return Refused("bad_request", f"the gateway refused: {refused[-1]}")
    if end.status in (401, 403):
        return Refused("auth", end.words)
    if end.status:
        return Refused("bad_request", end.words)
    return as_limited(limit) if limit is not None else Broke("crashed", end.words)
