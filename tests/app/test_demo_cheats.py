"""The story of the demo's dishonest agent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reknit.app.demo import make_repository
from reknit.app.demo_cheats import ATTEMPTS, CHEATS, TESTS

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
