"""The steps around tools: only safe fixes, only the rules and files that were reported."""

from pathlib import Path

import pytest

from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine
from tests.workflows.fix_issues import tool_scene as tools

TWO = "import os\nimport re\n\n\ndef is_missing(value: object) -> bool:\n    return value == None\n"


@pytest.fixture
def reknit(tmp_path: Path) -> CommandLine:
    return tools.with_tools(tmp_path, tools.RUFF)


def test_an_unsafe_fix_is_never_applied_whatever_the_project_says(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {"ruff.toml": "unsafe-fixes = true\nfix = true\n", "app/two.py": TWO})
    tools.take_in(reknit, root, "F401,E711")
    tools.tell(reknit)
    answer = tools.fix(reknit, root, "--path", "app/two.py")
    assert tools.states(reknit, root)["app/two.py", "E711"] == "OPEN"
    text = tools.shown(root, answer.ending["run"], "app/two.py")
    assert ("import" in text, "value == None" in text) == (False, True)


def test_what_a_person_ignored_stays_as_it_is(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {"app/two.py": TWO})
    tools.take_in(reknit, root, "F401")
    ignored = next(issue.name for issue in scene.issues(reknit, root) if issue.path == "app/two.py")
    assert reknit.run("issues", "ignore", ignored, "--why", "for its effect", cwd=root).exit_code == 0
    tools.tell(reknit)
    answer = tools.fix(reknit, root)
    [looked] = answer.events("tools_looked")
    assert len(looked["fixable"]) == 1
    assert tools.shown(root, answer.ending["run"], "app/two.py") == TWO


def test_what_is_no_longer_reported_is_left_as_it_is_and_nobody_is_paid(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {})
    tools.take_in(reknit, root, "F401")
    tools.make_commit(root, {"app/b1.py": "def answer() -> int:\n    return 42\n"})
    tools.tell(reknit)
    answer = tools.fix(reknit, root)
    assert (answer.ending["ending"], answer.exit_code, answer.ending["attempts"]) == ("CLEAN", 0, []), answer.err
    assert tools.states(reknit, root) == {("app/b1.py", "F401"): "OPEN"}
    assert "their tools report none of these issues" in answer.ending["reason"]


def test_the_ending_and_the_receipt_name_what_is_no_longer_reported(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {"app/two.py": TWO})
    tools.take_in(reknit, root, "F401")
    tools.make_commit(root, {"app/b1.py": "def answer() -> int:\n    return 42\n"})
    tools.tell(reknit)
    answer = tools.fix(reknit, root)
    assert answer.ending["ending"] == "PARTIAL", answer.err
    assert tools.states(reknit, root) == {("app/b1.py", "F401"): "OPEN", ("app/two.py", "F401"): "RESOLVED"}
    said = "I-1 left OPEN, no longer reported by their tools: import new reports"
    assert said in answer.ending["reason"]
    assert said in answer.ending["receipts"][0]["tools"]
