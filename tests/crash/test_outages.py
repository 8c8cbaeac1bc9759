"""Outages under a run: Postgres is away for a while or takes no more connections, a disk is full. Nothing is lost."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import pytest
import sqlalchemy as sa

from reknit.store.database import WORKER
from reknit.store.problems import CONNECTIONS
from tests.crash.databases import create_database
from tests.crash.outage_scene import LEASE_S, OutageScene, Outcome, until
from tests.tools.patience import scale
from tests.tools.private_postgres import Server, private_postgres

FIXED = ("FIXED", [1], 1, 1)
"""Ending, starts of each attempt, commits on the branch, receipts."""
WORKERS, MAX_CONNECTIONS = 20, 100


def seen(outcome: Outcome) -> tuple[str | None, list[int], int, int]:
    return outcome.run.ending, outcome.starts, outcome.commits, outcome.receipts


def begin(
    folder: Path, server: Server, phase: Literal["attempt", "verify"]
) -> tuple[tuple[OutageScene, OutageScene], tuple["subprocess.Popen[str]", "subprocess.Popen[str]"]]:
    """A run in a terminal and one of a worker, each with a database of its own, both in that phase."""
    terminal, fleet = (
        OutageScene(folder / name, create_database(server, name), holds=phase) for name in ("terminal", "worker")
    )
    fleet.queue()
    children = (terminal.in_terminal(), fleet.worker())
    for scene in (terminal, fleet):
        scene.until_held()
    return (terminal, fleet), children


def short_outage(folder: Path, seconds: float) -> tuple[Outcome, Outcome]:
    """The agent's work ends while the database is away."""
    with private_postgres() as server:
        (terminal, fleet), children = begin(folder, server, "attempt")
        server.stop()
        for scene in (terminal, fleet):
            scene.let_go()
        threading.Event().wait(seconds)
        server.start()
        return terminal.outcome(children[0]), fleet.outcome(children[1])


