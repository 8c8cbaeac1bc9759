"""What survives: nothing, whoever is killed and whenever."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reknit
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.spawner import get_spawner
from reknit.core.box import BoxView, Command
from tests.adapters.box.lifeline import DAEMON, Lifeline

PYTHON = "/usr/bin/python3"
PARENT = """\
import asyncio, sys
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.box import BoxView, Command
room = BoxView(repository=sys.argv[1] + "/repository", tree=sys.argv[1] + "/tree")
command = Command(argv=(sys.argv[2], "-c", sys.argv[3], "{outbox}/pipe", "1"), outbox=sys.argv[1] + "/outbox")
asyncio.run(Bubblewrap().run(room, command))
"""


def living(marker: str) -> list[bytes]:
    """Command lines of processes that carry this marker; a zombie has none."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in line and int(entry.name) != os.getpid():
            found.append(line)
    return found


def test_kill_9_of_reknit_takes_the_box_and_its_daemons_with_it(view: BoxView, tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "outbox" / "pipe")
    env = {**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path), PYTHON, DAEMON], env=env) as parent:
        lifeline.wait_until_up()
        assert not lifeline.is_cut()
        parent.send_signal(signal.SIGKILL)
    assert lifeline.is_cut(within_s=10)
    lifeline.close()


def test_20_boxes_cancelled_at_any_moment_leave_nobody(view: BoxView) -> None:
    """The early ones are still being built, when bwrap's own parts are not bound to each other yet."""
    marker = f"marker-{secrets.token_hex(8)}"

    async def cancel_after(seconds: float) -> None:
        task = asyncio.create_task(
            Bubblewrap().run(view, Command(argv=(PYTHON, "-c", DAEMON, "/dev/null", "1", marker)))
        )
        await asyncio.sleep(seconds)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert living(marker) == []

    async def rounds() -> None:
        for number in range(20):
            await cancel_after(number * 0.002)

    asyncio.run(rounds())


def test_a_box_outlives_the_thread_that_asked_for_it() -> None:
    """A bwrap dies with the thread that started it. Control: one that the asking thread started itself is dead."""
    argv = ["bwrap", "--ro-bind", "/", "/", "--die-with-parent", "sh", "-c", "echo up; read line; echo alive"]
    env = {"PATH": os.environ["PATH"]}
    pipe = subprocess.PIPE
    children: list[subprocess.Popen[bytes]] = []

    def ask(start: Callable[[], subprocess.Popen[bytes]]) -> None:
        children.append(start())
        assert children[-1].stdout is not None
        children[-1].stdout.read(3)  # it is up, and bound to its starter

    for start in (
        lambda: get_spawner().start(argv, env=env),
        lambda: subprocess.Popen(argv, env=env, stdin=pipe, stdout=pipe),
    ):
        asker = threading.Thread(target=ask, args=(start,))
        asker.start()
        asker.join()
        while Path(f"/proc/self/task/{asker.native_id}").exists():  # Python lets go of a thread before the kernel does
            time.sleep(0.001)
    children[1].wait(timeout=60)  # the kernel's signal may come after the thread is gone
    assert [child.communicate(b"go\n")[0] for child in children] == [b"alive\n", b""]
