"""Real child processes: what comes back, what is killed, and which thread starts them."""

import os
import sys
import threading
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.core.errors import InternalError, ToolMissing
from tests.adapters.box.lifeline import DAEMON, Lifeline

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def test_run_keeps_the_exit_code_and_both_outputs() -> None:
    done = process.run(["sh", "-c", "cat; echo err >&2; exit 3"], env=ENV, stdin=b"in")
    assert done == process.Completed(3, b"in", b"err\n")


def test_run_gives_the_named_environment_and_folder_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_CANARY", "canary")
    done = process.run(["sh", "-c", "pwd; echo $A$REKNIT_CANARY"], env={**ENV, "A": "a"}, cwd=str(tmp_path))
    assert done.stdout.decode() == f"{tmp_path}\na\n"


def test_a_missing_program_is_a_missing_tool() -> None:
    with pytest.raises(ToolMissing, match="no-such-program") as caught:
        process.run(["no-such-program"], env=ENV)
    assert caught.value.name == "tool-missing"


def test_a_missing_folder_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="nowhere"):
        process.run(["true"], env=ENV, cwd=str(tmp_path / "nowhere"))


def test_a_timeout_kills_the_whole_group(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "pipe")
    with pytest.raises(process.ProcessTimeout, match="did not finish within 1 s"):
        process.run([sys.executable, "-c", DAEMON, str(tmp_path / "pipe"), "0"], env=ENV, timeout_s=1)
    lifeline.wait_until_up()
    assert lifeline.is_cut(within_s=5)
    lifeline.close()


def test_every_child_is_started_by_one_thread_that_outlives_the_asker() -> None:
    starters: list[int] = []

    def ask() -> None:
        child = process.spawner().start(["sh", "-c", "read line"], env=ENV)
        threads = {thread.name: thread for thread in threading.enumerate()}
        starters.append(threads["reknit-spawner"].native_id or 0)
        child.communicate(b"go\n")

    for _ in range(3):
        asker = threading.Thread(target=ask)
        asker.start()
        asker.join()
    assert len(starters) == 3
    assert len(set(starters)) == 1


def test_what_cannot_be_started_does_not_end_the_spawner() -> None:
    with pytest.raises(ToolMissing):
        process.spawner().start(["no-such-program"], env=ENV)
    child = process.spawner().start(["true"], env=ENV)
    child.communicate()
    assert child.returncode == 0


FORK = """\
import os
from reknit.adapters import process

def start():
    child = process.spawner().start(["true"], env={"PATH": "/usr/bin:/bin"})
    child.communicate()
    return child.returncode

start()
pid = os.fork()
if pid == 0:
    os._exit(start())
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_forked_child_makes_a_spawner_of_its_own() -> None:
    source = str(Path(process.__file__).parents[2])
    done = process.run([sys.executable, "-c", FORK], env={**ENV, "PYTHONPATH": source}, timeout_s=20)
    assert done.exit_code == 0, done.stderr


def test_kill_group_forgives_a_group_that_is_gone() -> None:
    child = process.spawner().start(["true"], env=ENV)
    child.communicate()
    process.kill_group(child.pid)
    assert os.getpgid(0) != child.pid
