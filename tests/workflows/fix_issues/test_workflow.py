"""The run on the backlog on the real engine, the real git and the real box; only the agents are scripted."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.repository_print import fingerprint
from tests.workflows.fix_issues import tool_scene as tools
from tests.workflows.fix_issues.backlog_runs import ALL, fix, log, moves

Here = Callable[..., Answer]


def changed(root: Path, run: str) -> list[str]:
    argv = ["git", "diff", "--name-only", f"HEAD..reknit/{run}"]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout.split()


def test_everything_is_fixed_in_one_commit_backend_first_and_the_tree_stays(
    here: Here, reknit: CommandLine, root: Path
) -> None:
    scene.tell(reknit, ALL, [scene.score(96)])
    before = fingerprint(root)
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    assert moves(answer) == [("B-1", "done"), ("B-2", "done"), ("B-3", "done")]
    assert set(scene.states(reknit, root).values()) == {"RESOLVED"}
    run = answer.ending["run"]
    [message] = log(root, run)
    assert message.startswith("fix: repair 3 issues (F401, no-var) in app/b1.py and 2 more files\n")
    assert "; judge gave 96 of 100 (needs 95) in round 1." in message
    assert changed(root, run) == ["app/b1.py", "app/b2.py", "web/f1.ts"]
    assert fingerprint(root) == before


def test_a_crashed_agent_fails_its_batch_and_the_rest_lands(here: Here, reknit: CommandLine, root: Path) -> None:
    crash = scene.mend("app/b2.py", run=["sh", "-c", "kill -9 $PPID"], outcome="crashed")
    scene.tell(reknit, [ALL[0], crash, ALL[2]], [scene.score(96)])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("PARTIAL", 1), answer.err
    assert scene.states(reknit, root) == {"app/b1.py": "RESOLVED", "app/b2.py": "FAILED", "web/f1.ts": "RESOLVED"}
    assert changed(root, answer.ending["run"]) == ["app/b1.py", "web/f1.ts"]


def test_every_batch_has_the_limits_of_one(here: Here, reknit: CommandLine, root: Path) -> None:
    large = {"write": {"app/b1.py": "def answer() -> int:\n    return 42\n" + "# more\n" * 60}}
    scene.tell(reknit, [large, large, large, *ALL[1:]], [scene.score(96)], loop={"changed_lines": 50})
    answer = fix(here, root)
    assert [each["accepted"] for each in answer.events("gate")][:3] == [False, False, False]
    assert answer.events("gate")[0]["refusals"][0]["rule"] == "too-much"
    assert scene.states(reknit, root)["app/b1.py"] == "FAILED"


def test_without_a_second_vendor_the_ending_says_so(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, challenger={})
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5)
    assert "not challenged: no agent from a second vendor is signed in" in answer.ending["reason"]
    assert (set(scene.states(reknit, root).values()), len(log(root, answer.ending["run"]))) == ({"OPEN"}, 1)


def test_a_challenger_switched_off_by_the_user_is_told_too(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL)
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5)
    assert "not challenged: it is turned off (challenger.enabled)" in answer.ending["reason"]
    assert "no check of this issue exists: I-1, I-2, I-3" in answer.ending["reason"]


def test_comments_resolve_nothing_whoever_approves(here: Here, reknit: CommandLine, root: Path) -> None:
    remark = {"replace": {"app/b1.py": ["import os\n", "import os  # needed\n"]}, "cost_usd": 0.1}
    scene.tell(reknit, [remark, remark, ALL[0], *ALL[1:]], [scene.score(96)])
    answer = fix(here, root)
    assert [each["proof"] for each in answer.ending["attempts"]] == ["unproven", "unproven", "held", "held", "held"]
    assert set(scene.states(reknit, root).values()) == {"RESOLVED"}


def test_a_missing_login_leaves_the_issues_open(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [{"outcome": "login"}], [scene.score(96)])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 4)
    assert set(scene.states(reknit, root).values()) == {"OPEN"}
    scene.tell(reknit, ALL, [{"outcome": "login"}])
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 4)
    assert set(scene.states(reknit, root).values()) == {"OPEN"}


def test_money_for_the_challenger_is_kept_back(here: Here, reknit: CommandLine, root: Path) -> None:
    dear = [scene.mend("app/b1.py", cost_usd=0.95), *ALL[1:]]
    scene.tell(reknit, dear, [scene.score(96)])
    answer = fix(here, root, "--budget", "1")
    assert (answer.ending["ending"], answer.exit_code) == ("OVER_BUDGET", 1)
    assert "1 of 3 issues committed" in answer.ending["reason"]
    assert scene.states(reknit, root) == {"app/b1.py": "RESOLVED", "app/b2.py": "OPEN", "web/f1.ts": "OPEN"}


def test_the_same_vendor_may_not_judge_itself(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, challenger={"agent": "scripted"})
    answer = here("fix", "issues", cwd=root)
    assert (answer.exit_code, "error[same-vendor]" in answer.err) == (2, True)


def test_a_dry_run_prints_batches_and_a_forecast_and_starts_nothing(
    here: Here, reknit: CommandLine, root: Path
) -> None:
    scene.tell(reknit, ALL, [scene.score(96)])
    narrowed = json.loads(
        here("fix", "issues", "--dry-run", "--path", "b2.py", "--format", "json", cwd=root / "app").out
    )
    assert (narrowed["issues"], narrowed["others"]) == (1, 2)
    unknown = here("fix", "issues", "--dry-run", "--rule", "E501", cwd=root)
    assert (unknown.exit_code, "3 issue(s) are open, but none is" in unknown.err) == (2, True)
    answer = here("fix", "issues", "--dry-run", cwd=root)
    assert answer.exit_code == 0, answer.err
    assert "3 issue(s) in 3 batch(es); nothing was started and no model was called" in answer.out
    assert "B-1    backend     3 points  1 issue   I-1  app/b1.py" in answer.out
    assert "scripted fixes, judge challenges (95 of 100, at most 3 rounds)" in answer.out
    assert "calls     4 if all goes well, at most 21" in answer.out
    document: dict[str, Any] = json.loads(fix(here, root, "--dry-run").out)
    assert [batch["kind"] for batch in document["batches"]] == ["backend", "backend", "frontend"]
    assert json.loads(here("runs", "--format", "json", cwd=root).out)["runs"] == []


def test_what_is_not_committed_is_told(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, [scene.score(96)])
    (root / "app/b2.py").write_text("import os\n\n\ndef answer() -> int:\n    return 40 + 2\n")
    answer = here("fix", "issues", "--limit", "1", "--path", "app/b2.py", cwd=root)
    assert "1 file(s) with issues have uncommitted changes, e.g. app/b2.py" in answer.err


def test_failed_ones_are_tried_again_only_when_asked_for(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [{"outcome": "crashed", "run": ["false"]}], [scene.score(96)])
    assert fix(here, root).ending["ending"] == "DEFERRED"
    refused = here("fix", "issues", cwd=root)
    assert (refused.exit_code, "3 FAILED in an earlier run" in refused.err) == (2, True)
    scene.tell(reknit, ALL, [scene.score(96)])
    assert fix(here, root, "--again").ending["ending"] == "FIXED"


def test_undo_opens_what_it_had_resolved(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, [scene.score(96)])
    run = fix(here, root).ending["run"]
    assert here("undo", run, cwd=root).exit_code == 0
    assert set(scene.states(reknit, root).values()) == {"OPEN"}


def test_what_a_run_did_can_be_read_afterwards(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, ALL, [scene.score(96, "every one is fixed")])
    run = fix(here, root).ending["run"]
    shown = here("show", run, cwd=root).out
    assert "batch 1 of 3 (backend): 1 issue(s) in app/b1.py" in shown
    assert "judged       judge gave 96 of 100 (needs 95) in round 1" in shown
    assert "every one is fixed" in here("show", run, "--why", cwd=root).out
    history = here("issues", "show", "I-1", cwd=root).out
    assert history.count(run) >= 2


def test_one_repository_has_one_run_at_a_time_and_two_go_on_side_by_side(
    here: Here, reknit: CommandLine, root: Path, tmp_path: Path
) -> None:
    scene.tell(reknit, ALL, [scene.score(96)])
    other = scene.make(tmp_path / "other")
    scene.take_in(reknit, other)
    first, second = (fix(here, each, "--queue").ending["run"] for each in (root, other))
    taken = here("fix", "issues", cwd=root)
    assert (taken.exit_code, f"{first} is open on the issues of this repository" in taken.err) == (2, True)
    worker = reknit.run("worker", "--until-idle")
    assert worker.exit_code == 0, worker.err
    runs = {run: json.loads(here("show", run, "--format", "json", cwd=root).out) for run in (first, second)}
    assert {run["ending"] for run in runs.values()} == {"FIXED"}
    begun, ended = ([runs[run][key] for run in (first, second)] for key in ("created_at", "ended_at"))
    assert set(scene.states(reknit, root).values()) == set(scene.states(reknit, other).values()) == {"RESOLVED"}
    assert max(begun) < min(ended)


def test_a_cancelled_run_gives_its_issues_back(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [{"outcome": "rate_limited", "wait_s": 600}], [scene.score(96)])
    child = reknit.start("fix", "issues", "--format", "json", cwd=root)
    assert child.stdout is not None
    for line in child.stdout:
        if json.loads(line)["event"] == "waiting":
            break
    assert set(scene.states(reknit, root).values()) == {"IN_PROGRESS"}
    run = json.loads(here("runs", "--format", "json", cwd=root).out)["runs"][0]["run"]
    assert here("stop", run, "--for-good", cwd=root).exit_code == 0
    child.communicate(timeout=60)
    assert set(scene.states(reknit, root).values()) == {"OPEN"}


NONE = "def is_missing(value: object) -> bool:\n    return value == None\n"
USED = 'import json\nimport os\n\n\ndef names() -> list[str]:\n    return [os.name]\n\n\nVALUE = f"plain"\n'
"""Whoever imports `json` from here breaks when ruff removes it."""
USER = "import unittest\n\nfrom app.used import json\n\n\nclass TestUsed(unittest.TestCase):\n"
USER += "    def test_it(self) -> None:\n        self.assertTrue(json)\n"


@pytest.fixture
def reknit(tmp_path: Path) -> CommandLine:
    return tools.with_tools(tmp_path, tools.RUFF)


def test_ruff_fixes_what_it_reported_and_no_agent_is_called(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {})
    tools.take_in(reknit, root, "F401")
    tools.tell(reknit)
    answer = tools.fix(reknit, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.err
    assert (moves(answer), answer.ending["spent_usd"]) == ([], 0)
    assert tools.states(reknit, root) == {("app/b1.py", "F401"): "RESOLVED"}
    run = answer.ending["run"]
    assert tools.shown(root, run, "app/b1.py") == "\n\ndef answer() -> int:\n    return 42\n"
    [message] = log(root, run)
    assert "I-1 F401 app/b1.py:1: `os` imported but unused (by ruff " in message
    [receipt] = json.loads(reknit.run("show", run, "--format", "json", cwd=root).out)["receipts"]
    assert receipt["tools"][0].startswith("ruff ")
    assert receipt["tools"][0].endswith("fixed I-1")
    assert receipt["tools"][1].endswith("no longer report 1 issue of 1")


def test_only_the_rest_reaches_an_agent_and_what_the_tools_fixed_lands_even_if_its_work_does_not(
    reknit: CommandLine, tmp_path: Path
) -> None:
    root = tools.make(tmp_path, {"app/none.py": NONE})
    tools.take_in(reknit, root, "F401,E711")
    mended = {"replace": {"app/none.py": ["value == None", "value is None"]}, "cost_usd": 0.1}
    tools.tell(
        reknit,
        [mended, {"outcome": "login"}],
        [scene.score(10, "no")],
        challenger={"agent": "judge", "max_iterations": 1},
    )
    answer = tools.fix(reknit, root)
    assert answer.ending["ending"] == "DEFERRED", answer.err
    assert moves(answer) == [("B-1", "done")]
    assert tools.states(reknit, root) == {("app/b1.py", "F401"): "RESOLVED", ("app/none.py", "E711"): "FAILED"}
    assert "1 of 2 issues committed, fixed by the tools that reported them" in answer.ending["reason"]
    assert tools.shown(root, answer.ending["run"], "app/none.py") == NONE


def test_a_fix_that_breaks_a_test_is_not_landed_and_costs_the_others_nothing(
    reknit: CommandLine, tmp_path: Path
) -> None:
    root = tools.make(tmp_path, {"app/used.py": USED, "tests/test_used.py": USER})
    tools.take_in(reknit, root, "F401,F541")
    tools.tell(reknit)
    answer = tools.fix(reknit, root, "--path", "app/used.py")
    said = [(each["accepted"], [*each["issues"].values()]) for each in answer.events("tool_fix")]
    assert [accepted for accepted, _ in said] == [False, False, True]
    assert tools.states(reknit, root)["app/used.py", "F541"] == "RESOLVED"
    assert tools.states(reknit, root)["app/used.py", "F401"] == "OPEN"
    text = tools.shown(root, answer.ending["run"], "app/used.py")
    assert (text.startswith("import json\n"), 'VALUE = "plain"' in text) == (True, True)