def long_outage(folder: Path, seconds: float) -> tuple[Outcome, Outcome, Outcome, Outcome, float]:
    """Return terminal and worker when they left, both resumed, and the seconds until both had left."""
    with private_postgres() as server:
        (terminal, fleet), children = begin(folder, server, "verify")
        server.stop()
        began = time.monotonic()
        told = [child.communicate(timeout=scale(240))[1] for child in children]
        left_s = time.monotonic() - began
        threading.Event().wait(max(0.0, seconds - left_s))
        server.start()
        left = []
        for scene in (terminal, fleet):
            scene.let_go()
        for scene, child, err in zip((terminal, fleet), children, told, strict=True):
            left.append(scene.left_by(child.returncode, err))
        with ThreadPoolExecutor(2) as pool:
            ends = list(
                pool.map(lambda each: each[0].resume(each[1].run.id), zip((terminal, fleet), left, strict=True))
            )
        return left[0], left[1], ends[0], ends[1], left_s


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_postgres_is_waited_for_until_the_lease_ends_and_then_left_resumable(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        long = pool.submit(long_outage, tmp_path / "60", 60.0)
        short = {s: pool.submit(short_outage, tmp_path / str(s), s) for s in (3.0, 10.0)}
        for seconds, scene in short.items():
            for name, end in zip(("terminal", "worker"), scene.result(), strict=True):
                assert (name, seconds, end.exit_code, seen(end)) == (name, seconds, 0, FIXED), end.err
        terminal, worker, resumed, resumed_worker, left_s = long.result()
    assert (terminal.exit_code, worker.exit_code) == (130, 75), terminal.err + worker.err
    for end in (terminal, worker):
        assert end.run.ending is None
        assert re.search(r"the database postgresql\S+ did not answer for [12]\d s \(.*refused.*\)\n", end.err), end.err
        assert f"{end.run.id}" in end.err.splitlines()[-1]
        assert "Traceback" not in end.err
    assert f"`reknit resume {terminal.run.id}` continues it when the database is back" in terminal.err
    assert "`reknit worker` or `reknit resume RUN` continues when the database is back" in worker.err
    assert left_s < LEASE_S + 15
    for end in (resumed, resumed_worker):
        assert (end.exit_code, seen(end)) == (0, FIXED), end.err
    print(
        f"\nPostgres away for 3, 10 and 60 s (lease {LEASE_S} s), terminal and worker each: the first two FIXED by"
        f" themselves; of the third both had left after {left_s:.0f} s, `resume` FIXED both; agent and commit once"
    )


def connections(server: Server) -> int:
    admin = sa.create_engine(server.url("postgres"))
    query = sa.text("SELECT count(*) FROM pg_stat_activity WHERE application_name = :name")
    with admin.connect() as db:
        count = int(db.execute(query, {"name": WORKER}).scalar_one())
    admin.dispose()
    return count


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_twenty_workers_live_and_work_on_a_hundred_connections(tmp_path: Path) -> None:
    """Each has one run, all at the same time."""
    with private_postgres(f"-c max_connections={MAX_CONNECTIONS}") as server, ExitStack() as stack:
        database = create_database(server, "fleet")
        scenes = [
            OutageScene(tmp_path / str(number), database, holds="attempt", state=tmp_path / "state")
            for number in range(WORKERS)
        ]
        scenes[0].queue()  # makes the tables
        for scene in scenes[1:]:
            scene.queue_quickly()
        workers = [scene.worker("--concurrency", "1") for scene in scenes]
        for worker in workers:
            stack.callback(worker.kill)
        for scene in scenes:
            scene.until_held()
        held = connections(server)
        for scene in scenes:
            scene.let_go()
        most = held

        def counted() -> bool:
            nonlocal most
            most = max(most, connections(server))
            return all(ending is not None for scene in scenes for ending in scene.endings())

        until("the end of every run", counted)
        alive = [worker.poll() for worker in workers]
        ends = [scene.left_by(0, "") for scene in scenes]
        for worker in workers:
            worker.terminate()
        told = [worker.communicate(timeout=scale(120))[1] for worker in workers]
    assert alive == [None] * WORKERS, told
    assert [seen(end) for end in ends] == [FIXED] * WORKERS
    assert WORKERS < held <= most <= WORKERS * CONNECTIONS < MAX_CONNECTIONS
    print(f"\n{WORKERS} workers on max_connections={MAX_CONNECTIONS}: all live, all FIXED; at most {most} connections")


def play_full_disk(folder: Path, *scene: str) -> dict[str, Any]:
    """In a mount namespace of its own, in which an ordinary user may mount too."""
    alone = ["unshare", *([] if os.geteuid() == 0 else ["-U", "-r"]), "-m"]
    argv = [*alone, sys.executable, "-m", "tests.crash.disk_full_play", str(folder), *filter(None, scene)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=scale(200))
    assert done.returncode == 0, done.stderr
    played: dict[str, Any] = json.loads(done.stdout)
    return played


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("who", "phase", "on_postgres"),
    [
        pytest.param("terminal", "attempt", False, id="SQLite, while the agent works in a terminal"),
        pytest.param("worker", "verify", False, id="SQLite, while a worker runs the tests"),
        pytest.param("terminal", "attempt", True, id="only the files, while the agent works"),
    ],
)
def test_a_full_disk_is_told_at_once_and_costs_nothing_but_the_step(
    who: str, phase: str, on_postgres: bool, tmp_path: Path, new_postgres_database: Callable[[], str]
) -> None:
    seen = play_full_disk(tmp_path / "scene", who, phase, new_postgres_database() if on_postgres else "")
    left, resumed = seen["left"], seen["resumed"]
    assert left["exit_code"] == (130 if who == "terminal" else 75), left
    assert left["ending"] is None
    assert f"the disk that holds '{seen['state']}" in left["err"] and "is full" in left["err"], left["err"]
    assert "when there is space again" in left["err"]
    assert left["run"] in left["err"].splitlines()[-1]
    assert "Traceback" not in left["err"]
    assert (seen["full"][0], "error[disk-full]" in seen["full"][1]) == (3, True), seen["full"]
    assert (resumed["exit_code"], resumed["ending"], resumed["commits"], resumed["receipts"]) == (0, "FIXED", 1, 1)
    assert resumed["starts"] == [2 if phase == "attempt" else 1]
    print(f"\ndisk full ({who}, {phase}): told after {seen['took_s']:.1f} s; freed and resumed: FIXED")


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("who", "exit_code"), [("terminal", 130), ("worker", 0)])
def test_tests_that_ran_out_of_space_are_not_the_codes_fault_and_stop_no_worker(
    tmp_path: Path, who: str, exit_code: int
) -> None:
    seen = play_full_disk(tmp_path / "scene", who, "large-tests")
    left, resumed = seen["left"], seen["resumed"]
    assert (left["exit_code"], left["ending"], left["starts"]) == (exit_code, None, []), left
    assert left["reason"] == f"the disk that holds '{seen['state']}' has too little space left for what ran here"
    assert (resumed["exit_code"], resumed["ending"], resumed["starts"]) == (0, "FIXED", [1])
