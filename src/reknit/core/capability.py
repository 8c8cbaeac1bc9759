"""Describes what shared code knows about one kind of run; every command that starts runs has one such value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import AttemptView, RunView, describe_spending
from reknit.core.text.format import format_seconds, to_one_line
from reknit.core.text.format import render_field as text_field

Document = Mapping[str, Any]


@dataclass(frozen=True)
class StoredRun:
    """A run with everything that is stored about it."""

    run: RunView
    attempts: Sequence[AttemptView] = ()
    receipts: Sequence[Mapping[str, object]] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)
    """Name -> document, for the names in `Capability.documents`; missing or empty until the run writes it."""


@dataclass(frozen=True)
class AgentChoice:
    """An agent of the run, and the option by which a person chose it."""

    agent: AgentSettings
    option: str
    """The option that selects another agent."""


def list_fixers(spec: RunSpec) -> list[AgentChoice]:
    """Return the agents that edit."""
    return [AgentChoice(agent, "--agent") for agent in spec.agents]


def render_short_heading(spec: RunSpec) -> list[str]:
    """Return the agents and the budget, in one line."""
    agents = ", then ".join(agent.name for agent in spec.agents)
    return [f"{spec.run_id}  {agents}, at most ${spec.limits.budget_usd:.2f}"]


def render_short_ending(stored: StoredRun, width: int) -> str:
    """Return the ending, the reason and the next command."""
    run = stored.run
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    first = f"{run.ending}   {took}, {describe_spending(run)}"
    return "\n".join([first, *text_field("why", to_one_line(run.reason), width)])


def _render_no_lines(_stored: StoredRun, _width: int) -> list[str]:
    return []


def _render_no_document(_stored: StoredRun) -> dict[str, object]:
    return {}


@dataclass(frozen=True)
class Capability:
    """The properties of one kind of run; the defaults suit a run that only reads."""

    kind: str
    """Its command without `reknit`; stored with every run."""
    lands: Literal["nothing", "branch", "pull request"] = "nothing"
    """The place of its commits, which decides what `undo` can do."""
    if_kept: str = ""
    """Added to the message of `undo` if another branch contains the commit."""
    agents: Callable[[RunSpec], list[AgentChoice]] = list_fixers
    """Returns the agents that are checked before the run starts."""
    agent_names: Callable[[RunView], str] = lambda run: run.agent
    runs_tests: bool = False
    phases: Mapping[str, str] = field(default_factory=dict)
    """Step -> what it does, for people. Empty: people see the names of the steps."""
    documents: tuple[str, ...] = ()
    """Names of the documents that its texts are made from."""
    heading: Callable[[RunSpec], list[str]] = render_short_heading
    """Printed before the run starts."""
    view: Literal["lines", "pull request table"] = "lines"
    """How a terminal shows a run in progress."""
    ending_text: Callable[[StoredRun, int], str] = render_short_ending
    """Texts take the width of the terminal; 0: there is none."""
    show_lines: Callable[[StoredRun, int], list[str]] = _render_no_lines
    explain_lines: Callable[[StoredRun, int], list[str]] = _render_no_lines
    receipt_lines: Callable[[Mapping[str, object]], list[str]] = lambda _receipt: []
    """Renders what a receipt says was verified."""
    show_document: Callable[[StoredRun], dict[str, object]] = _render_no_document
    """Added to the JSON of `show` and `explain`."""
    ending_document: Callable[[StoredRun], dict[str, object]] = _render_no_document
    """Added to the JSON of the ending."""
    reports: Mapping[str, Callable[[StoredRun], str]] = field(default_factory=dict)
    """Further formats in which its result can be printed: name of the format -> the text."""
    state_document: Callable[[StoredRun], dict[str, object]] | None = None
    """`show --format state`; None: it has no loop state."""
