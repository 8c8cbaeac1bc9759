from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import AgentChoice, StoredRun
from reknit.core.fix_issues.capability import FIX_ISSUES
from reknit.core.fix_issues.task import FixIssues
from reknit.core.planning.targets import VariantTarget
from tests.core.fix_issues.test_run_text import ALONE, GEMINI, SPEC, TARGET
from tests.core.test_run_text import ATTEMPT, RUN


@pytest.mark.parametrize(
    ("target", "challenger", "who"),
    [
        pytest.param(TARGET, [AgentChoice(GEMINI, "--challenger")], "gemini challenges", id="challenged"),
        pytest.param(ALONE, [], "no challenger: no second vendor", id="not challenged"),
    ],
)
def test_the_challenger_is_checked_too(target: FixIssues, challenger: list[AgentChoice], who: str) -> None:
    spec = replace(SPEC, task=target)
    assert FIX_ISSUES.agents(spec) == [AgentChoice(AgentSettings("claude", "claude"), "--agent"), *challenger]
    assert FIX_ISSUES.heading(spec)[0] == "r-1  2 issue(s) in 1 batch(es), at most $5.00"
    assert who in FIX_ISSUES.heading(spec)[1]
    of_plan = replace(spec, task=replace(target, variant=VariantTarget("grey", "tidy", "p.md", "", "", ())))
    assert FIX_ISSUES.heading(of_plan)[0] == "r-1  plan tidy as grey: 2 tasks, at most $5.00"


def test_its_ending_counts_the_calls_of_the_fixer() -> None:
    assert "2 attempts" in FIX_ISSUES.ending_text(StoredRun(RUN, [ATTEMPT, ATTEMPT]), 0)
