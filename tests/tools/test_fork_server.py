"""A forked process is like a new one in all that it can tell of itself, and ends like one.

As `python -m tests.tools.test_fork_server` this file is the process that tells.
"""

import atexit
import json
import os
import random
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tools.fork_server import Forked, ForkServer

MODULE = "tests.tools.test_fork_server"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "A_WORD": "ä"}


def tell() -> dict[str, Any]:
    fds = [Path("/proc/self/fd", str(number)) for number in range(64)]
    return {
        "name": __name__,
        "argv": sys.argv,
        "path": sys.path,
        "environment": dict(os.environ),
        "home": str(Path.home()),
        "folder": str(Path.cwd()),
        "files": {fd.name: str(fd.readlink()) for fd in fds if fd.is_symlink()},
        "stdin": sys.stdin.read(),
        "threads": threading.active_count(),
        "group": os.getpgrp(),
        "on ctrl-c": str(signal.getsignal(signal.SIGINT)).partition(" at ")[0],
    }


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(["pytest"], env={"OF_THE_SERVER": "1"}) as server:
        yield server


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def run(server: ForkServer, log: Path, *arguments: str) -> Forked:
    return server.start(MODULE, arguments, env=ENVIRONMENT, log=log)


def test_it_tells_of_itself_what_a_new_process_does(server: ForkServer, log: Path) -> None:
    assert run(server, log, "tell").wait(30) == 0
    forked = json.loads(log.read_text())
    log.unlink()
    with log.open("ab") as output:
        argv = [sys.executable, "-m", MODULE, "tell"]
        subprocess.run(argv, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=True)
    assert forked == json.loads(log.read_text())


def test_nothing_is_imported_or_changed_for_the_next(server: ForkServer, log: Path) -> None:
    for _ in range(2):
        assert run(server, log, "spoil").wait(30) == 0
    assert log.read_text() == "fresh\nfresh\n"


def test_each_has_its_own_luck(server: ForkServer, log: Path) -> None:
    for child in [run(server, log, "chance") for _ in range(5)]:
        assert child.wait(30) == 0
    assert len(set(log.read_text().split())) == 10


def test_threads_and_exit_handlers_come_to_their_end(server: ForkServer, log: Path) -> None:
    assert run(server, log, "late", "3").wait(30) == 3
    assert log.read_text() == "a thread ended\na handler ran\n"


@pytest.mark.parametrize(("how", "code"), [("0", 0), ("3", 3), ("a word", 1), ("raise", 1), ("kill", -9)])
def test_its_end_is_reported(how: str, code: int, server: ForkServer, log: Path) -> None:
    child = run(server, log, "end", how)
    assert child.wait(30) == code
    assert child.poll() == child.returncode == code
    said = {"raise": "ValueError: raise\n", "a word": "a word\n"}.get(how, "")
    assert log.read_text().endswith(said)
    assert ("Traceback" in log.read_text()) == (how == "raise")
    assert not Path(f"/proc/{child.pid}").exists()
    child.kill()  # too late, and harmless


def test_it_can_be_waited_for_and_killed(server: ForkServer, log: Path) -> None:
    child = run(server, log, "hang")
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.05)
    assert child.poll() is None
    assert run(server, log, "end", "0").wait(30) == 0, "one that hangs keeps nobody waiting"
    child.kill()
    assert child.wait(30) == -9


def test_nobody_outlives_the_server(log: Path) -> None:
    with ForkServer([]) as server:
        child = run(server, log, "hang")
    assert child.wait(30) == -9
    assert not Path(f"/proc/{child.pid}").exists()


def test_a_server_that_cannot_import_says_so(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with ForkServer(["no_such_module"]) as server, pytest.raises(RuntimeError, match="fork server is dead"):
        run(server, log, "tell")
    assert "No module named 'no_such_module'" in capfd.readouterr().err


def test_a_server_with_a_thread_refuses(tmp_path: Path, log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    busy = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    (tmp_path / "busy.py").write_text(busy)
    env = {"PYTHONPATH": str(tmp_path)}
    with ForkServer(["busy"], env=env) as server, pytest.raises(RuntimeError, match="fork server is dead"):
        run(server, log, "tell")
    assert "2 threads" in capfd.readouterr().err


def main(what: str, how: str = "") -> None:
    if what == "tell":
        print(json.dumps(tell()))
    if what == "chance":
        print(random.random(), uuid.uuid4())
    if what == "spoil":
        print("spoilt" if "colorsys" in sys.modules or "SPOILT" in os.environ else "fresh")
        os.environ["SPOILT"] = "1"
        __import__("colorsys")
    if what == "hang":
        threading.Event().wait()
    if what == "late":
        atexit.register(print, "a handler ran")
        threading.Timer(0.1, print, ["a thread ended"]).start()
    if how == "raise":
        raise ValueError(how)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(int(how) if how.isdigit() else how or None)


if __name__ == "__main__":
    main(*sys.argv[1:])
