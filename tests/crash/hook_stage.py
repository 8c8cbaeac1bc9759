"""A window that stops with its test still red, and what the check of its work must always leave."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.adapters.hook import HookFiles
from reknit.app.demo import make_repository
from reknit.app.hook.arm import arm
from reknit.app.hook.start_check import plan_check
from reknit.core.bug_state import BugState
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.open_databases import closing_databases
from reknit.store.runs.reader import RunReader
from tests.crash.scene import write_quick_tests
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch
from tests.tools.repository_print import fingerprint

TEST, WINDOW = "tests/test_pricing.py", "w1"


@dataclass(frozen=True)
class HookLeft:
    ending: str | None
    bug: BugState
    check: str
    told: str
    """What the window is answered."""
    untouched: bool
    orphans: int
    killed_at: str = field(compare=False)


class HookStage(Stage):
    def __init__(self, folder: Path, launch: Sequence[Launch], database: str = "") -> None:
        super().__init__(folder, stage_environment(folder, database), launch)
        self.repository = make_repository(folder)
        write_quick_tests(self.repository, "")
        with closing_databases():
            mode = arm(self.installation, self.repository, "BUG-001", TEST, owner=WINDOW).mode
            self.plan(plan_check(self.installation, SqlFixModes(open_store(self.installation.database)), mode))
        self._before = fingerprint(self.repository)

    def left(self, killed_at: str = "") -> HookLeft:
        with closing_databases():
            store = open_store(self.installation.database)
            (mode,) = SqlFixModes(store).list_modes(str(self.repository))
            ending = RunReader(store).run(self.spec.run_id).ending
        marker = HookFiles(self.installation.hooks).read(str(self.repository), WINDOW)
        return HookLeft(
            ending=ending,
            bug=mode.bug,
            check=mode.check,
            told=marker.answer.text if marker and marker.answer else "",
            untouched=fingerprint(self.repository) == self._before,
            orphans=self.orphans(),
            killed_at=killed_at,
        )
