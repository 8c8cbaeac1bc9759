"""A vote of two agents, one of them rate limited first, and what it must always leave."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.stage import Stage
from tests.crash.workers import Launch
from tests.tools.github import GitHub
from tests.tools.pull_scene import SLUG
from tests.tools.repository_print import fingerprint
from tests.tools.vote_scene import ANN, BOB, WORDS, ballot, planned, vote_scene


@dataclass(frozen=True)
class VoteLeft:
    """Everything a vote leaves that must not depend on crashes."""

    ending: str | None
    reason: str
    scores: tuple[tuple[str, int], ...]
    average: float
    comments: int
    complete: bool
    """The comment has both voters' words."""
    untouched: bool
    orphans: int
    violations: tuple[str, ...]
    killed_at: str = field(compare=False)


class VoteStage(Stage):
    """Ann votes at once, Bob is told `not now` first."""

    def __init__(
        self, folder: Path, launch: Sequence[Launch], database: str = "", *, wait_s: float = 0.2, plan: bool = True
    ) -> None:
        """`wait_s`: until Bob may vote; `plan`: here, otherwise its first worker does it."""
        self.hub = GitHub(folder / "hub")
        late = ballot(BOB, 78, outcome="rate_limited", limited_times=1, wait_s=wait_s)
        self.scene = vote_scene(folder, self.hub, [ballot(ANN, 85, "warning")], [late], database=database)
        super().__init__(folder, {**self.scene.command.environment, "TRACE_FILE": str(folder / "trace")}, launch)
        if plan:
            self.plan(planned(self.scene))
        self._before = fingerprint(self.scene.clone)

    def close(self) -> None:
        self.hub.close()

    def left(self, killed_at: str = "") -> VoteLeft:
        database = open_store(self.installation.database)
        reader = RunReader(database)
        run, votes = reader.run(self.spec.run_id), json.loads(reader.document(self.spec.run_id, "votes") or "{}")
        database.dispose()
        bodies = [str(comment["body"]) for comment in self.hub.comments(SLUG, self.scene.number)]
        return VoteLeft(
            ending=run.ending,
            reason=run.reason,
            scores=tuple((vote["agent"], vote["score"]) for vote in votes["votes"]),
            average=votes["average"],
            comments=len(bodies),
            complete=all(word in body for body in bodies for word in WORDS.values()),
            untouched=fingerprint(self.scene.clone) == self._before,
            orphans=self.orphans(),
            violations=tuple(self.hub.violations),
            killed_at=killed_at,
        )
