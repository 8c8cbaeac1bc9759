"""Pull-request runs that end before they are clean, each by a limit of its own."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.tools.github import GitHub
from tests.tools.pull_play import play
from tests.tools.pull_scene import BRANCH, FIX_TEST, NEEDS_WORK, PASSED, REPORT, SLUG, PullScene, changed

GREEN = changed(test=False, lint=False)


def ours(hub: GitHub) -> list[str]:
    """Subjects of what reknit pushed, oldest first."""
    commits = reversed(hub.log(SLUG, BRANCH))
    return [message.splitlines()[0] for _, message, author in commits if author == "reknit"]


def finding(category: str, line: int) -> dict[str, Any]:
    found = {"category": category, "severity": "warning", "file": REPORT, "line": line, "issue": f"{category} is off"}
    return {"report": {"verdict": "needs_work", "score_0_100": 50, "summary": category, "findings": [found]}}


def test_a_test_that_stays_red_stalls_and_nothing_is_pushed(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[{}], reviews=[PASSED])
    played = play(scene)
    assert (played.ending, played.exit_code, len(played.fixes)) == ("STALLED", 1, 3)
    assert "test_discount_is_a_share" in str(played.run.detail["left"])
    assert (ours(hub), "push" in played.steps) == ([], False)
    (comment,) = hub.comments(SLUG, scene.number)
    assert "### reknit: STALLED, 1 finding left" in comment["body"]
    assert [asked.facts["strategy"] for asked in played.fixes] == ["local", "search", "deep"]
    assert "changed no file" in played.fixes[1].facts["feedback"]


NEEDS_PACKAGE = {
    "requirements.txt": "absent-package\n",
    "tests/test_absent.py": "import unittest\n\nimport absent_package\n\n\nclass AbsentTest(unittest.TestCase):\n"
    "    def test_it(self) -> None:\n        self.assertTrue(absent_package.ok)\n",
}


def test_a_package_that_is_not_installed_here_is_nobodys_work(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes={**GREEN, **NEEDS_PACKAGE}, fixes=[{}], reviews=[PASSED])
    played = play(scene)
    assert (played.ending, played.run.detail["cause"], played.fixes) == ("BLOCKED", "environment", [])
    assert "absent_package is not installed" in played.run.reason
    assert "pip install" in played.run.reason


def test_what_else_is_red_is_repaired_beside_it(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(
        tmp_path, hub, changes={**changed(lint=False), **NEEDS_PACKAGE}, fixes=[FIX_TEST], reviews=[PASSED]
    )
    played = play(scene)
    assert (played.ending, len(played.fixes), len(ours(hub))) == ("BLOCKED", 1, 1)
    assert "_FailedTest" not in played.fixes[0].prompt
    assert any("left out: 1 test" in event.text for event in played.told("check"))


def test_fixes_that_land_and_leave_the_same_check_red_stall_too(hub: GitHub, tmp_path: Path) -> None:
    fixes = [{"write": {f"notes/{number}.txt": "of no use\n"}} for number in (1, 2)]
    scene = PullScene(tmp_path, hub, changes=changed(test=False), fixes=fixes, reviews=[PASSED])
    played = play(scene)
    assert (played.ending, len(ours(hub))) == ("STALLED", 2)
    assert "lint" in str(played.run.detail["left"])


def test_fixes_that_breed_findings_on_their_own_lines_are_churn(hub: GitHub, tmp_path: Path) -> None:
    lines = ("return name +", "return name.title() +", "return str(name) +")
    fixes = [{"replace": {REPORT: [old, new]}} for old, new in pairwise(lines)]
    reviews = [finding(category, 5) for category in ("case", "type", "length")]
    scene = PullScene(tmp_path, hub, changes=GREEN, fixes=fixes, reviews=reviews)
    played = play(scene)
    assert (played.ending, len(ours(hub)), len(played.fixes)) == ("CHURN", 2, 2)
    assert "breed new findings: 100 %" in played.run.reason
    assert "findings 1 › 1 › 1, own 0 % › 100 % › 100 %" in played.run.reason


def test_the_number_of_iterations_is_a_limit(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, fixes=[FIX_TEST], reviews=[NEEDS_WORK])
    played = play(scene, flags={"loop": {"max_iterations": 1}})
    (asked,) = played.fixes
    assert (asked.subjects, "E401 multiple imports" in asked.prompt) == (
        ["test_discount_is_a_share", "lint", REPORT, REPORT],
        True,
    )
    assert (played.ending, ours(hub)) == (
        "EXHAUSTED",
        ["fix: repair test_discount_is_a_share in shop/pricing.py (iteration 1)"],
    )
    assert played.run.detail["left"] == ["C-1 lint", f"R-1 {REPORT}", f"R-2 {REPORT}"]


def test_what_was_pushed_stays_when_the_money_is_gone(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, fixes=[{**FIX_TEST, "cost_usd": 0.5}], reviews=[PASSED])
    played = play(scene, flags={"loop": {"budget_usd": 0.4}})
    assert (played.ending, len(ours(hub)), len(played.fixes), len(played.reviews)) == ("OVER_BUDGET", 1, 1, 1)
    (comment,) = hub.comments(SLUG, scene.number)
    assert "spent $0.50 of $0.40" in comment["body"]


def test_fixes_in_a_row_that_do_not_land_are_put_off(hub: GitHub, tmp_path: Path) -> None:
    """Each is told of the one before and of no other: prompts do not grow with the iterations."""
    useless = {"write": {"notes.txt": "of no use\n"}}
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[useless], reviews=[PASSED])
    played = play(scene, stall_after=9, fruitless=3)
    assert (played.ending, ours(hub), "loop.fruitless" in played.run.reason) == ("DEFERRED", [], True)
    first, second, third = (asked.prompt for asked in played.fixes)
    assert [prompt.count("still does not pass") for prompt in (first, second, third)] == [0, 1, 1]
    assert len(third) < len(second) + 100
