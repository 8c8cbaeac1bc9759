"""How much an agent may think, as the setting each CLI has: an effort level or a token budget."""

from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import THINKING_TOKENS, AgentSettings

_EFFORTS = ((4_000, "low"), (16_000, "medium"), (32_000, "high"), (64_000, "xhigh"))
"""(tokens, effort): the effort for fewer tokens than this."""

_GEMINI_LEAST, _GEMINI_MOST = 128, 24_576
"""Accepted by every 2.5 model."""


def tokens_of(settings: AgentSettings, role: Role) -> int:
    return settings.thinking_tokens or THINKING_TOKENS[role]


def claude_effort(settings: AgentSettings, role: Role) -> str:
    return settings.effort or _effort(tokens_of(settings, role), longest="max")


def codex_effort(settings: AgentSettings, role: Role) -> str:
    given = "xhigh" if settings.effort == "max" else settings.effort  # the highest codex has
    return given or _effort(tokens_of(settings, role), longest="xhigh")


def _effort(tokens: int, *, longest: str) -> str:
    return next((word for below, word in _EFFORTS if tokens < below), longest)


def gemini_thinking(model: str, settings: AgentSettings, role: Role) -> dict[str, object]:
    """Its `thinkingConfig`. Models from Gemini 3 on take a level and reject a budget next to it."""
    tokens = tokens_of(settings, role)
    if "gemini-2" in model:
        return {"thinkingBudget": min(max(tokens, _GEMINI_LEAST), _GEMINI_MOST)}
    return {"thinkingLevel": "LOW" if tokens < _EFFORTS[0][0] else "HIGH"}
