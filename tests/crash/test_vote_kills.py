"""`kill -9` before and after every step of a vote: the same end, the same two votes, one comment."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.databases import SqliteDatabases
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.vote_stage import VoteLeft, VoteStage
from tests.crash.workers import Launch
from tests.tools.vote_scene import ANN, BOB

KILLED = -9
STEPS = {"vote_look.v1", "cast.v1", "wait_agent.v1", "count.v1", "post.v1", "end.v1"}


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_a_vote_ends_the_same_wherever_its_worker_dies(
    tmp_path: Path, forked: tuple[Launch, Launch], sqlite_databases: SqliteDatabases
) -> None:
    def play(die_at: int | None) -> tuple[VoteLeft, list[str]]:
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
            stage.close()

    calm, moments = play(None)
    assert (calm.ending, calm.scores, calm.comments, calm.complete) == ("CLEAN", ((ANN, 85), (BOB, 78)), 1, True)
    assert {moment.split()[0] for moment in moments} == STEPS
    with ThreadPoolExecutor(SCENES_AT_ONCE) as pool:
        ends = [end for end, _ in pool.map(play, range(0, len(moments), EVERY_NTH))]
    assert [(end.killed_at, end) for end in ends if end != calm] == []
    assert {end.killed_at for end in ends} == set(moments[::EVERY_NTH])
    print(f"\n{len(ends)} kills of a vote at {len(set(moments))} step boundaries, 0 wrong")
