"""CI as a run remembers it: what cannot be seen is never a pass, and nothing is waited for or re-run forever."""

from pathlib import Path
from typing import Any

import pytest

from tests.tools.github import GitHub
from tests.tools.pull_play import play
from tests.tools.pull_scene import BRANCH, FIX_LINT, PASSED, SLUG, SOURCE, PullScene, changed

GREEN = changed(test=False, lint=False)
WORKFLOW = ".github/workflows/ci.yml"
CRASH: dict[str, Any] = {"outcome": "crashed"}
LOST = "##[error]The runner has received a shutdown signal."


def silent(tmp_path: Path, hub: GitHub, **more: Any) -> PullScene:
    """A pull request to which CI says nothing; the tests and, unless told otherwise, the review pass."""
    return PullScene(tmp_path, hub, **{"changes": GREEN, "reviews": [PASSED], "answers": False, **more})


def test_ci_that_never_ends_is_not_waited_for_for_ever(hub: GitHub, tmp_path: Path) -> None:
    scene = silent(tmp_path, hub)
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build")
    played = play(scene, ci_patience_s=0.3)
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "ci", 5)
    assert "CI (build) gave no result" in played.run.reason
    (comment,) = hub.comments(SLUG, scene.number)
    assert "### reknit: UNVERIFIED" in comment["body"]


def test_when_nothing_can_be_seen_there_are_two_more_looks(hub: GitHub, tmp_path: Path) -> None:
    broken = {**GREEN, SOURCE: "import os\n\nos._exit(3)\n"}
    played = play(silent(tmp_path, hub, changes=broken, reviews=[CRASH]), ci_grace_s=0)
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "checks", 5)
    assert [played.steps.count(step) for step in ("check_tests", "check_ci", "check_review")] == [3, 3, 3]
    assert (len(played.reviews), played.fixes) == (3, [])
    assert all(word in played.run.reason for word in ("review: critic gave no review", "tests: ", "CI: no check"))


def test_a_repository_with_workflows_whose_checks_do_not_come(hub: GitHub, tmp_path: Path) -> None:
    played = play(silent(tmp_path, hub), ci_grace_s=0.2)
    assert (played.ending, played.seen("ci")) == ("UNVERIFIED", ["pending", "error"])
    assert "no check appeared" in played.run.reason
    assert (played.steps.count("look"), len(played.reviews)) == (4, 1)


def test_a_repository_without_ci_needs_none(hub: GitHub, tmp_path: Path) -> None:
    scene = silent(tmp_path, hub)
    for branch in ("main", BRANCH):
        hub.commit(SLUG, branch, {WORKFLOW: None})
    played = play(scene, ci_grace_s=0.2)
    assert (played.ending, played.seen("ci")) == ("CLEAN", ["pending", "off"])


def test_a_required_check_that_does_not_come_is_waited_for_and_not_looked_for_all_the_time(
    hub: GitHub, tmp_path: Path
) -> None:
    scene = silent(tmp_path, hub)
    hub.require(SLUG, "main", ["release"])
    played = play(scene, ci_grace_s=0.1, ci_patience_s=5)
    assert (played.ending, played.cause, played.steps.count("look")) == ("UNVERIFIED", "ci", 2)


def test_a_check_that_only_the_commit_before_had_is_not_waited_for_for_ever(hub: GitHub, tmp_path: Path) -> None:
    """Its workflow may run for some paths only."""
    scene = PullScene(tmp_path, hub, changes=changed(test=False), fixes=[FIX_LINT], reviews=[PASSED])
    hub.check(SLUG, hub.head(SLUG, BRANCH), "docs", "success")
    played = play(scene, ci_grace_s=0.3, ci_patience_s=20)
    assert (played.ending, played.seen("ci")) == ("CLEAN", ["fail", "pending", "pass"])


@pytest.mark.parametrize(("then", "ending"), [("success", "CLEAN"), ("failure", "UNVERIFIED")])
def test_a_check_that_the_machines_failed_is_run_again_once(
    hub: GitHub, tmp_path: Path, then: str, ending: str
) -> None:
    scene = silent(tmp_path, hub)
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build", "failure", log=LOST)

    def runs_again(slug: str, sha: str, name: str, _number: int) -> None:
        hub.check(slug, sha, name, then, log=LOST if then == "failure" else "ok")

    hub.on_rerun = runs_again
    played = play(scene)
    assert (played.ending, played.fixes, played.steps.count("rerun")) == (ending, [], 1)
    assert sum(call.path.endswith("/rerun") for call in hub.calls) == 1
    assert [run["conclusion"] for run in hub.check_runs(SLUG, hub.head(SLUG, BRANCH))] == ["failure", then]


def test_a_pull_request_that_takes_ci_out_is_not_clean_without_it(hub: GitHub, tmp_path: Path) -> None:
    changes: dict[str, str | None] = {**GREEN, ".github/workflows/ci.yml": None}
    scene = PullScene(tmp_path, hub, changes=changes, answers=False, reviews=[PASSED])  # type: ignore[arg-type]
    assert play(scene, ci_grace_s=0.2, error_retries=0).ending == "UNVERIFIED"


def test_a_check_that_was_red_is_awaited_until_it_is_seen_green(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(test=False), reviews=[PASSED], fixes=PullScene.fixes[1:])

    def only_the_build(slug: str, branch: str, sha: str) -> None:
        hub.check(slug, sha, "build", "success")

    hub.on_push = only_the_build
    played = play(scene, ci_grace_s=0.1, ci_patience_s=1.0)
    assert (played.ending, "CI gave no result" in played.run.reason) == ("UNVERIFIED", True)
