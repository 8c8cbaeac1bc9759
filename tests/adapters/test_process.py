"""Real child processes: what comes back, and what is killed."""

import os
import sys
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.core.errors import InternalError, ToolMissingError
from tests.adapters.box.lifeline import DAEMON, Lifeline

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def test_run_keeps_the_exit_code_and_both_outputs() -> None:
    done = process.run(["sh", "-c", "cat; echo err >&2; exit 3"], env=ENV, stdin=b"in")
    assert done == process.Completed(3, b"in", b"err\n")


def test_an_output_of_megabytes_is_whole_and_a_late_command_leaves_nothing_open() -> None:
    code = "import sys; sys.stdout.write('x' * 5_000_000); sys.stderr.write('err'); sys.exit(3)"
    opened = os.listdir("/proc/self/fd")
    done = process.run([sys.executable, "-c", code], env={}, prints_much=True)
    assert (done.exit_code, done.stdout, done.stderr) == (3, b"x" * 5_000_000, b"err")
    with pytest.raises(process.ProcessTimeoutError):
        process.run(["sleep", "60"], env={"PATH": os.environ["PATH"]}, timeout_s=0.1, prints_much=True)
    assert os.listdir("/proc/self/fd") == opened


def test_run_gives_the_named_environment_and_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_CANARY", "canary")
    done = process.run(["sh", "-c", "pwd; echo $A$REKNIT_CANARY"], env={**ENV, "A": "a"}, cwd=str(tmp_path))
    assert done.stdout.decode() == f"{tmp_path}\na\n"


RELATIVE = ("", ".", "bin", "./bin", "~/bin", "node_modules/.bin")


@pytest.mark.parametrize("entry", RELATIVE)
@pytest.mark.parametrize("path", ["{}:/usr/bin:/bin", "/usr/bin:{}:/bin", "/usr/bin:/bin:{}", "{}"])
def test_a_program_of_the_current_folder_is_neither_found_nor_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, path: str
) -> None:
    for name in ("git", "own-tool"):
        own = tmp_path / entry / name
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text("#!/bin/sh\necho own\n")
        own.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path.format(entry))
    for found in (process.find_program("own-tool"), process.find_program("own-tool", path.format(entry))):
        assert found == ""
    assert process.find_program("git") in ("", "/usr/bin/git", "/bin/git")
    with pytest.raises(ToolMissingError):
        process.run(["own-tool"], env=os.environ, cwd=str(tmp_path))
    done = process.run(["/bin/sh", "-c", "git --version; own-tool"], env=os.environ, cwd=str(tmp_path))
    assert done.stdout.startswith(b"git version")
    assert done.exit_code == 127


def test_a_detached_process_gets_no_relative_entry_either(tmp_path: Path) -> None:
    argv = ["/bin/sh", "-c", f"echo $PATH > {tmp_path}/path"]
    assert process.start_detached(argv, env={"PATH": "a:/usr/bin::/bin:"}).wait() == 0
    assert (tmp_path / "path").read_text() == "/usr/bin:/bin\n"


def test_a_missing_program_is_a_missing_tool() -> None:
    with pytest.raises(ToolMissingError, match="no-such-program") as caught:
        process.run(["no-such-program"], env=ENV)
    assert caught.value.name == "tool-missing"


def test_a_missing_folder_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="nowhere"):
        process.run(["true"], env=ENV, cwd=str(tmp_path / "nowhere"))


def test_a_timeout_kills_the_whole_group(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "pipe")
    with pytest.raises(process.ProcessTimeoutError, match="did not finish within 1 s"):
        process.run([sys.executable, "-c", DAEMON, str(tmp_path / "pipe"), "0"], env=ENV, timeout_s=1)
    lifeline.wait_until_up()
    assert lifeline.is_cut(within_s=5)
    lifeline.close()


def test_kill_group_forgives_a_group_that_is_gone() -> None:
    child = process.start(["true"], env=ENV, cwd=None)
    child.communicate()
    process.kill_group(child.pid)
    assert os.getpgid(0) != child.pid
