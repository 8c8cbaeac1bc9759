"""Steps of a run on the backlog: what they say of its work is true, and no issue is settled without proof."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.workflows.fix_issues.backlog_runs import ALL, fix

Here = Callable[..., Answer]


def test_whoever_took_over_is_named_as_the_author(here: Here, reknit: CommandLine, root: Path) -> None:
    agents = {
        "scripted": {"story": json.dumps([{"outcome": "login"}])},
        "second": {"kind": "scripted", "story": json.dumps(ALL)},
        "judge": {"kind": "scripted", "story": json.dumps([scene.score(96)])},
    }
    judged = {"challenger": {"agent": "judge"}, "batch": {"issues": 1}}
    reknit.configure(fixer="scripted", fallback=["second"], agents=agents, **judged, **scene.TESTS)
    ended = here("fix", "issues", "--format", "json", cwd=root).ending
    assert (ended["ending"], [each["agent"] for each in ended["receipts"]]) == ("FIXED", ["second"])
    history = here("issues", "show", "I-1", "--format", "json", cwd=root).ending["history"]
    assert [each["who"] for each in history[1:]] == ["reknit fix issues", "reknit fix issues (second)"]


def test_the_word_for_an_attempt_is_what_the_tests_said(here: Here, reknit: CommandLine, root: Path) -> None:
    beside = {"write": {"app/other.py": "ANSWER = 42\n"}}
    red = {"write": {"app/b1.py": "def answer() -> int:\n    return 41\n"}}
    scene.tell(reknit, [beside, red, ALL[0]], [scene.score(100)])
    run = here("fix", "issues", "--format", "json", "--path", "app/b1.py", cwd=root).ending
    assert run["ending"] == "FIXED"
    assert [each["proof"] for each in run["attempts"]] == ["unproven", "regressed", "held"]
    shown = here("show", run["run"], cwd=root).out
    assert "held: 1 passed, no new failures" in shown


def test_an_issue_whose_file_is_not_in_the_commit_is_not_resolved(here: Here, reknit: CommandLine, root: Path) -> None:
    scene.tell(reknit, [ALL[0], ALL[2]], [scene.score(96)], batch={"issues": 5})
    answer = fix(here, root)
    assert answer.ending["ending"] == "PARTIAL", answer.err
    assert scene.states(reknit, root) == {"app/b1.py": "RESOLVED", "app/b2.py": "FAILED", "web/f1.ts": "RESOLVED"}


def test_the_gate_and_the_tests_come_before_any_score(here: Here, reknit: CommandLine, root: Path) -> None:
    cheat = {"delete": ["tests/test_b1.py"], **scene.mend("app/b1.py")}
    broken = {"write": {"app/b1.py": "def answer() -> int:\n    return 41\n"}}
    scene.tell(reknit, [cheat, broken, cheat, ALL[1], ALL[2]], [scene.score(100)])
    answer = fix(here, root)
    assert answer.ending["ending"] == "PARTIAL"
    assert scene.states(reknit, root)["app/b1.py"] == "FAILED"
    assert [each["accepted"] for each in answer.events("gate")] == [False, True, False, True, True]
    assert answer.events("verify")[0]["holds"] is False


def test_a_change_in_no_file_of_an_issue_is_not_kept(here: Here, reknit: CommandLine, root: Path) -> None:
    beside = {"write": {"app/other.py": "ANSWER = 42\n"}}
    scene.tell(reknit, [beside], [scene.score(100)])
    answer = fix(here, root, "--path", "app/b1.py")
    assert (answer.ending["ending"], answer.ending["commit"]) == ("DEFERRED", None)
    assert "the change touches none of the files that the issues are in" in answer.ending["reason"]


def test_tests_that_cannot_be_seen_stop_it_before_anything_is_taken(
    here: Here, reknit: CommandLine, root: Path
) -> None:
    scene.tell(reknit, ALL, [scene.score(96)], checks={"tests": {"run": "no-such-program"}})
    answer = fix(here, root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5)
    assert (answer.ending["attempts"], set(scene.states(reknit, root).values())) == ([], {"OPEN"})
