"""The pull-request loop on its good days: what lands, what is told, what the agents are asked."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.command_line import Answer
from tests.tools.github import GitHub
from tests.tools.pull_play import play
from tests.tools.pull_scene import (
    BRANCH,
    NEEDS_WORK,
    PASSED,
    SLUG,
    SOURCE,
    PullScene,
    changed,
    shop_files,
)
from tests.tools.repository_print import fingerprint


def test_a_pull_request_with_three_troubles_ends_clean_by_three_gated_commits(
    here: Callable[..., Answer], hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the real box, by the command a person types."""
    scene = PullScene(tmp_path, hub)
    before, first = fingerprint(scene.clone), hub.head(SLUG, BRANCH)
    monkeypatch.setenv("GH_TOKEN", hub.token)
    answer = here("fix", "pr", "--format", "json", cwd=scene.clone)
    assert (answer.exit_code, answer.ending["ending"]) == (0, "CLEAN"), answer.err
    run, commits = answer.ending["run"], hub.log(SLUG, BRANCH)
    ours = commits[: [sha for sha, *_ in commits].index(first)]
    assert [author for *_, author in ours] == ["reknit"] * 3
    assert [message.splitlines()[0] for _, message, _ in ours] == [
        "fix: change shop/report.py for 2 review findings (iteration 3)",
        "fix: change report.py for 1 check and 2 review findings (iteration 2)",
        "fix: repair test_discount_is_a_share in shop/pricing.py (iteration 1)",
    ]
    assert all(message.strip().endswith(f"\n\nReknit-Run: {run}\nReknit-Hop: 1") for _, message, _ in ours)
    receipts = answer.ending["receipts"]
    assert [receipt["commit"] for receipt in receipts] == [sha for sha, *_ in reversed(ours)]
    assert all("none refused" in receipt["gate"] and receipt["box"] == "bubblewrap" for receipt in receipts)
    assert fingerprint(scene.clone) == before
    _one_comment(hub, scene.number)


def _one_comment(hub: GitHub, number: int) -> None:
    (comment,) = hub.comments(SLUG, number)
    assert "### reknit: this pull request is clean" in comment["body"]
    assert "spent $0.07 of $5.00" in comment["body"]
    assert len(re.findall(r"(?m)^\| \d ", comment["body"])) == 4
    written = [(call.method, call.path) for call in hub.calls if "comments" in call.path and call.method != "GET"]
    edited = ("PATCH", f"/repos/{SLUG}/issues/comments/{comment['id']}")
    assert written == [("POST", f"/repos/{SLUG}/issues/{number}/comments"), *[edited] * 6]


def test_without_a_pull_request_or_with_changes_at_hand_nothing_is_started(
    here: Callable[..., Answer], hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = PullScene(tmp_path, hub, answers=False)
    monkeypatch.setenv("GH_TOKEN", hub.token)
    (scene.clone / SOURCE).write_text("mine\n")
    dirty = here("fix", "pr", cwd=scene.clone)
    subprocess.run(["git", "checkout", "-q", "-b", "lonely"], cwd=scene.clone, check=True)
    lonely = here("fix", "pr", cwd=scene.clone)
    assert [dirty.exit_code, lonely.exit_code] == [2, 2]
    assert "Uncommitted changes." in dirty.err
    assert "No PR for current branch." in lonely.err
    assert here("runs", "--format", "json", cwd=scene.clone).ending["runs"] == []
    assert [call for call in hub.calls if call.path.startswith("/repos") and call.method != "GET"] == []


def test_who_wants_no_comment_gets_none(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(test=False, lint=False), reviews=[PASSED])
    played = play(scene, flags={"forge": {"comment": False}})
    assert (played.ending, hub.comments(SLUG, scene.number)) == ("CLEAN", [])


def test_an_app_has_a_check_run_that_goes_on_and_ends(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), reviews=[PASSED])
    scene.become_app()
    seen = []
    played = play(scene, at={"look 2": lambda: seen.append(_own_check(hub))})
    assert (played.ending, seen, _own_check(hub)) == ("CLEAN", [("in_progress", None)], ("completed", "success"))
    before = hub.log(SLUG, BRANCH)[1][0]
    (old,) = (run for run in hub.check_runs(SLUG, before) if run["name"] == "reknit")
    assert (old["conclusion"], old["output"]["title"]) == ("cancelled", f"superseded by {hub.head(SLUG, BRANCH)[:12]}")
    assert hub.token not in {call.token for call in hub.calls}


