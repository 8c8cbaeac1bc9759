"""`/fix-pr` typed into a window: a worker in the background repairs, and the window is told each iteration once."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reknit.core.hook.exports import EXPORTS, PULL_NOTE, PULL_STATE
from tests.tools.background_workers import workers
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, FIX_TEST, PASSED, SLUG, SOURCE, PullScene, changed

pytestmark = pytest.mark.timeout(180)
NOTHING = {"run": ["true"], "cost_usd": 0.01}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


def make(
    tmp_path: Path, hub: GitHub, fixes: Sequence[dict[str, Any]] = (FIX_TEST,), *, answers: bool = True
) -> PullScene:
    settings = {"box": "host", "loop": {"wait_s": 0.05}}
    scene = PullScene(
        tmp_path,
        hub,
        fixes=fixes,
        reviews=[PASSED] * 9,
        changes=changed(lint=False),
        settings=settings,
        answers=answers,
    )
    (scene.clone / ".claude").mkdir()
    return scene


def typed(scene: PullScene, text: str = "", session: str = "w1") -> dict[str, Any]:
    given = (f"--session={session}", f"--folder={scene.clone}", "--event=UserPromptSubmit")
    answer = scene.command.run("hook", "prompt", *given, "--command=fix-pr", f"--typed={text}", cwd=scene.clone)
    assert (answer.exit_code, answer.err) == (0, "")
    return answer.ending


def stopped(scene: PullScene, session: str = "w1") -> str:
    """What the window is told. It is never sent back."""
    given = ("--session", session, "--folder", str(scene.clone), "--answer", "json")
    answer = scene.command.run("hook", "decide", *given, cwd=scene.clone)
    assert (answer.exit_code, answer.err) == (0, "")
    told = json.loads(answer.out) if answer.out else {}
    assert "decision" not in told
    return str(told.get("systemMessage", ""))


def watched(scene: PullScene) -> str:
    answer = scene.command.run("watch", "--format", "json", cwd=scene.clone)
    return str(answer.ending["ending"])


def test_the_window_is_told_each_iteration_once_and_how_it_ended(tmp_path: Path, hub: GitHub) -> None:
    scene = make(tmp_path, hub)
    answer = typed(scene, "--max-iterations=4")
    run = answer["systemMessage"].split()[1]
    started = f"reknit: {run} repairs PR #{scene.number} in the background, iteration 1 of 4: `reknit watch {run}`"
    assert answer["systemMessage"].startswith(started)
    assert "change nothing" in answer["hookSpecificOutput"]["additionalContext"]
    assert exported(scene)["iteration"] == 1
    assert watched(scene) == "CLEAN"
    pushed = hub.head(SLUG, BRANCH)[:7]
    told = stopped(scene).splitlines()
    assert told[0] == f"PR #1 iteration 1 of 4: review passed, tests 1 failed, CI 2/2; fix tests, pushed {pushed}"
    assert told[1].startswith("PR CLEAN   1 attempt, 1 commit pushed, ")
    assert "  next    git pull" in told
    assert (stopped(scene), stopped(scene, "w2")) == ("", "")
    files_have_the_known_shape(scene)


def files_have_the_known_shape(scene: PullScene) -> None:
    state = exported(scene)
    assert {key: type(value) for key, value in state.items()} == {
        "schema": int, "run": str, "ending": str, "owner": str, "iteration": int, "max_iterations": int,
        "pr_number": int, "pr_url": str, "check_results": dict, "history": list,
    }  # fmt: skip
    results = state["check_results"]
    assert [results[check]["status"] for check in ("review", "tests", "ci")] == ["pass", "pass", "pass"]
    assert {"critical", "important", "issues"} < {*results["review"]}
    assert {"output_tail", "failed_tests"} < {*results["tests"]}
    assert [{*check} for check in results["ci"]["checks"]] == [{"name", "status", "url"}] * 2
    assert state["history"] == [
        {"iteration": 1, "action": "check", "review": "pass", "tests": "fail", "ci": "pass"},
        {"iteration": 1, "action": "fix", "fixes": 1, "commit": scene.hub.head(SLUG, BRANCH)},
        {"iteration": 2, "action": "check", "review": "pass", "tests": "pass", "ci": "pass"},
    ]
    for check, result in results.items():
        assert json.loads((scene.clone / f".claude/fix-pr-check-{check}.json").read_text()) == {**result, "owner": "w1"}
    note = (scene.clone / PULL_NOTE).read_text()
    assert ("active: false" in note, f"pr_number: {scene.number}" in note) == (True, True)
    written = {f".claude/{path.name}" for path in (scene.clone / ".claude").iterdir()}
    assert written <= {*EXPORTS}


def test_a_loop_that_gets_nowhere_says_so_with_what_remains(tmp_path: Path, hub: GitHub) -> None:
    scene = make(tmp_path, hub, [NOTHING] * 9)
    typed(scene)
    ending = watched(scene)
    told = stopped(scene)
    assert ending == "STALLED"
    assert "PR STALLED " in told
    assert "test_discount_is_a_share" in told


def test_without_a_pull_request_or_with_changes_no_model_is_asked(tmp_path: Path, hub: GitHub) -> None:
    scene = make(tmp_path, hub)
    source = scene.clone / SOURCE
    before = source.read_text()
    source.write_text(before + "\n")
    dirty = typed(scene)
    source.write_text(before)
    subprocess.run(["git", "checkout", "-q", "-b", "other"], cwd=scene.clone, check=True)
    none = typed(scene)
    assert [answer["decision"] for answer in (dirty, none)] == ["block", "block"]
    assert dirty["reason"].startswith("Uncommitted changes.")
    assert none["reason"].startswith("No PR for current branch.")
    assert stopped(scene) == ""


def test_the_limit_of_a_run_that_exists_is_not_changed_and_not_ignored(tmp_path: Path, hub: GitHub) -> None:
    scene = make(tmp_path, hub, answers=False)
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build")
    run = typed(scene)["systemMessage"].split()[1]
    refused = typed(scene, "--max-iterations=3")
    assert refused["decision"] == "block"
    assert refused["reason"].startswith(f"{run} works on it already, and the limit of a run cannot be changed")
    assert typed(scene)["systemMessage"].split()[1] == run
    typed(scene, "stop")


def test_a_run_goes_on_without_its_window_and_without_its_worker(tmp_path: Path, hub: GitHub) -> None:
    """Parked and continued, its worker killed, its window closed: it ends once, and the next window sees it."""
    scene = make(tmp_path, hub, answers=False)

    def pending(_slug: str, _branch: str, sha: str) -> None:
        hub.check(SLUG, sha, "build")

    hub.on_push = pending
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build")
    run = typed(scene)["systemMessage"].split()[1]
    until_it_is(scene, run, "waiting")
    first = stopped(scene)
    assert (first.count("iteration 1 of 10"), "`git pull` brings the pushed commits here." in first) == (1, True)
    assert stopped(scene) == "", "CI is pending"
    state = exported(scene)
    assert (state["ending"], state["check_results"]["ci"]["status"]) == (None, "pending")

    assert typed(scene)["systemMessage"].count("iteration 2 of 10") == 1, "nothing is told again"
    assert stopped(scene) == ""

    assert typed(scene, "stop")["systemMessage"].startswith(f"reknit: {run} is stopped.")
    assert shown(scene, run)["state"] == "interrupted"
    assert stopped(scene) == f"PR #1: {run} is stopped (by a person). `/fix-pr` or `reknit resume {run}` continues it."
    assert stopped(scene) == ""

    joined = typed(scene, session="w2")["systemMessage"]
    assert joined.startswith(f"reknit: {run} repairs PR #1 in the background, iteration 2 of 10")
    until_it_is(scene, run, "waiting")
    assert stopped(scene, "w2") == first, "a new window hears what the closed one heard"
    assert typed(scene, session="w2")["systemMessage"] == joined
    status = scene.command.run("hook", "status", cwd=scene.clone).out
    assert status.replace("  running  ", "  waiting  ") == (  # it looks at CI every second
        f"PR #1  waiting  {run}  window w2\n  look    reknit watch {run}\n"
    )
    kill_all_workers(scene)
    assert stopped(scene, "w2") == f"PR #1: the worker of {run} died; another one continues the run."
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build", "success", log="ok")
    until_it_is(scene, run, "ended")
    assert (stopped(scene, "w1"), stopped(scene, "w2").splitlines()[0].split()[:2]) == ("", ["PR", "CLEAN"])
    assert [author for *_, author in hub.log(SLUG, BRANCH)].count("reknit") == 1


def until_it_is(scene: PullScene, run: str, state: str) -> None:
    for _ in range(300):
        if shown(scene, run)["state"] == state:
            return
    raise AssertionError(f"it was never {state}")


def kill_all_workers(scene: PullScene) -> None:
    found = workers(scene.command)
    assert found
    for worker in found:
        signal.pidfd_send_signal(worker, signal.SIGKILL)
        assert select.select([worker], [], [], 30)[0]
        os.close(worker)


def exported(scene: PullScene) -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads((scene.clone / PULL_STATE).read_text())
    return found


def shown(scene: PullScene, run: str) -> Mapping[str, Any]:
    return scene.command.run("show", run, "--format", "json", cwd=scene.clone).ending
