"""Which thread starts a child, in this process and in one forked from it."""

import sys
import threading
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.spawner import get_spawner
from reknit.core.errors import ToolMissingError

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def test_every_child_is_started_by_one_thread_that_outlives_the_asker() -> None:
    starters: list[int] = []

    def ask() -> None:
        child = get_spawner().start(["sh", "-c", "read line"], env=ENV)
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
    with pytest.raises(ToolMissingError):
        get_spawner().start(["no-such-program"], env=ENV)
    child = get_spawner().start(["true"], env=ENV)
    child.communicate()
    assert child.returncode == 0


FORK = """\
import os
from reknit.adapters.spawner import get_spawner

def start():
    child = get_spawner().start(["true"], env={"PATH": "/usr/bin:/bin"})
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
