"""Describes one call of a coding agent: its settings, its thinking budget, its order and its outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from reknit.core.agent_reports.session import ANSWERS
from reknit.core.agent_reports.values import RefusedAnswer, Report, Role
from reknit.core.agents.strategy import Strategy

THINKING_TOKENS: Mapping[Role, int] = {"fix": 20_000, "review": 10_000, "plan": 10_000, "holdout": 10_000}
"""Default thinking budgets. Each CLI gets its budget in its own form."""
PULL_REVIEW_TOKENS = 20_000
"""Thinking budget of a Claude that votes on a pull request or reviews it; a challenger has that of its role."""
_VENDORS: Mapping[str, str] = {"claude": "anthropic", "codex": "openai", "gemini": "gemini"}


@dataclass(frozen=True)
class AgentSettings:
    """An agent and its settings. They are stored with the run, so they contain no secret."""

    name: str
    kind: str
    """The adapter: claude, gemini, codex, scripted, any_command."""
    model: str = ""
    effort: str = ""
    """The CLI's own name for an effort level; empty: derived from `thinking_tokens`."""
    thinking_tokens: int = 0
    """0: the default of its role."""
    binary: str = ""
    """Empty: found on PATH."""
    command: tuple[str, ...] = ()
    """any_command: the argv; the prompt comes on stdin."""
    upstream: str = ""
    """The one address the gateway may reach for this agent. Empty: the vendor's own."""
    provider: str = ""
    """any_command: its model's wire format, one of `core/gateway/access.py`; the other kinds have a fixed one."""
    key_env: str = ""
    """Name of the host's environment variable that holds the key; the gateway reads it, the box never sees it."""
    env: tuple[tuple[str, str], ...] = ()
    """any_command: environment in the box; `{gateway}` and `{token}` are replaced."""
    story: str = ""
    """scripted: a JSON list with one move per attempt (see adapters/agents/scripted/agent.py)."""

    @property
    def vendor(self) -> str:
        """Return the vendor of its model, or its name if unknown: agents of one vendor are not independent."""
        wire = self.provider if self.kind == "any_command" else _VENDORS.get(self.kind, "")
        return wire if wire in _VENDORS.values() else self.name

    @property
    def can_report(self) -> bool:
        """Return True if it can report through our tools; a program of kind `any_command` only changes files."""
        return self.kind != "any_command"


@dataclass(frozen=True)
class AgentOrder:
    """The order of one call: prompt, role and limits."""

    run_id: str
    attempt: int
    """Number of this attempt in the run, from 1."""
    strategy: Strategy
    prompt: str
    wall_s: float
    idle_s: float
    turns: int
    budget_usd: float
    """Maximum cost of this call in US dollars."""
    folder: str
    """Host folder of this attempt, not visible in the box: transcripts go here."""
    role: Role = "fix"
    answers: int = ANSWERS
    """Role `plan`: maximum number of answers that are read."""

    @property
    def reads_only(self) -> bool:
        return self.role != "fix"


@dataclass(frozen=True)
class Done:
    """The agent reported that it finished. Its work is read from the tree, not from its words."""


@dataclass(frozen=True)
class RateLimited:
    """The provider refuses temporarily. The run waits; this is not counted as an attempt."""

    why: Literal["rate_limited", "overloaded", "unreachable"]
    until: float | None = None
    """Seconds since 1970; None: the provider gave no time."""


@dataclass(frozen=True)
class Unusable:
    """A person must act before this agent can work."""

    why: Literal["login", "auth", "config", "bad_request"]
    """`login`: there is no key; `auth`: the provider rejected the key."""
    detail: str = ""


@dataclass(frozen=True)
class Aborted:
    """The call ended without a finished answer. It counts as an attempt, and its changes to the tree are judged."""

    why: Literal[
        "turn_limit", "budget", "timeout", "idle", "output", "crashed", "refused", "asked_a_question", "invalid_output"
    ]
    """`refused`: the model declined. `invalid_output`: the required report was missing or never valid."""
    detail: str = ""


Outcome = Done | RateLimited | Unusable | Aborted


@dataclass(frozen=True)
class Usage:
    """Tokens and cost of this call only, never cumulative."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    cost_usd: float = 0.0
    """Cost in US dollars, computed from the gateway's own token count and the price table."""
    held_usd: float = 0.0
    """Maximum cost in US dollars of requests that were cut off: their provider may have billed them."""


@dataclass(frozen=True)
class AgentCall:
    """The result of one call."""

    outcome: Outcome
    usage: Usage = Usage()
    seconds: float = 0.0
    last_message: str = ""
    """The agent's last message, truncated. For people; no code depends on it."""
    refusals: tuple[str, ...] = ()
    """Requests that the gateway refused."""
    report: Report | None = None
    """The agent's report through the typed channel: a claim, not evidence."""
    refused_answers: tuple[RefusedAnswer, ...] = ()
    """Role `plan`: answers that were not valid."""


@dataclass(frozen=True)
class AgentFacts:
    """Facts about an agent that need no call of a model."""

    is_installed: bool
    version: str = ""
    login: bool = False
    detail: str = ""
    warning: str = ""
    """A better way to set up an agent that works."""


def to_outcome_word(outcome: Outcome) -> str:
    """Return `done`, or why the call failed."""
    return "done" if isinstance(outcome, Done) else outcome.why


_EFFORTS = ((4_000, "low"), (16_000, "medium"), (32_000, "high"), (64_000, "xhigh"))
"""(tokens, effort): the effort for fewer tokens than these."""
_GEMINI_LEAST, _GEMINI_MOST = 128, 24_576
"""Limits of a thinking budget that every Gemini 2.5 model accepts."""


def choose_thinking_tokens(settings: AgentSettings, role: Role) -> int:
    """Return the thinking budget in tokens: the configured one, or that of the role."""
    return settings.thinking_tokens or THINKING_TOKENS[role]


def choose_claude_effort(settings: AgentSettings, role: Role) -> str:
    """Return the effort level of Claude Code."""
    return settings.effort or _choose_effort(choose_thinking_tokens(settings, role), longest="max")


def choose_codex_effort(settings: AgentSettings, role: Role) -> str:
    """Return the effort level of codex, whose highest is `xhigh`."""
    effort = "xhigh" if settings.effort == "max" else settings.effort
    return effort or _choose_effort(choose_thinking_tokens(settings, role), longest="xhigh")


def _choose_effort(tokens: int, *, longest: str) -> str:
    return next((word for below, word in _EFFORTS if tokens < below), longest)


def choose_gemini_thinking(model: str, settings: AgentSettings, role: Role) -> dict[str, object]:
    """Return Gemini's `thinkingConfig`. Models from Gemini 3 on take a level and reject a budget beside it."""
    tokens = choose_thinking_tokens(settings, role)
    if "gemini-2" in model:
        return {"thinkingBudget": min(max(tokens, _GEMINI_LEAST), _GEMINI_MOST)}
    return {"thinkingLevel": "LOW" if tokens < _EFFORTS[0][0] else "HIGH"}
