"""Red, a variant that repairs what CI reports: the pull request of the branch, or the red tests of the default one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.start.planning.variant import VariantRequest, plan_variant
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.planning.plan_file.plan import PlannedCriterion
from tests.tools.command_line import Answer, CommandLine
from tests.tools.github import GitHub
from tests.tools.plot import git
from tests.tools.pull_play import QUICK, place_of, play_spec
from tests.tools.pull_scene import BRANCH, FIX_LINT, FIX_TEST, PASSED, SLUG, PullScene
from tests.tools.variant_scene import plan_text, write_plan

Here = Callable[..., Answer]


def criteria(*texts: str) -> tuple[PlannedCriterion, ...]:
    return tuple(map(PlannedCriterion, texts))


@pytest.mark.parametrize(
    ("last", "ending", "counts"),
    [
        pytest.param("test: all", "CLEAN", "2 of 2 criteria passed", id="all hold"),
        pytest.param("file: NEWS.md exists", "PARTIAL", "1 of 2 criteria passed, 1 failed", id="one does not"),
    ],
)
def test_the_pull_request_is_repaired_and_the_criteria_are_checked_on_its_head(
    hub: GitHub, tmp_path: Path, last: str, ending: str, counts: str
) -> None:
    scene = PullScene(tmp_path, hub, fixes=[FIX_TEST, FIX_LINT], reviews=[PASSED])
    asked = criteria("file: shop/pricing.py contains price * (1 - percent / 100)", last)
    write_plan(scene.clone, scene.command.environment, variant_recommendation="red", criteria=asked)
    plan = plan_variant(place_of(scene), scene.clone, VariantRequest("red", "tidy"), {"box": "host"})
    assert "red repairs what the checks of the pull request report" in plan.notes[-1]
    task = plan.spec.task_as(FixPullRequest)
    task = replace(task, limits=replace(task.limits, **QUICK))
    played = play_spec(scene, replace(plan.spec, task=task, limits=replace(plan.spec.limits, wait_s=0.05)))
    assert (played.ending, played.run.reason.endswith(counts)) == (ending, True), played.run.reason
    assert len([commit for commit in hub.log(SLUG, BRANCH) if commit[2] == "reknit"]) == 2
    assert plan_text(scene.clone).count("  - passed: ") == 2 - (ending == "PARTIAL")


def test_on_the_default_branch_the_red_tests_are_repaired(here: Here, reknit: CommandLine, shop: Path) -> None:
    git(shop, "branch", "-q", "-M", "main")
    broken, right = "return price - percent", "return price * (1 - percent / 100)"
    reknit.tell_story({"replace": {"shop/pricing.py": [broken, right]}, "cost_usd": 0.1})
    write_plan(shop, reknit.environment, variant_recommendation="red", criteria=criteria("test: all"))
    answer = here("fix", "plan", "tidy", "--format", "json", cwd=shop)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    assert answer.ending["reason"].endswith("1 of 1 criteria passed")
    assert [criterion["state"] for criterion in answer.ending["criteria"]] == ["passed"]
    shown = here("show", cwd=shop).out
    assert ("fix tests" in shown, "  passed  test: all" in shown) == (True, True)
