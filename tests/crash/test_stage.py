"""What a stage sees of its workers, however they were started."""

import os
from pathlib import Path

import pytest

from tests.crash.stage import Stage, stage_environment
from tests.crash.workers import Launch, forked_by, fresh
from tests.tools.fork_server import ForkServer


@pytest.mark.parametrize("how", ["fresh", "forked"])
def test_a_worker_that_still_runs_is_seen_until_it_is_killed(how: str, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    os.mkfifo(spec)  # it will wait for its run for ever
    with ForkServer([]) as server:
        launch: Launch = fresh if how == "fresh" else forked_by(server)
        stage = Stage(tmp_path, stage_environment(tmp_path), (launch,))
        worker = stage.begin()
        assert stage.processes() == [worker.pid]
        worker.send_signal(9)
        assert worker.wait(30) == -9
    assert stage.orphans() == 0
    assert stage.log() == ""
