"""After an agent's fix the tool that reported is run again: RESOLVED means that it is silent."""

from pathlib import Path

import pytest

from tests.tools.command_line import CommandLine
from tests.workflows.fix_issues import tool_scene as tools

TWO = "def first(value: object) -> bool:\n    return value == None\n\n\n"
TWO += "def second(value: object) -> bool:\n    return value == True\n"
BESIDE = {"replace": {"app/two.py": ["def first(value", "def first(other: int, value"]}, "cost_usd": 0.1}
HALF = {"replace": {"app/two.py": ["value == None", "value is None"]}, "cost_usd": 0.1}
HUSHED = {"replace": {"app/two.py": ["value == None", "value == None  # ruff: ignore[E711]"]}, "cost_usd": 0.1}


@pytest.fixture
def reknit(tmp_path: Path) -> CommandLine:
    return tools.with_tools(tmp_path, tools.RUFF)


@pytest.fixture
def root(reknit: CommandLine, tmp_path: Path) -> Path:
    made = tools.make(tmp_path, {"app/two.py": TWO})
    tools.take_in(reknit, made, "E711,E712")
    return made


def test_what_is_still_reported_is_another_attempt_and_then_failed(reknit: CommandLine, root: Path) -> None:
    tools.tell(reknit, [BESIDE, HALF, HALF], batch={"issues": 5}, loop={"attempts": 2})
    answer = tools.fix(reknit, root)
    assert answer.ending["ending"] == "PARTIAL", answer.err
    assert [each["proof"] for each in answer.ending["attempts"]] == ["unproven", "held"]
    assert tools.states(reknit, root) == {("app/two.py", "E711"): "RESOLVED", ("app/two.py", "E712"): "FAILED"}
    assert [each["attempt"] for each in answer.events("tools_checked")] == [1]
    history = reknit.run("issues", "show", "I-2", "--format", "json", cwd=root).ending["history"]
    assert history[-1]["why"] == "its tool still reports it after the last attempt"


MOVED = {
    "write": {
        "app/two.py": "from app.moved import first, second\n\n__all__ = ['first', 'second']\n",
        "app/moved.py": TWO,
    }
}


def test_what_is_only_moved_to_another_file_is_still_reported(reknit: CommandLine, root: Path) -> None:
    tools.tell(reknit, [MOVED], loop={"attempts": 1})
    answer = tools.fix(reknit, root)
    assert answer.ending["ending"] == "DEFERRED", answer.err
    assert "RESOLVED" not in tools.states(reknit, root).values()


def test_a_comment_that_silences_the_tool_is_no_fix(reknit: CommandLine, root: Path) -> None:
    tools.tell(reknit, [HUSHED], loop={"attempts": 1})
    answer = tools.fix(reknit, root, "--rule", "E711")
    assert answer.ending["ending"] == "DEFERRED", answer.err
    assert answer.events("gate")[0]["refusals"][0]["rule"] == "suppression-added"


def test_without_the_tool_and_a_challenger_nothing_is_resolved_and_the_receipt_says_so(
    reknit: CommandLine, root: Path
) -> None:
    (reknit.folder / "tools" / "ruff").unlink()
    tools.tell(reknit, [BESIDE])
    answer = tools.fix(reknit, root, "--rule", "E711")
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5), answer.err
    assert answer.ending["reason"].endswith("no check of this issue exists: I-1")
    assert tools.states(reknit, root)["app/two.py", "E711"] == "OPEN"
    assert answer.ending["receipts"][0]["tools"] == ["not checked again: I-1 (ruff: it is not installed here)"]
