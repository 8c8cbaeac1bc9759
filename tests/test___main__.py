"""`python -m reknit`: hooks are answered before the command line is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from reknit import __version__


def start(state: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, "-X", "importtime", "-m", "reknit", *words]
    environment = {"REKNIT_STATE": str(state)}
    return subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def imported(done: "subprocess.CompletedProcess[str]") -> set[str]:
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_the_stop_hook_is_answered_without_the_command_line(tmp_path: Path) -> None:
    done = start(tmp_path, "hook", "stop", "--limit", "60")
    assert (done.returncode, done.stdout) == (0, "")
    assert "reknit.interfaces.hook.entry" in imported(done)
    assert imported(done).isdisjoint({"click", "json", "reknit.interfaces.cli.main"})


def test_a_prompt_is_let_through_without_the_command_line(tmp_path: Path) -> None:
    done = start(tmp_path, "hook", "prompt")
    assert (done.returncode, done.stdout) == (0, "")
    assert "reknit.interfaces.hook.prompt" in imported(done)
    assert imported(done).isdisjoint({"click", "json", "reknit.interfaces.cli.main"})


@pytest.mark.parametrize("words", [("--version",), ("hook", "stop", "--help"), ("hook",)], ids=" ".join)
def test_everything_else_is_the_command_lines(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = start(tmp_path, *words)
    assert "click" in imported(done)
    assert "reknit.interfaces.hook.entry" not in imported(done)
    assert words != ("--version",) or done.stdout == f"reknit, version {__version__}\n"
