"""A run that a plan allowed, and what it must always leave: a commit per task, and a result under each criterion."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reknit.app.start.planning.variant import VariantRequest, plan_variant
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch
from tests.tools import backlog_scene as scene
from tests.tools.variant_scene import FILE, WRITE_CHANGELOG, WRITE_DEPENDABOT, plan_text, write_plan


@dataclass(frozen=True)
class VariantLeft:
    """Everything that must not depend on crashes."""

    ending: str | None
    reason: str
    plan: str
    trees: tuple[str, ...]
    """Of the commits on the run's branch."""
    receipts: int
    files: tuple[str, ...]
    """In the folder of the plan."""
    orphans: int


class VariantStage(Stage):
    def __init__(self, folder: Path, launch: Sequence[Launch], database: str = "") -> None:
        super().__init__(folder, stage_environment(folder, database), launch)
        self.repository = scene.make(folder, backend=1, frontend=0)
        write_plan(self.repository, stage_environment(folder, database))
        story = json.dumps([WRITE_CHANGELOG, WRITE_DEPENDABOT])
        flags: dict[str, Any] = {"fixer": "scripted", "agents": {"scripted": {"story": story}}, **scene.TESTS}
        flags |= {"challenger": {"enabled": False}, "batch": {"issues": 1}}
        self.plan(plan_variant(self.installation, self.repository, VariantRequest("grey", "tidy"), flags).spec)

    def left(self) -> VariantLeft:
        database = open_store(self.installation.database)
        reader = RunReader(database)
        run, receipts = reader.run(self.spec.run_id), len(reader.receipts(self.spec.run_id))
        database.dispose()
        commits = f"{self.spec.base}..refs/heads/{self.spec.branch}"
        argv = ["git", "-C", str(self.repository), "rev-list", "--format=%T", "--no-commit-header", commits]
        trees = subprocess.run(argv, capture_output=True, text=True, check=False).stdout.split()
        return VariantLeft(
            ending=run.ending,
            reason=run.reason,
            plan=plan_text(self.repository),
            trees=tuple(trees),
            receipts=receipts,
            files=tuple(sorted(path.name for path in (self.repository / FILE).parent.iterdir())),
            orphans=self.orphans(),
        )
