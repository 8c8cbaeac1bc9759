"""Leaving, carrying on, cancelling and undoing a run, as processes of their own."""

import json
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.app.engine.client import locate_run
from reknit.app.installation import find_installation
from tests.tools.command_line import Answer, CommandLine, until
from tests.tools.repository_print import fingerprint

Here = Callable[..., Answer]
MEND = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


def _until_status(reknit: CommandLine, run: str, status: str) -> None:
    """Of the engine."""
    installation, pause = find_installation(reknit.environment), threading.Event()
    for _ in range(600):
        if (locate_run(installation, run) or ("", None))[0] == status:
            return
        pause.wait(0.05)
    raise AssertionError(f"{run} never became {status}")


def _copies(reknit: CommandLine, run: str) -> list[str]:
    rooms = find_installation(reknit.environment).runs / run / "rooms"
    return [path.name for path in rooms.iterdir()] if rooms.exists() else []


def _until_copied(reknit: CommandLine, run: str) -> None:
    """The attempt is announced before its copy of the tree is written."""
    pause = threading.Event()
    for _ in range(600):
        if "attempt-1" in _copies(reknit, run):
            return
        pause.wait(0.05)
    raise AssertionError(f"{run} made no copy")


@pytest.fixture
def patient(reknit: CommandLine, tmp_path: Path) -> Path:
    """The agent waits inside its box until this file is there, then mends the code."""
    gate = tmp_path / "shown" / "go"
    gate.parent.mkdir()
    wait = ["sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done"]
    reknit.tell_story({"replace": MEND, "run": wait}, workspace={"show": [str(gate.parent)]})
    return gate


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "a service manager's TERM"])
def test_leaving_keeps_the_run_and_resume_goes_on_to_the_end(
    here: Here, reknit: CommandLine, shop: Path, patient: Path, number: signal.Signals
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert json.loads(out.splitlines()[-1]) == {
        "schema": 1, "event": "interrupted", "run": run, "phase": "attempt",
        "spent_usd": 0.0, "reserved_usd": 0.0, "budget_usd": 5.0,
    }  # fmt: skip
    assert f"interrupted. {run} is safe (the agent works): `reknit resume {run}`" in err
    shown = here("show", run, "--format", "json", cwd=shop).ending
    assert (shown["state"], shown["ending"]) == ("interrupted", None)
    assert _copies(reknit, run) == []
    patient.touch()
    answer = here("resume", run, "--format", "json", cwd=shop)
    assert (answer.exit_code, answer.ending["ending"]) == (0, "FIXED")
    assert [each["starts"] for each in answer.ending["attempts"]] == [2]


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGKILL], ids=["a second ctrl-c", "kill -9"])
def test_a_run_is_parked_though_its_process_ends_while_it_parks_it(
    here: Here, reknit: CommandLine, shop: Path, patient: Path, second: signal.Signals
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    child.send_signal(signal.SIGINT)
    _until_status(reknit, run, "CANCELLED")
    child.send_signal(second)
    child.communicate(timeout=60)
    assert child.returncode == (130 if second is signal.SIGINT else -signal.SIGKILL)
    here("worker", "--until-idle", cwd=shop)
    assert here("show", run, "--format", "json", cwd=shop).ending["state"] == "interrupted"
    patient.touch()
    answer = here("resume", run, "--format", "json", cwd=shop)
    assert (answer.exit_code, answer.ending["ending"], len(answer.ending["receipts"])) == (0, "FIXED", 1)


def test_a_run_whose_process_was_killed_is_carried_on(
    here: Here, reknit: CommandLine, shop: Path, patient: Path
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    child.kill()
    child.communicate()
    patient.touch()
    answer = here("resume", run, "--format", "json", cwd=shop)
    assert (answer.exit_code, answer.ending["ending"], len(answer.ending["receipts"])) == (0, "FIXED", 1)


def test_a_run_that_was_left_and_cancelled_leaves_no_copy(
    here: Here, reknit: CommandLine, shop: Path, patient: Path
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    _until_copied(reknit, run)
    child.kill()
    child.communicate()
    assert _copies(reknit, run) == ["attempt-1"]
    assert here("stop", run, "--for-good", cwd=shop).exit_code == 0
    assert _copies(reknit, run) == []


def test_a_resumed_run_is_not_taken_by_another_terminal(
    here: Here, reknit: CommandLine, shop: Path, patient: Path
) -> None:
    """Every launched process serves the engine's own queue; a run must not be on it."""
    left = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(left, "attempt")["run"]
    left.send_signal(signal.SIGINT)
    left.communicate(timeout=60)
    other = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    others_run = until(other, "attempt")["run"]
    resumed = reknit.start("resume", run, "--format", "json", cwd=shop)
    installation = find_installation(reknit.environment)
    try:
        _until_status(reknit, run, "PENDING")
        assert locate_run(installation, run) != locate_run(installation, others_run)
    finally:
        patient.touch()
        told = [child.communicate(timeout=60)[0] for child in (other, resumed)]
    assert [json.loads(out.splitlines()[-1])["ending"] for out in told] == ["FIXED", "FIXED"]
    assert (other.returncode, resumed.returncode) == (0, 0)


def test_cancel_ends_a_run_for_good_and_for_all_who_follow_it(
    here: Here, reknit: CommandLine, shop: Path, patient: Path
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    watcher = reknit.start("watch", run, "--format", "json", cwd=shop)
    until(watcher, "attempt")
    refused = here("undo", run, cwd=shop)
    assert (refused.exit_code, refused.err.partition(":")[0]) == (2, "error[not-ended]")
    cancelled = here("stop", run, "--for-good", cwd=shop)
    assert (cancelled.exit_code, cancelled.out) == (0, f"{run}  CANCELLED  by a person\n")
    for follower in (child, watcher):
        out, _ = follower.communicate(timeout=60)
        last = json.loads(out.splitlines()[-1])
        assert (follower.returncode, last["event"], last["ending"]) == (1, "ending", "CANCELLED")
    for command in (("resume",), ("stop", "--for-good"), ("stop",)):
        again = here(*command, run, cwd=shop)
        assert (again.exit_code, again.err.partition(":")[0]) == (2, "error[ended]")


def test_a_stopped_run_can_go_on_in_the_background(here: Here, reknit: CommandLine, shop: Path, patient: Path) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    _until_copied(reknit, run)
    assert here("stop", run, cwd=shop).exit_code == 0
    child.communicate(timeout=60)
    patient.touch()
    detached = reknit.run("resume", run, "--detach", cwd=shop)
    assert (detached.exit_code, detached.out.partition(":")[0]) == (0, f"{run} runs in the background")
    assert here("watch", run, "--format", "json", cwd=shop).ending["ending"] == "FIXED"


def test_stop_stops_a_run_of_another_process_and_resume_goes_on(
    here: Here, reknit: CommandLine, shop: Path, patient: Path
) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    _until_copied(reknit, run)
    parked = here("stop", cwd=shop)
    assert (parked.exit_code, parked.out) == (0, f"{run}  is stopped: `reknit resume {run}` continues it\n")
    out, _ = child.communicate(timeout=60)
    assert (child.returncode, json.loads(out.splitlines()[-1])["event"], _copies(reknit, run)) == (
        130,
        "interrupted",
        [],
    )
    patient.touch()
    answer = here("resume", run, "--format", "json", cwd=shop)
    assert (answer.ending["ending"], [each["starts"] for each in answer.ending["attempts"]]) == ("FIXED", [2])
    again = here("stop", run, cwd=shop)
    assert (again.exit_code, again.err) == (2, f"error[ended]: {run} has already ended FIXED\n")


def test_resume_follows_a_run_that_somebody_else_has(reknit: CommandLine, shop: Path, patient: Path) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    follower = reknit.start("resume", run, "--format", "json", cwd=shop)
    until(follower, "attempt")
    patient.touch()
    for each in (child, follower):
        out, _ = each.communicate(timeout=60)
        last = json.loads(out.splitlines()[-1])
        assert (each.returncode, last["ending"], len(last["attempts"])) == (0, "FIXED", 1)


def test_leaving_a_watch_leaves_the_run_alone(reknit: CommandLine, shop: Path, patient: Path) -> None:
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    run = until(child, "attempt")["run"]
    watcher = reknit.start("watch", run, "--format", "json", cwd=shop)
    until(watcher, "attempt")
    watcher.send_signal(signal.SIGINT)
    _, err = watcher.communicate(timeout=60)
    assert (watcher.returncode, err) == (130, f"\n{run} continues: `reknit watch {run}` follows it again\n")
    patient.touch()
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_undo_removes_the_branch_and_nothing_else(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": MEND})
    before = fingerprint(shop)
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    assert _branches(shop) == ["main", f"reknit/{run}"]
    undone = here("undo", run, cwd=shop)
    assert (undone.exit_code, undone.out) == (0, f"{run}  removed reknit/{run}\n")
    assert (_branches(shop), fingerprint(shop)) == (["main"], before)
    again = here("undo", run, cwd=shop)
    assert (again.exit_code, again.out) == (0, f"{run}  was already undone\n")
    shown = here("show", run, "--format", "json", cwd=shop).ending
    assert (shown["branch"], shown["ending"], bool(shown["undone_at"])) == (None, "FIXED", True)


def test_undo_leaves_a_branch_that_somebody_moved(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({"replace": MEND})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    subprocess.run(["git", "branch", "--quiet", "--force", f"reknit/{run}", "main"], cwd=shop, check=True)
    refused = here("undo", run, cwd=shop)
    assert (refused.exit_code, refused.err.partition(":")[0]) == (2, "error[branch-moved]")
    assert _branches(shop) == ["main", f"reknit/{run}"]


def _branches(shop: Path) -> list[str]:
    argv = ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads"]
    return subprocess.run(argv, cwd=shop, capture_output=True, text=True, check=True).stdout.split()
