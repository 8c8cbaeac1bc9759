"""The trace of one run, built from its record: one span for the run, for each step and for each attempt.

Its ids are derived from the run's id, so that the same record always gives the same trace, also after `kill -9`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.runs.view import AttemptView, RunView
from reknit.core.telemetry import names

Value = str | int | float


@dataclass(frozen=True)
class StepTime:
    """A finished step of the engine."""

    number: int
    name: str
    started_at: float
    """Unix time, as for all of these."""
    ended_at: float
    has_failed: bool = False


@dataclass(frozen=True)
class Span:
    """One span; times are Unix times in nanoseconds."""

    name: str
    span_id: int
    parent_id: int | None
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value]
    has_failed: bool = False


@dataclass(frozen=True)
class Trace:
    """All spans of one run; the first one is the run's."""

    trace_id: int
    spans: Sequence[Span]


def build_trace(run: RunView, attempts: Sequence[AttemptView], steps: Sequence[StepTime]) -> Trace:
    """Return the trace of an ended run. Nothing that an agent or a repository wrote is in it."""
    root_id, end = _derive_id(f"{run.id}/run", 8), run.ended_at or run.created_at
    attributes: dict[str, Value] = {
        names.OPERATION: names.INVOKE_WORKFLOW, names.RUN: run.id, names.KIND: run.kind,
        names.ENDING: run.ending or "open", names.SPENT_USD: run.spent_usd, names.RESERVED_USD: run.held_usd,
    }  # fmt: skip
    root = Span(
        f"{names.INVOKE_WORKFLOW} {run.kind}", root_id, None, _to_ns(run.created_at), _to_ns(end), attributes,
        run.ending == "FAILED",
    )  # fmt: skip
    children = [*(_build_step(run, root_id, step) for step in steps)]
    children += [_build_attempt(run, root_id, attempt, end) for attempt in attempts]
    return Trace(_derive_id(run.id, 16), (root, *sorted(children, key=lambda span: span.start_ns)))


def _build_step(run: RunView, parent_id: int, step: StepTime) -> Span:
    span_id = _derive_id(f"{run.id}/step/{step.number}", 8)
    times = (_to_ns(step.started_at), _to_ns(max(step.started_at, step.ended_at)))
    attributes: dict[str, Value] = {names.RUN: run.id, names.STEP: step.number}
    return Span(f"step {step.name}", span_id, parent_id, *times, attributes, step.has_failed)


def _build_attempt(run: RunView, parent_id: int, attempt: AttemptView, run_end: float) -> Span:
    span_id = _derive_id(f"{run.id}/attempt/{attempt.number}", 8)
    end = max(attempt.started_at, run_end if attempt.ended_at is None else attempt.ended_at)
    attributes: dict[str, Value] = {
        names.OPERATION: names.INVOKE_AGENT, names.AGENT_NAME: attempt.agent, names.RUN: run.id,
        names.NUMBER: attempt.number, names.STRATEGY: attempt.strategy, names.STARTS: attempt.starts,
        names.OUTCOME: attempt.outcome or "unfinished", names.TOKENS: attempt.tokens or 0,
        names.SPENT_USD: attempt.cost_usd or 0.0,
    }  # fmt: skip
    name = f"{names.INVOKE_AGENT} {attempt.agent}".rstrip()
    return Span(name, span_id, parent_id, _to_ns(attempt.started_at), _to_ns(end), attributes)


def _derive_id(text: str, size: int) -> int:
    """Return an id that is never 0, which would not be valid."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big") or 1


def _to_ns(at: float) -> int:
    return round(at * 1_000_000) * 1_000
