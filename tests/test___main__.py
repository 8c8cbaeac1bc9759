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


@pytest.mark.parametrize("path", ["nb:/usr/bin:/bin", ":/usr/bin:/bin", ".:/usr/bin:./nb:/bin:", "nb", ""])
def test_no_program_of_the_folder_is_found_by_a_relative_path(tmp_path: Path, path: str) -> None:
    """Python's own library starts `uname` for `platform.platform()`."""
    for name in ("nb/uname", "uname"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\ntouch executed\n")
        (tmp_path / name).chmod(0o755)
    code = "import atexit, platform, sys, reknit.__main__; atexit.register(platform.platform); reknit.__main__.main()"
    argv = [sys.executable, "-I", "-c", code, "--version"]
    environment = {"REKNIT_STATE": str(tmp_path / "state"), "PATH": path}
    done = subprocess.run(argv, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("reknit")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("words", [("--version",), ("hook", "stop", "--help"), ("hook",)], ids=" ".join)
def test_everything_else_is_the_command_lines(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = start(tmp_path, *words)
    assert "click" in imported(done)
    assert "reknit.interfaces.hook.entry" not in imported(done)
    assert words != ("--version",) or done.stdout == f"reknit, version {__version__}\n"
