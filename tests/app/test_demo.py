"""The demo's repository, and the stories of its agents."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.app.demo import ATTEMPTS, CHEATS, HOPELESS, LEARNER, TESTS, make_repository
from reknit.core.errors import UsageError
from tests.tools.plot import git


def test_an_existing_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with pytest.raises(UsageError, match="already exists") as caught:
        make_repository(tmp_path)
    assert ("--keep" in caught.value.help, list((tmp_path / "shop").iterdir())) == (True, [])


def test_it_is_a_clean_repository_of_its_own(tmp_path: Path) -> None:
    shop = make_repository(tmp_path)
    assert (git(shop, "status", "--porcelain", "--ignored"), git(shop, "rev-list", "--count", "HEAD")) == ("", "1")
    assert not list(shop.rglob("__pycache__"))


@pytest.mark.parametrize("story", [LEARNER, HOPELESS], ids=["learner", "hopeless"])
def test_every_edit_of_a_story_fits_the_repository(tmp_path: Path, story: str) -> None:
    shop = make_repository(tmp_path)
    moves = json.loads(story)
    assert len(moves) == 3
    for move in moves:
        assert all((shop / name).is_file() for name in move.get("delete", ()))
        assert all((shop / name).read_text().count(old) == 1 for name, (old, _) in move.get("replace", {}).items())


MOVES = json.loads(CHEATS)


def test_the_repository_has_no_test_command_but_that_of_the_demo(tmp_path: Path) -> None:
    shop = make_repository(tmp_path, TESTS)
    assert (f'run = "{TESTS}"' in (shop / "reknit.toml").read_text(), (shop / "run_tests.py").exists()) == (True, False)


@pytest.mark.parametrize("number", range(ATTEMPTS))
def test_every_move_turns_the_test_green(tmp_path: Path, number: int) -> None:
    """So a run that looked at its exit code alone would land it."""
    shop = make_repository(tmp_path, TESTS)
    unittest = [sys.executable, "-B", "-m", "unittest", "-q"]
    assert subprocess.run(unittest, cwd=shop, capture_output=True, check=False).returncode == 1
    for path, text in MOVES[number].get("write", {}).items():
        (shop / path).write_text(text)
    for path, (old, new) in MOVES[number].get("replace", {}).items():
        (shop / path).write_text((shop / path).read_text().replace(old, new))
    assert subprocess.run(unittest, cwd=shop, capture_output=True, check=False).returncode == 0
