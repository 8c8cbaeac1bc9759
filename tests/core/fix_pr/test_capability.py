from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import AgentChoice, StoredRun
from reknit.core.errors import InternalError
from reknit.core.fix_pr.capability import FIX_PR
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.tools.pull_samples import RUN, TARGET
from tests.tools.sample_tasks import FIX_TESTS

CLAUDE, GEMINI = AgentSettings("claude", "claude"), AgentSettings("gemini", "gemini")
SPEC = RunSpec("r-1", "/shop", "a" * 40, TARGET, TestCommand("pytest", ("pytest",), "junit"), (CLAUDE,))


@pytest.mark.parametrize(
    ("reviewer", "chosen"),
    [
        pytest.param(None, [], id="nobody reviews"),
        pytest.param(CLAUDE, [], id="the fixer reviews"),
        pytest.param(GEMINI, [AgentChoice(GEMINI, "--review-agent")], id="another reviews"),
    ],
)
def test_the_reviewer_is_checked_too(reviewer: AgentSettings | None, chosen: list[AgentChoice]) -> None:
    spec = replace(SPEC, task=replace(TARGET, reviewer=reviewer))
    assert FIX_PR.agents(spec) == [AgentChoice(CLAUDE, "--agent"), *chosen]
    who = f"{reviewer.name} reviews" if reviewer else "no reviewer"
    assert FIX_PR.heading(spec)[1].startswith(f"  claude fixes, {who}, at most ")


def test_a_run_without_a_pull_request_is_a_bug() -> None:
    with pytest.raises(InternalError, match="not a `fix pr` run"):
        FIX_PR.agents(replace(SPEC, task=FIX_TESTS))


def test_what_has_not_been_looked_at_has_no_documents() -> None:
    assert FIX_PR.state_document is not None
    stored = StoredRun(RUN)
    assert FIX_PR.show_document(stored) == {"course": {}}
    assert FIX_PR.state_document(stored)["check_results"] == {}
    assert FIX_PR.explain_lines(stored, 0) == FIX_PR.show_lines(stored, 0)
