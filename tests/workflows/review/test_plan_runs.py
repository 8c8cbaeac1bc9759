"""Blue, a variant that only reports: its criteria are checked on the commit that was reviewed."""

import json
from collections.abc import Callable
from pathlib import Path

from reknit.core.planning.plan_file.plan import PlannedCriterion
from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer, CommandLine
from tests.tools.plot import git
from tests.tools.variant_scene import plan_text, write_plan

Here = Callable[..., Answer]
REPORT = {"verdict": "passed", "score_0_100": 97, "summary": "fine", "findings": []}


def test_nothing_is_changed_and_no_test_passes_unseen(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = scene.make(tmp_path)
    start = git(root, "rev-parse", "HEAD").strip()
    git(root, "checkout", "-q", "-b", "work")
    (root / "app/b1.py").write_text("def answer() -> int:\n    return 42\n")
    git(root, "commit", "-q", "-a", "-m", "work")
    git(root, "branch", "-q", "-f", "main", start)
    criteria = ("file: app/b1.py exists", "run: python3 check.py", "test: all")
    write_plan(root, reknit.environment, variant_recommendation="blue", criteria=tuple(map(PlannedCriterion, criteria)))
    agents = {"scripted": {"story": json.dumps([{"report": REPORT, "cost_usd": 0.01}] * 9)}}
    reknit.configure(fixer="scripted", agents=agents, review={"agent": "scripted"}, **scene.TESTS)
    answer = here("fix", "plan", "tidy", "--as", "blue", "--format", "json", cwd=root)
    assert (answer.ending["ending"], answer.exit_code) == ("UNVERIFIED", 5), (answer.out, answer.err)
    assert answer.ending["reason"].endswith("2 of 3 criteria passed, 1 unverified")
    assert plan_text(root).count("  - passed: ") == 2
    assert "  - unverified: a run that only reports runs no tests" in plan_text(root)
    assert answer.ending["commit"] is None
    assert not (root / "PROGRESS.txt").exists()
