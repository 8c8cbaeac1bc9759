"""A repository that cannot take the proven fix parks the run: the fix is offered, and `resume` lands it."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.outage_scene import OutageScene, Outcome

Change = Callable[[OutageScene, str], None]


def git(repository: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    return subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True, text=True).stdout


def _gone(scene: OutageScene) -> Path:
    return scene.repository.with_name("moved")


def move_away(scene: OutageScene, _run: str) -> None:
    scene.repository.rename(_gone(scene))


def move_back(scene: OutageScene, _run: str) -> None:
    _gone(scene).rename(scene.repository)


def lose_objects(scene: OutageScene, _run: str) -> None:
    (scene.repository / ".git" / "objects").rename(scene.folder / "objects")


def find_objects(scene: OutageScene, _run: str) -> None:
    (scene.folder / "objects").rename(scene.repository / ".git" / "objects")


def take_the_branch(scene: OutageScene, run: str) -> None:
    """Somebody works on a branch of that very name."""
    tree = git(scene.repository, "rev-parse", "HEAD^{tree}").strip()
    other = git(scene.repository, "commit-tree", "-m", "mine", tree).strip()
    git(scene.repository, "branch", f"reknit/{run}", other)


def give_the_branch_back(scene: OutageScene, run: str) -> None:
    git(scene.repository, "branch", "-D", f"reknit/{run}")


def check_out_the_branch(scene: OutageScene, run: str) -> None:
    git(scene.repository, "checkout", "-q", "-b", f"reknit/{run}")


def leave_the_branch(scene: OutageScene, run: str) -> None:
    git(scene.repository, "checkout", "-q", "-")
    give_the_branch_back(scene, run)


def parked(scene: OutageScene, run: str, err: str, exit_code: int) -> str:
    """What it says, without the talk before."""
    assert exit_code == 130, err
    told = err[err.index("\nstopped: ") :]
    assert f": `reknit resume {run}`\n" in told, told
    assert run in scene.reknit.run("runs").out
    return told


def fixed(outcome: Outcome) -> bool:
    return (outcome.exit_code, outcome.run.ending, outcome.starts, outcome.commits) == (0, "FIXED", [1], 1)


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("spoil", "mend", "says", "offers"),
    [
        pytest.param(move_away, move_back, "no longer exists", False, id="it was moved"),
        pytest.param(lose_objects, find_objects, "is not the top of a git working tree", True, id="it is damaged"),
        pytest.param(take_the_branch, give_the_branch_back, "where reknit did not put it", True, id="branch taken"),
        pytest.param(check_out_the_branch, leave_the_branch, "is checked out in", True, id="branch checked out"),
    ],
)
def test_what_was_proven_is_offered_and_landed_later(
    spoil: Change, mend: Change, says: str, offers: bool, tmp_path: Path
) -> None:
    scene = OutageScene(tmp_path / "scene", holds="verify")
    child = scene.in_terminal()
    scene.until_held()
    (run,) = scene.run_ids()
    spoil(scene, run)
    scene.let_go()
    _out, err = child.communicate(timeout=90)
    assert says in parked(scene, run, err, child.returncode)
    if offers:
        mended = _applied(scene, err)
        assert "price * (1 - percent / 100)" in mended
    again = scene.reknit.start("resume", run, cwd=scene.folder)
    _out, err = again.communicate(timeout=90)
    assert says in parked(scene, run, err, again.returncode), "nothing has changed"
    mend(scene, run)
    ended = scene.resume(run)
    assert fixed(ended), ended


def _applied(scene: OutageScene, err: str) -> str:
    """The command that it names, typed in another copy of the repository."""
    command = re.search(r"`git apply (\S+)`", err)
    assert command, err
    copy = scene.folder / "copy"
    (copy / "shop").mkdir(parents=True)
    source = (scene.repository / "shop" / "pricing.py").read_text()
    (copy / "shop" / "pricing.py").write_text(source)
    git(copy, "init", "-q")
    git(copy, "apply", command[1])
    return (copy / "shop" / "pricing.py").read_text()
