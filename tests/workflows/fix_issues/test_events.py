"""What a run on the backlog says of its work is true: who did it, and what the tests said."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
ALL = [scene.mend("app/b1.py"), scene.mend("app/b2.py"), scene.mend("web/f1.ts")]


@pytest.fixture
def root(reknit: CommandLine, tmp_path: Path) -> Path:
    made = scene.make(tmp_path)
    scene.take_in(reknit, made)
    return made


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
