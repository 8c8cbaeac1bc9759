"""A repository, a run of three attempts and one wait in it, and what such a run must leave, crash or no crash."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.app.demo import LEARNER, make_repository
from reknit.app.start.fix_tests import plan_fix_tests
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.quick_tests import QUICK_TESTS
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch, fresh
from tests.tools.repository_print import fingerprint

STORY = LEARNER.replace(
    '"replace"', '"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1, "replace"', 2
).replace('"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1, ', "", 1)
"""The demo's learner; its third attempt is told `not now` once."""


@dataclass(frozen=True)
class Left:
    """Everything a run leaves that must not depend on crashes."""

    ending: str | None
    landed: tuple[str, ...]
    """Trees of the commits on the run's branch."""
    attempts: tuple[tuple[int, str, str | None, str | None], ...]
    receipts: int
    untouched: bool
    orphans: int
    spent_usd: float = field(compare=False)
    """Compared apart: a call whose answer died with its worker is made, and paid for, again."""
    waits: int = field(compare=False)
    """Not compared: a limit that was told to a worker that died need not be there for the next one."""


class Scene(Stage):
    def __init__(
        self, folder: Path, database: str = "", story: str = STORY, *, slow_tests: bool = False,
        launch: Sequence[Launch] = (fresh,), plan: bool = True,
    ) -> None:  # fmt: skip
        """`plan`: here; otherwise its first worker does it."""
        super().__init__(folder, stage_environment(folder, database), launch)
        self.repository = make_repository(folder)
        write_quick_tests(self.repository, "import time\n\ntime.sleep(3)\n" if slow_tests else "")
        flags = {"fixer": "scripted", "agents": {"scripted": {"story": story}}}
        (folder / "flags.json").write_text(json.dumps(flags))
        if plan:
            self.plan(plan_fix_tests(self.installation, self.repository, (), flags).spec)
        self.before = fingerprint(self.repository)

    def left(self) -> Left:
        database = open_store(self.installation.database)
        reader = RunReader(database)
        run_id = self.spec.run_id
        attempts = tuple(
            (attempt.number, attempt.strategy, attempt.outcome, str((attempt.proof or {}).get("word")))
            for attempt in reader.attempts(run_id)
        )
        found = Left(
            ending=reader.run(run_id).ending,
            landed=self._landed(),
            attempts=attempts,
            receipts=len(reader.receipts(run_id)),
            waits=sum(seen.event.kind == "waiting" for seen in reader.events(run_id)),
            untouched=fingerprint(self.repository) == self.before,
            orphans=self.orphans(),
            spent_usd=round(reader.run(run_id).spent_usd, 6),
        )
        database.dispose()
        return found

    def _landed(self) -> tuple[str, ...]:
        branch = f"refs/heads/reknit/{self.spec.run_id}"
        argv = [
            "git",
            "-C",
            str(self.repository),
            "rev-list",
            "--format=%T",
            "--no-commit-header",
            f"{self.spec.base}..{branch}",
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return tuple(done.stdout.split())


def write_quick_tests(repository: Path, first: str) -> None:
    for name, text in QUICK_TESTS.items():
        (repository / name).write_text((first if name.startswith("tests/") else "") + text)
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *who, "commit", "-qam", "quick tests"], cwd=repository, check=True)
