"""Tools fix what they reported before an agent is called: the real ruff, in a real box."""

import json
from pathlib import Path

import pytest

from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine
from tests.workflows.fix_issues import tool_scene as tools
from tests.workflows.fix_issues.backlog_runs import log, moves

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
    assert "I-1 F401 app/b1.py:1 (by ruff " in message
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
