"""Reviews with a fix at the second attempt, a finding that is given up, one that is gone, a limit and a second look."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.core.review.progress_file.entries import Entry
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch, fresh
from tests.tools.review_scene import ARC, COR, SEC, ReviewScene, confirms, mends, module, problem, rereads, says

LIMITED = {"outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1}
CHEAT = mends(1, delete=["tests/test_answers.py"])
RED = {"replace": {module(2): ["return 42", "return 41"]}, "cost_usd": 0.1}
FIXES = [CHEAT, mends(1), RED, mends(2), {"cost_usd": 0.1}]
"""The second finding: a test becomes red, the reviewer says that it is still there, nothing changes."""
READS = [
    rereads(problem(1, file="tests/test_answers.py", line=1, title="only one answer is tested")),
    says(COR, problem(1), problem(2)),
    says(SEC, problem(1, category="dos")),
    says(ARC, problem(1, issue="The mean is in the wrong module.", title="mean is not here", line=5), **LIMITED),
    *[confirms()] * 3,
    confirms("the list may be None"),
    confirms(),  # of the finding that two reviewers report: it is gone with the first fix
]


@dataclass(frozen=True)
class ReviewLeft:
    """Everything that must not depend on crashes."""

    ending: str | None
    reason: str
    entries: tuple[Entry, ...]
    landed: tuple[str, ...]
    histories: tuple[tuple[str, tuple[str, ...]], ...]
    """Tool and file of each issue -> every status that it had."""
    attempts: tuple[tuple[int, str, str, str | None, str], ...]
    receipts: int
    untouched: bool
    orphans: int
    spent_usd: float = field(compare=False)
    """Compared apart: a call whose answer died with its worker is made, and paid for, again."""


class ReviewStage(Stage):
    def __init__(
        self, folder: Path, database: str = "", launch: Sequence[Launch] = (fresh,), *, resumes: bool = False
    ) -> None:
        """`resumes`: the run is one with `--resume`, after one with `--report-only` that nobody killed."""
        self.scene = ReviewScene(folder, database=database)
        self.scene.tell(READS, FIXES, second_look=True)
        own = {**stage_environment(folder, database), **self.scene.command.environment}
        super().__init__(folder, own, launch)
        self.before = self.scene.untouched()
        if not resumes:
            self.plan(self.scene.plan(COR, SEC, ARC))
            return
        first = self.scene.plan(COR, SEC, ARC, report_only=True)
        self.plan(first)
        assert self.start() == 0, self.log()
        Path(own["TRACE_FILE"]).unlink()
        self.plan(self.scene.plan_resumed(first.run_id))

    def left(self) -> ReviewLeft:
        database = open_store(self.installation.database)
        reader, run_id = RunReader(database), self.spec.run_id
        run = reader.run(run_id)
        attempts = tuple(
            (each.number, each.finding, each.strategy, each.outcome, str((each.proof or {}).get("word")))
            for each in reader.attempts(run_id)
        )
        receipts = len(reader.receipts(run_id))
        database.dispose()
        return ReviewLeft(
            ending=run.ending,
            reason=run.reason,
            entries=tuple(self.scene.entries()),
            landed=tuple(self.scene.landed(run_id)),
            histories=tuple(sorted(self.scene.histories().items())),  # reviewers read, and report, at the same time
            attempts=attempts,
            receipts=receipts,
            untouched=self.scene.untouched() == self.before,
            orphans=self.orphans(),
            spent_usd=round(run.spent_usd, 6),
        )
