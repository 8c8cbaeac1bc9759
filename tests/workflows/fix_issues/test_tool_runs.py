"""Tools run in a box: one that crashes has no result, and is never taken for a silent one."""

from pathlib import Path

import pytest

from tests.tools.command_line import CommandLine
from tests.workflows.fix_issues import tool_scene as tools
from tests.workflows.fix_issues.backlog_runs import ALL, moves

VERSION = '[ "$1" = --version ] && echo ruff 9.9.9 && exit 0'


@pytest.fixture
def reknit(tmp_path: Path, script: str) -> CommandLine:
    return tools.with_tools(tmp_path, tools.a_program(tmp_path, "ruff", f"{VERSION}\n{script}"))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        pytest.param("echo out of luck >&2; exit 2", "it ended with exit code 2 (out of luck)", id="crashes"),
        pytest.param("kill -9 $$", "it ended with exit code 137", id="killed"),
        pytest.param("echo not a report", "it is plain text", id="prints something else"),
        pytest.param("exit 0", "the report is empty", id="prints nothing"),
        pytest.param(
            "echo '[]'; exit 1", "exit code 1 and reported nothing", id="says that it found what it does not say"
        ),
    ],
)
def test_a_tool_without_a_result_leaves_its_issues_to_an_agent(reknit: CommandLine, tmp_path: Path, why: str) -> None:
    root = tools.make(tmp_path, {})
    tools.take_in(reknit, root, "F401")
    tools.tell(reknit, ALL)
    answer = tools.fix(reknit, root)
    assert (answer.ending["ending"], moves(answer)) == ("UNVERIFIED", [("B-1", "done")]), answer.err
    [said] = answer.ending["receipts"][0]["tools"]
    assert said.startswith("not checked again: I-1 (ruff: ")
    assert why in said


@pytest.mark.parametrize("script", [pytest.param(f'exec {tools.RUFF} "$@"', id="")])
def test_rules_that_this_ruff_does_not_know_cost_the_others_nothing(reknit: CommandLine, tmp_path: Path) -> None:
    """Reports of another version: a rule that was removed since, one that is not there yet, and one with a new name."""
    root = tools.make(tmp_path, {"app/more.py": "import os\nimport re\nimport json\n"})
    first, *others = tools.ruff_report(root, "F401")
    report = [first, *({**one, "code": code} for one, code in zip(others, ("PT004", "XYZ999", "TCH001"), strict=True))]
    tools.take_in_report(reknit, root, report)
    tools.tell(reknit, workspace={"show": [str(Path(tools.RUFF).parents[1])]})
    answer = tools.fix(reknit, root)
    [looked] = answer.events("tools_looked")
    assert (looked["fixable"], looked["gone"]) == (["I-1"], [])
    assert tools.states(reknit, root)["app/b1.py", "F401"] == "RESOLVED"
    assert len(moves(answer)) == 1


@pytest.mark.parametrize("script", [pytest.param(f'exec {tools.RUFF} "$@"', id="")])
def test_no_configuration_makes_an_unsafe_fix_safe(reknit: CommandLine, tmp_path: Path) -> None:
    """And a malformed `noqa`, about which ruff warns with rules as examples, costs the safe fixes nothing."""
    code = "import os\n\n\ndef is_missing(value: object) -> bool:  # noqa: , x\n    return value == None\n"
    settings = '[lint]\nextend-safe-fixes = ["E7"]\n'
    root = tools.make(tmp_path, {"app/more.py": code, "ruff.toml": settings})
    tools.take_in(reknit, root, "F401,E711")
    tools.tell(reknit, workspace={"show": [str(Path(tools.RUFF).parents[1])]})
    answer = tools.fix(reknit, root)
    by = tools.states(reknit, root)
    assert (by["app/more.py", "F401"], by["app/b1.py", "F401"]) == ("RESOLVED", "RESOLVED"), answer.err
    assert by["app/more.py", "E711"] != "RESOLVED"
    left = tools.shown(root, answer.ending["run"], "app/more.py")
    assert ("import os" in left, "value == None" in left) == (False, True)


ONLY_AT_FIRST = f"""grep -q 'value == None' app/none.py || exit 2
exec {tools.RUFF} "$@"
"""


@pytest.mark.parametrize("script", [pytest.param(ONLY_AT_FIRST, id="")])
def test_a_tool_that_fails_only_on_the_change_refuses_it(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {"app/none.py": "def f(value: object) -> bool:\n    return value == None\n"})
    tools.take_in(reknit, root, "E711")
    mended = {"replace": {"app/none.py": ["value == None", "value is None"]}, "cost_usd": 0.1}
    tools.tell(reknit, [mended], loop={"attempts": 1}, workspace={"show": [str(Path(tools.RUFF).parents[1])]})
    answer = tools.fix(reknit, root)
    assert (answer.ending["ending"], moves(answer)) == ("DEFERRED", [("B-1", "done")]), answer.err
    assert "gives no result on this change" in answer.ending["reason"]


FAILS_WHEN_FIXED = f"""grep -q 'import os' app/b1.py || exit 2
exec {tools.RUFF} "$@"
"""


@pytest.mark.parametrize("script", [pytest.param(FAILS_WHEN_FIXED, id="")])
def test_a_tool_that_fails_on_its_own_fix_is_not_said_to_report_it_still(reknit: CommandLine, tmp_path: Path) -> None:
    root = tools.make(tmp_path, {})
    tools.take_in(reknit, root, "F401")
    tools.tell(reknit, workspace={"show": [str(Path(tools.RUFF).parents[1])]})
    [fixed] = tools.fix(reknit, root).events("tool_fix")
    assert not fixed["accepted"]
    assert "gives no result on this change" in fixed["output_tail"]
