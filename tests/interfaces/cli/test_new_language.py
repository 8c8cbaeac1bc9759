"""A project in a language that is added by its own code and its registration alone is repaired."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.git.users_git import repository
from tests.tools.command_line import CommandLine
from tests.tools.toy_language import PROJECT

SCRIPT = Path(__file__).parents[2] / "tools" / "toy_language.py"


class Extended(CommandLine):
    """reknit with the language `toy`."""

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), *arguments], cwd=cwd, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "toy", PROJECT)


@pytest.mark.parametrize(
    ("repair", "ending"),
    [
        pytest.param({"src/price.lua": ["price - 10", "price * 9 // 10"]}, "FIXED", id="a fix of the code"),
        pytest.param({"tests/test_price.lua": ["== 180", "== 190"]}, "DEFERRED", id="a changed test"),
    ],
)
def test_it_is_found_run_judged_and_fixed(
    tmp_path: Path, shop: Path, repair: dict[str, list[str]], ending: str
) -> None:
    extended = Extended(tmp_path)
    extended.tell_story({"replace": repair}, box="host", loop={"attempts": 1})
    answer = extended.run("fix", "tests", "--format", "json", cwd=shop)
    assert answer.ending["ending"] == ending, answer.err
    assert answer.ending["attempts"][0]["finding"] == "T-1"
