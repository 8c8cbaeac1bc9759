"""Runs, attempts and events as read from the store, and the texts that need only these values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.errors import InternalError, UsageError
from reknit.core.repository.uncommitted import warn_uncommitted
from reknit.core.runs.event import Event
from reknit.core.runs.spec import RunState
from reknit.core.runs.spending import Spending, render_spending


@dataclass(frozen=True)
class RunView:
    """A run as it is stored."""

    id: str
    kind: str
    repository: str
    base: str
    agent: str
    state: RunState
    phase: str
    """The step that it takes now."""
    worker: str
    """The slot of the process that last worked on it."""
    reason: str
    """Why it waits, or why it ended."""
    until: float | None
    """Unix time at which its wait ends, if it waits."""
    ending: str | None
    detail: Mapping[str, object]
    commit: str | None
    spent_usd: float
    budget_usd: float
    created_at: float
    ended_at: float | None
    undone_at: float | None
    spec: Mapping[str, object]
    held_usd: float = 0.0
    """See `Spending`."""


@dataclass(frozen=True)
class AttemptView:
    """An attempt as it is stored."""

    number: int
    finding: str
    subject: str
    strategy: str
    starts: int
    """How often it was started; more than once after a crash."""
    outcome: str | None
    gate: Mapping[str, object] | None
    proof: Mapping[str, object] | None
    said: str | None
    """The last message of the agent."""
    cost_usd: float | None
    tokens: int | None
    started_at: float
    ended_at: float | None


@dataclass(frozen=True)
class EventView:
    """An event as it is stored, with its run and its time."""

    number: int
    run_id: str
    at: float
    event: Event


def describe_spending(run: RunView) -> str:
    """Return the spent and the allowed amount, and apart from them what is reserved, if anything is."""
    money = Spending(run.spent_usd, run.budget_usd, run.held_usd)
    return render_spending(money, has_ended=run.ending is not None)


def get_task(run: RunView) -> Mapping[str, Any]:
    """Return the fields of its task, as they were stored."""
    return _to_mapping(run.spec.get("task"))


def get_plan_topic(run: RunView) -> str:
    """Return the topic of the plan that started the run; empty: a person did."""
    return str(_to_mapping(get_task(run).get("variant")).get("topic", ""))


def get_uncommitted(run: RunView) -> Mapping[str, Any]:
    """Return the fields of its `UncommittedWork`, as they were stored."""
    return _to_mapping(run.spec.get("uncommitted"))


def _to_mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def render_take_command(run: RunView) -> str:
    """Return the command that brings the fix to the user: a fix of uncommitted work cannot be merged."""
    return f"reknit apply {run.id}" if get_uncommitted(run).get("on_top_of") else f"git merge reknit/{run.id}"


def get_pull(run: RunView) -> Mapping[str, Any]:
    """Return the fields of the task of a run on a pull request."""
    if not has_pull(run):
        raise InternalError("no-pull-request", f"{run.id} has no pull request")
    return get_task(run)


def has_pull(run: RunView) -> bool:
    """Return True if the run works on a pull request: only such tasks have a number."""
    return "number" in get_task(run)


def warn_beside_clean(run: RunView) -> str:
    """Return the note on uncommitted files of a run that ended CLEAN; empty if there is none."""
    names, count = get_uncommitted(run).get("paths"), get_uncommitted(run).get("count")
    if run.ending != "CLEAN" or not isinstance(names, list | tuple) or not isinstance(count, int):
        return ""
    return warn_uncommitted([str(name) for name in names], count, on_forge=has_pull(run), kind=run.kind)


class TakenByRunError(UsageError):
    """Another run has the pull request or the issues; the help depends on the state of that run."""

    def __init__(self, run: RunView) -> None:
        self.run = run
        resume = f"`reknit resume {run.id}` continues it"
        watch = f"`reknit watch {run.id}` follows it"
        steps = {"queued": f"`reknit worker` takes it, {watch}", "interrupted": resume, "left": resume}
        subject = f"#{get_pull(run)['number']}" if has_pull(run) else "the issues of this repository"
        sentence = f"{run.id} is open on {subject} ({run.state})"
        super().__init__(
            "taken", sentence, help=f"{steps.get(run.state, watch)}, `reknit stop {run.id} --for-good` ends it"
        )