def test_an_app_that_could_not_see_everything_never_says_neutral(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(test=False, lint=False), reviews=[{"outcome": "crashed"}])
    scene.become_app()
    assert play(scene, error_retries=0).ending == "UNVERIFIED"
    assert _own_check(hub) == ("completed", "action_required")


def _own_check(hub: GitHub) -> tuple[str, str | None]:
    """The one of the head: it is changed in place."""
    (run,) = (run for run in hub.check_runs(SLUG, hub.head(SLUG, BRANCH)) if run["name"] == "reknit")
    return run["status"], run["conclusion"]


def test_tests_that_cannot_run_are_the_fixers_to_mend(hub: GitHub, tmp_path: Path) -> None:
    broken = "import os\n\nos.write(2, b'no such library')\nos._exit(3)\n"
    files = changed(test=False, lint=False)
    fixes = [{"replace": {SOURCE: [broken, ""]}}]
    scene = PullScene(tmp_path, hub, changes={**files, SOURCE: broken + files[SOURCE]}, fixes=fixes, reviews=[PASSED])
    played = play(scene)
    assert (played.ending, played.seen("tests")) == ("CLEAN", ["error", "pass"])
    (asked,) = played.fixes
    told = asked.prompt.partition("The test command itself could not run")[2]
    assert "no such library" in told


def red_at_first(tmp_path: Path, runs: int) -> dict[str, str]:
    """A green change, and a test that is red so many times."""
    count = tmp_path / "runs"
    count.touch()
    flaky = (
        "import pathlib\nimport unittest\n\n\nclass FlakyTest(unittest.TestCase):\n    def test_now_and_then(self):\n"
        f"        count = pathlib.Path({str(count)!r})\n        before = count.read_text()\n"
        f"        count.write_text(before + 'x')\n        self.assertGreaterEqual(len(before), {runs})\n"
    )
    return {**changed(test=False, lint=False), "tests/test_flaky.py": flaky}


def test_a_flaky_test_is_named_given_to_nobody_and_no_pass(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=red_at_first(tmp_path, 1), reviews=[PASSED])
    played = play(scene)
    assert (played.ending, played.cause, played.fixes) == ("UNVERIFIED", "flaky", [])
    assert "nothing shows that these tests pass: tests/test_flaky.py::FlakyTest" in played.run.reason
    (comment,) = hub.comments(SLUG, scene.number)
    assert "Flaky, not fixed: `tests/test_flaky.py::FlakyTest::test_now_and_then`" in comment["body"]


def test_a_fix_that_is_not_proven_is_not_pushed_whatever_else_it_was_asked_about(hub: GitHub, tmp_path: Path) -> None:
    """The tests are red twice, then green with the fix and without it. The rest of the work goes on without them."""
    fixes = [{"write": {f"notes/{number}.txt": "mended\n"}} for number in (1, 2)]
    chosen = {name: text for name, text in shop_files().items() if name not in ("reknit.toml", "run_tests.py")}
    changes, reviews = red_at_first(tmp_path, 2), [NEEDS_WORK, PASSED]
    scene = PullScene(tmp_path, hub, files=chosen, changes=changes, fixes=fixes, reviews=reviews)
    played = play(scene)
    assert (played.ending, played.cause) == ("UNVERIFIED", "flaky"), played.run.reason
    assert "UNPROVEN: tests/test_flaky.py" in played.told("iteration")[0].text
    assert [{finding.source for finding in fix.findings} for fix in played.fixes] == [{"tests", "review"}, {"review"}]
    assert len(played.told("pushed")) == 1


def test_after_some_iterations_only_what_is_critical_is_fixed(hub: GitHub, tmp_path: Path) -> None:
    needs_work = NEEDS_WORK["report"]
    only_important = {"report": {**needs_work, "findings": [needs_work["findings"][0]]}}
    fixes = [{"write": {f"notes/{number}.txt": "mended\n"}} for number in (1, 2)]
    reviews = [NEEDS_WORK, NEEDS_WORK, only_important]
    scene = PullScene(tmp_path, hub, changes=changed(test=False, lint=False), fixes=fixes, reviews=reviews)
    played = play(scene, blocking_only_after=1)
    given = [[finding.weight for finding in asked.findings] for asked in played.fixes]
    assert (played.ending, given) == ("CLEAN", [["important", "critical"], ["critical"]])
    assert [asked.facts["only_critical"] for asked in played.reviews] == [False, True, True]
