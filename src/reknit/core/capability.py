"""What shared code knows about one kind of run. Every command that starts runs has one such value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import AttemptView, RunView
from reknit.core.text.format import one_line, seconds, spent_of
from reknit.core.text.layout import field as text_field

Document = Mapping[str, Any]


@dataclass(frozen=True)
class StoredRun:
    """A run with everything that is stored about it."""

    run: RunView
    attempts: Sequence[AttemptView] = ()
    receipts: Sequence[Mapping[str, object]] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)
    """By the names its capability lists. A document that was not written yet is missing or empty."""


@dataclass(frozen=True)
class AgentChoice:
    agent: AgentSettings
    option: str
    """The option that selects another agent."""


def fixer_choices(spec: RunSpec) -> list[AgentChoice]:
    return [AgentChoice(agent, "--agent") for agent in spec.agents]


def short_heading(spec: RunSpec) -> list[str]:
    agents = ", then ".join(agent.name for agent in spec.agents)
    return [f"{spec.run_id}  {agents}, at most ${spec.limits.budget_usd:.2f}"]


def short_ending(stored: StoredRun, width: int) -> str:
    run = stored.run
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    first = f"{run.ending}   {took}, {spent_of(run.spent_usd, run.budget_usd)}"
    return "\n".join([first, *text_field("why", one_line(run.reason), width), f"  next    reknit show {run.id}"])


def _no_lines(_stored: StoredRun, _width: int) -> list[str]:
    return []


def _no_document(_stored: StoredRun) -> dict[str, object]:
    return {}


@dataclass(frozen=True)
class Capability:
    """Only the first three fields are required; the defaults suit a run that only reads."""

    kind: str
    """Its command without `reknit`; stored with every run, as is the name of its workflow."""
    workflow: str
    """The name of its durable workflow, such as `repair.v1`."""
    function: str
    """`module:name` of that workflow. Imported only where runs are executed."""
    on_cancel: str = ""
    """`module:name` of a coroutine that is called with services, spec and ending after a person cancelled the run."""
    lands: Literal["nothing", "branch", "pull request"] = "nothing"
    """Where its commits go, and so what `undo` can do."""
    if_kept: str = ""
    """Added to the message of `undo` if another branch contains the commit."""
    agents: Callable[[RunSpec], list[AgentChoice]] = fixer_choices
    """Checked before the run starts."""
    agent_names: Callable[[RunView], str] = lambda run: run.agent
    runs_tests: bool = False
    phases: Mapping[str, str] = field(default_factory=dict)
    """Step -> what it does, for people. Empty: people see the names of the steps."""
    documents: tuple[str, ...] = ()
    """Names of the documents that its texts are made from."""
    heading: Callable[[RunSpec], list[str]] = short_heading
    """Printed before the run starts."""
    view: Literal["lines", "pull request table"] = "lines"
    """How a terminal shows the run while it works."""
    ending_text: Callable[[StoredRun, int], str] = short_ending
    """Texts take the width of the terminal; 0: there is none."""
    show_lines: Callable[[StoredRun, int], list[str]] = _no_lines
    explain_lines: Callable[[StoredRun, int], list[str]] = _no_lines
    receipt_lines: Callable[[Mapping[str, object]], list[str]] = lambda _receipt: []
    """What a receipt says was verified."""
    show_document: Callable[[StoredRun], dict[str, object]] = _no_document
    """Added to the JSON of `show` and `explain`."""
    ending_document: Callable[[StoredRun], dict[str, object]] = _no_document
    """Added to the JSON of the ending."""
    reports: Mapping[str, Callable[[StoredRun], str]] = field(default_factory=dict)
    """Further formats in which its result can be printed: name of the format -> the text."""
    state_document: Callable[[StoredRun], dict[str, object]] | None = None
    """`show --format state`; None: it has no loop state."""
