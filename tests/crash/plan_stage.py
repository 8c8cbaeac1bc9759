"""A plan whose agent is rate limited first, and what it must always leave."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch
from tests.tools.plan_scene import PlanScene, proposes

COST = 0.1
ANSWER = {**proposes(), "outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1, "refused": ["{}"]}


@dataclass(frozen=True)
class PlanLeft:
    """Everything that must not depend on crashes."""

    ending: str | None
    reason: str
    plan: str
    """The file, without the names of the run and its commit."""
    index: tuple[str, ...]
    files: tuple[str, ...]
    untouched: bool
    orphans: int
    spent_usd: float = field(compare=False)
    """Compared apart: a call whose answer died with its worker is made, and paid for, again."""


class PlanStage(Stage):
    def __init__(self, folder: Path, launch: Sequence[Launch], database: str = "") -> None:
        self.scene = PlanScene(folder, database)
        self.scene.tell(ANSWER)
        own = {**stage_environment(folder, database), **self.scene.command.environment}
        super().__init__(folder, own, launch)
        self.before = self.scene.untouched()
        self.plan(self.scene.plan())

    def left(self) -> PlanLeft:
        database = open_store(self.installation.database)
        run = RunReader(database).run(self.spec.run_id)
        database.dispose()
        plans = self.scene.root / ".reknit/plans"
        return PlanLeft(
            ending=run.ending,
            reason=run.reason,
            plan=self.scene.text().replace(run.id, "RUN").replace(self.spec.base[:7], "BASE"),
            index=tuple(self.scene.index_lines()),
            files=tuple(sorted(path.name for path in plans.iterdir())),
            untouched=self.scene.untouched() == self.before,
            orphans=self.orphans(),
            spent_usd=round(run.spent_usd, 6),
        )
