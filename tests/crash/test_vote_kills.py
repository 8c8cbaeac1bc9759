"""`kill -9` before and after every step of a vote: the same end, the same two votes, one comment."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.crash.databases import SqliteDatabases
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE, Stage
from tests.crash.workers import Launch
from tests.tools.github import GitHub
from tests.tools.pull_scene import SLUG
from tests.tools.repository_print import fingerprint
from tests.tools.vote_scene import ANN, BOB, WORDS, ballot, planned, vote_scene

KILLED = -9
STEPS = {"vote_look.v1", "cast.v1", "wait_agent.v1", "count.v1", "post.v1", "end.v1"}


@dataclass(frozen=True)
class Left:
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

    def __init__(self, folder: Path, launch: Sequence[Launch]) -> None:
        self.hub = GitHub(folder / "hub")
        late = ballot(BOB, 78, outcome="rate_limited", limited_times=1, wait_s=0.2)
        self.scene = vote_scene(folder, self.hub, [ballot(ANN, 85, "warning")], [late])
        super().__init__(folder, {**self.scene.command.environment, "TRACE_FILE": str(folder / "trace")}, launch)
        self.play(planned(self.scene))
        self._before = fingerprint(self.scene.clone)

    def left(self, killed_at: str) -> Left:
        database = open_store(self.place.database)
        reader = RunReader(database)
        run, votes = reader.run(self.spec.run_id), json.loads(reader.document(self.spec.run_id, "votes") or "{}")
        database.dispose()
        bodies = [str(comment["body"]) for comment in self.hub.comments(SLUG, self.scene.number)]
        return Left(
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


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_a_vote_ends_the_same_wherever_its_worker_dies(
    tmp_path: Path, forked: tuple[Launch, Launch], sqlite_databases: SqliteDatabases
) -> None:
    def play(die_at: int | None) -> tuple[Left, list[str]]:
        folder = tmp_path / ("calm" if die_at is None else f"{die_at:02}")
        folder.mkdir()
        sqlite_databases.used(folder)
        stage = VoteStage(folder, forked)
        try:
            code = stage.start(die_at)
            killed_at = stage.traces()[-1] if code == KILLED else ""
            code = stage.replace() if killed_at else code
            assert code == 0, stage.log()
            return stage.left(killed_at), stage.traces()
        finally:
            stage.hub.close()

    calm, moments = play(None)
    assert (calm.ending, calm.scores, calm.comments, calm.complete) == ("CLEAN", ((ANN, 85), (BOB, 78)), 1, True)
    assert {moment.split()[0] for moment in moments} == STEPS
    with ThreadPoolExecutor(SCENES_AT_ONCE) as pool:
        ends = [end for end, _ in pool.map(play, range(0, len(moments), EVERY_NTH))]
    assert [(end.killed_at, end) for end in ends if end != calm] == []
    assert {end.killed_at for end in ends} == set(moments[::EVERY_NTH])
    print(f"\n{len(ends)} kills of a vote at {len(set(moments))} step boundaries, 0 wrong")
