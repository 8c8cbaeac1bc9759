"""`fix issues` with the real ruff and eslint: what they fix safely reaches no model, and in the end both are silent."""

import re
from pathlib import Path
from typing import Any

from tests.tools import backlog_scene as scene
from tests.workflows.fix_issues import tool_scene as tools
from tests.workflows.fix_issues.backlog_runs import moves

UNUSED = "import os\n\n\ndef answer() -> int:\n    return 42\n"
NONE = "def is_missing(value: object) -> bool:\n    return value == None\n"
VAR = "export function label() {\n  var text = 'x'\n  return text\n}\n"
EQUAL = "export function isOne(value) {\n  return value == 1\n}\n"
CONFIG = 'export default [{ files: ["**/*.js"], rules: { "no-var": "error", eqeqeq: "error" } }]\n'
RULES = "F401,E711"


def mended(names: list[str], old: str, new: str) -> dict[str, Any]:
    return {"replace": {name: [old, new] for name in names}, "cost_usd": 0.1}


def test_of_40_findings_25_have_a_safe_fix_and_15_reach_a_model(tmp_path: Path) -> None:
    reknit = tools.with_tools(tmp_path, tools.RUFF)
    none, equal = [f"app/n{number}.py" for number in range(8)], [f"web/q{number}.js" for number in range(7)]
    files = {f"app/u{number:02}.py": UNUSED for number in range(12)} | dict.fromkeys(none, NONE)
    files |= {f"web/v{number:02}.js": VAR for number in range(12)} | dict.fromkeys(equal, EQUAL)
    files |= {"web/package.json": '{"name": "web", "type": "module"}\n', "web/eslint.config.js": CONFIG}
    root = tools.make(tmp_path, {**files, ".gitignore": "node_modules/\n"})  # and `app/b1.py`, with an unused import
    tools.install_eslint(root / "web")
    tools.take_in(reknit, root, RULES, script=True)
    assert len(scene.issues(reknit, root)) == 40
    strict = ("value == 1", "value === 1")
    fixes = [mended(some, "value == None", "value is None") for some in (none[:5], none[5:])]
    fixes += [mended(some, *strict) for some in (equal[:5], equal[5:])]
    tools.tell(reknit, fixes, [scene.score(96)], batch={"issues": 5})
    answer = tools.fix(reknit, root)
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), (answer.err, answer.ending["reason"])
    assert moves(answer) == [(f"B-{number}", "done") for number in range(1, 5)]
    shown = reknit.run("show", answer.ending["run"], cwd=root).out
    reached = sum(map(int, re.findall(r"attempt \d+ .* (\d+) issue\(s\) in", shown)))
    [fixed] = answer.events("tool_fix")
    by_tools = [issue for issues in fixed["issues"].values() for issue in issues]
    assert (len(by_tools), reached) == (25, 15), shown
    assert answer.ending["reason"].startswith("40 of 40 issues")
    assert "; 25 of them fixed by their tools; " in answer.ending["reason"]
    assert {*tools.states(reknit, root).values()} == {"RESOLVED"}
    *by, again = answer.ending["receipts"][0]["tools"]
    assert [line.count("I-") for line in by] == [13, 12]
    assert again.endswith("no longer report 40 issues of 40")
    tools.merge(root, answer.ending["run"])
    assert (tools.ruff_report(root, RULES), tools.eslint_report(root)) == ([], [])
