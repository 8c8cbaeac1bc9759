"""A run on the backlog with a crash, a refusal, a limit and two rounds in it, and what it must always leave."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from reknit.app.start.fix_issues import plan_fix_issues
from reknit.core.issues.model import IssueFilter, ReportResult
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch, fresh
from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine
from tests.tools.lint_tools import ruff
from tests.tools.repository_print import fingerprint

CRASH = scene.mend("app/b2.py", run=["sh", "-c", "kill -9 $PPID"], outcome="crashed")
CHEAT = {**scene.mend("web/f1.ts"), "delete": ["tests/test_b1.py"]}
LIMITED = {"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1}
REWORK = {"write": {"app/b1.py": "def answer() -> int:\n    return 6 * 7\n"}, "cost_usd": 0.1}
FIXES = [scene.mend("app/b1.py"), CRASH, CHEAT, {**scene.mend("web/f1.ts"), **LIMITED}, REWORK]
SCORES = [scene.score(82, "say why", issue="where is 42 from?"), scene.score(96)]


@dataclass(frozen=True)
class BacklogLeft:
    """Everything that must not depend on crashes."""

    ending: str | None
    reason: str
    landed: tuple[str, ...]
    """Trees of the commits on the run's branch."""
    histories: tuple[tuple[str, tuple[str, ...]], ...]
    """File -> every status its issue had."""
    attempts: tuple[tuple[int, str, str | None], ...]
    receipts: int
    untouched: bool
    orphans: int
    spent_usd: float = field(compare=False)
    """Not compared: a call whose answer died with its worker is made, and paid for, again."""


class BacklogStage(Stage):
    fixes: Sequence[Mapping[str, Any]] = FIXES
    settings: Mapping[str, Any] = {"challenger": {"agent": "judge"}, "batch": {"issues": 1}, **scene.TESTS}

    def __init__(
        self, folder: Path, database: str = "", launch: Sequence[Launch] = (fresh,), *, plan: bool = True
    ) -> None:
        """`plan`: here; otherwise its first worker does it."""
        super().__init__(folder, stage_environment(folder, database), launch)
        self.repository = self.make()
        judge = {"kind": "scripted", "story": json.dumps(SCORES)}
        agents = {"scripted": {"story": json.dumps(self.fixes)}, "judge": judge}
        flags: dict[str, Any] = {"fixer": "scripted", "agents": agents, **self.settings}
        (folder / "flags.json").write_text(json.dumps(flags))
        if plan:
            reknit = CommandLine(folder, {"REKNIT_DATABASE": database} if database else {})
            scene.take_in(reknit, self.repository, self.found())
            self.plan(plan_fix_issues(self.installation, self.repository, IssueFilter(), flags).spec)
        self.before = fingerprint(self.repository)

    def make(self) -> Path:
        return scene.make(self.folder)

    def found(self) -> list[ReportResult]:
        return scene.found(self.repository)

    def left(self) -> BacklogLeft:
        database = open_store(self.installation.database)
        reader, run_id = RunReader(database), self.spec.run_id
        run = reader.run(run_id)
        with scene.opened(self.environment, self.repository) as (ledger, key):
            histories = tuple(
                (issue.path, tuple(change.new for change in ledger.history(issue.id)))
                for issue in ledger.each(key, IssueFilter())
            )
        found = BacklogLeft(
            ending=run.ending,
            reason=run.reason,
            landed=self._landed(),
            histories=histories,
            attempts=tuple((each.number, each.finding, each.outcome) for each in reader.attempts(run_id)),
            receipts=len(reader.receipts(run_id)),
            untouched=fingerprint(self.repository) == self.before,
            orphans=self.orphans(),
            spent_usd=round(run.spent_usd, 6),
        )
        database.dispose()
        return found

    def _landed(self) -> tuple[str, ...]:
        commits = f"{self.spec.base}..refs/heads/{self.spec.branch}"
        argv = ["git", "-C", str(self.repository), "rev-list", "--format=%T", "--no-commit-header", commits]
        return tuple(subprocess.run(argv, capture_output=True, text=True, check=False).stdout.split())


class ToolStage(BacklogStage):
    """Of two issues, the real ruff fixes one, and an agent the other."""

    fixes = ({"replace": {"app/none.py": ["value == None", "value is None"]}, "cost_usd": 0.1},)
    settings: Mapping[str, Any] = {**scene.TESTS, "challenger": {"enabled": False}, "issues": {"tool_fixes": True}}

    def __init__(self, folder: Path, database: str = "", launch: Sequence[Launch] = (fresh,)) -> None:
        super().__init__(folder, database, launch)
        self.environment = {**self.environment, "PATH": f"{Path(ruff()).parent}:{self.environment['PATH']}"}

    def make(self) -> Path:
        root = scene.make(self.folder, backend=1, frontend=0)
        (root / "app" / "none.py").write_text("def is_none(value: object) -> bool:\n    return value == None\n")
        commit_all(str(root), "more")
        return root

    def found(self) -> list[ReportResult]:
        none = str(self.repository / "app" / "none.py")
        return [*super().found(), ReportResult("ruff", "E711", none, 2, 21, "Comparison to `None`")]
