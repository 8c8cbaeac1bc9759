"""PROGRESS.txt as it may be in a user's repository: their own, ignored, missing, in `plans`, read-only, a link."""

import os
import stat
from collections.abc import Callable

import pytest

from reknit.core.errors import UsageError
from reknit.core.review.progress_file.parsing import parse_entries
from tests.tools.review_scene import COR, PROGRESS, ReviewScene, confirms, mends, problem, says

OWN = "# Progress\n\n- [x] a shop\n- [ ] discounts"


def play(scene: ReviewScene) -> str:
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)])
    played = scene.play(COR)
    assert (played.ending, len(scene.landed(played.run.id))) == ("FIXED", 1), played.run.reason
    return played.run.id


def test_a_file_that_was_there_keeps_its_text_and_gains_entries_at_its_end(scene: ReviewScene) -> None:
    scene.write({PROGRESS: OWN})
    scene.git("add", PROGRESS)
    scene.commit("progress")
    run = play(scene)
    text = scene.progress.read_text()
    assert text.startswith(f"{OWN}\n\n[Review] ")
    assert len(scene.entries()) == 2
    assert PROGRESS not in scene.git("diff", "--name-only", f"work..reknit/{run}")
    assert scene.git("diff", "--cached", "--name-only") == ""


def test_one_that_git_ignores_is_used_and_stays_ignored(scene: ReviewScene) -> None:
    scene.write({".gitignore": f"{PROGRESS}\n"})
    scene.commit("ignored")
    play(scene)
    assert (len(scene.entries()), scene.git("status", "--porcelain")) == (2, "")


def test_the_one_in_plans_is_used(scene: ReviewScene) -> None:
    scene.write({f"plans/{PROGRESS}": OWN})
    play(scene)
    assert not scene.progress.exists()
    assert len(parse_entries((scene.root / "plans" / PROGRESS).read_text()).entries) == 2


def test_one_that_is_deleted_while_the_run_goes_on_is_begun_again(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)])
    played = scene.play(COR, at={"land_review 1": scene.progress.unlink})
    assert (played.ending, len(scene.entries())) == ("FIXED", 1)


def _link(scene: ReviewScene) -> None:
    (scene.folder / "elsewhere.txt").write_text(OWN)
    scene.progress.symlink_to(scene.folder / "elsewhere.txt")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(_link, "is a symbolic link, and reknit writes through none", id="a link"),
        pytest.param(lambda scene: scene.progress.mkdir(), "cannot be used", id="a folder"),
        pytest.param(lambda scene: os.mkfifo(scene.progress), "is not a regular file", id="a pipe"),
    ],
)
def test_what_is_no_file_is_refused_before_anyone_is_asked(
    scene: ReviewScene, make: Callable[[ReviewScene], None], why: str
) -> None:
    make(scene)
    before = scene.untouched()
    scene.tell([says(COR)])
    with pytest.raises(UsageError, match=why):
        scene.plan(COR)
    assert scene.untouched() == before
    if (scene.folder / "elsewhere.txt").exists():
        assert (scene.folder / "elsewhere.txt").read_text() == OWN


def test_a_read_only_file_keeps_its_mode_or_is_refused(scene: ReviewScene) -> None:
    """Root may write it; anyone else is told before a reviewer is asked."""
    scene.write({PROGRESS: OWN})
    scene.progress.chmod(0o444)
    if os.geteuid() == 0:
        play(scene)
    else:
        scene.tell([says(COR)])
        with pytest.raises(UsageError, match="cannot be used"):
            scene.plan(COR)
        assert scene.progress.read_text() == OWN
    assert stat.S_IMODE(scene.progress.stat().st_mode) == 0o444


def test_one_that_becomes_a_link_ends_the_run_with_its_name(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms()], [mends(1)])
    played = scene.play(COR, at={"enter_review 1": lambda: _link(scene)})
    assert (played.ending, PROGRESS in played.run.reason) == ("BLOCKED", True)
    assert (scene.folder / "elsewhere.txt").read_text() == OWN
    assert scene.landed(played.run.id) == []
