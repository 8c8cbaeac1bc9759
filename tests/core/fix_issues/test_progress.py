"""What a run on the backlog has done so far."""

from dataclasses import replace

from reknit.core.fix_issues.progress import BacklogProgress, BatchAttempt, ToolFix
from reknit.core.runs.agent_rotation import AgentRotation


def attempt(number: int, batch: int, agent: str, *, kept: bool = True) -> BatchAttempt:
    return BatchAttempt(number, batch, 0, kept, "", agent=agent)


def test_only_what_was_kept_has_authors_and_batches() -> None:
    attempts = (attempt(1, 1, "ann"), attempt(2, 2, "bob", kept=False), attempt(3, 2, "cat"), attempt(4, 3, "ann"))
    progress = BacklogProgress(AgentRotation(("ann",)), "head", (1, 2, 3), AgentRotation(()), attempts)
    assert progress.authors == ("ann", "cat")
    assert progress.kept_batches == {1, 2, 3}


def test_what_tools_fixed_is_kept_beside_what_agents_did() -> None:
    start = BacklogProgress(AgentRotation(("ann",)), "base", (1, 2, 3), AgentRotation(()))
    assert start.with_tool_fixes((), "other", 5.0, 2.0) == replace(start, worked_s=2.0)
    tools = start.with_tool_fixes((ToolFix("ruff 1.0", (1, 2)),), "fixed", 5.0, 2.0)
    assert (tools.head, tools.at, tools.by_tools, tools.only_tools) == (
        "fixed",
        5.0,
        {1: "ruff 1.0", 2: "ruff 1.0"},
        True,
    )
    both = tools.with_try(replace(attempt(1, 1, "ann"), still=(3,)), "more", 9.0, 1.0, 0.5)
    assert (both.authors, both.only_tools, both.still) == (("ruff 1.0", "ann"), False, frozenset({3}))
    back = both.without_agents()
    assert (back.head, back.at, back.tried, back.still, back.only_tools) == ("fixed", 5.0, (), frozenset(), True)
