"""A forked process is to its test what a new one is.

As `python -m tests.tools.test_forked_popen` this file is that process.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.fork_server import ROOT, ForkServer
from tests.tools.forked_popen import ForkedPopen

MODULE = "tests.tools.test_forked_popen"
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer([]) as server:
        yield server


@pytest.fixture(params=["new", "forked"])
def start(request: pytest.FixtureRequest, server: ForkServer, tmp_path: Path) -> Start:
    """Both must pass each test."""
    env = {"PYTHONPATH": str(ROOT), "WORD": "é"}

    def new(*arguments: str) -> "subprocess.Popen[str]":
        argv, pipe = [sys.executable, "-m", MODULE, *arguments], subprocess.PIPE
        return subprocess.Popen(
            argv, cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
        )

    def forked(*arguments: str) -> "subprocess.Popen[str]":
        return ForkedPopen(server, MODULE, arguments, env=env, folder=tmp_path)

    return {"new": new, "forked": forked}[request.param]


def test_what_it_says_where_it_is_and_how_it_ends(start: Start, tmp_path: Path) -> None:
    child = start("tell", "3")
    out, err = child.communicate(timeout=60)
    assert json.loads(out) == [str(tmp_path), str(tmp_path), "é", ["tell", "3"], ""]
    assert (err, child.returncode, child.poll(), child.wait()) == ("an aside\n", 3, 3, 3)
    assert child.args == [sys.executable, "-m", MODULE, "tell", "3"]


def test_a_signal_reaches_it_and_its_lines_come_while_it_runs(start: Start) -> None:
    with start("hang") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == f"{child.pid}\n"
        assert child.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.05)
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 7
        child.kill()  # too late, and harmless


def test_it_can_be_killed(start: Start) -> None:
    child = start("hang")
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL


def main(what: str, code: str = "") -> None:
    if what == "tell":
        print(json.dumps([os.getcwd(), sys.path[0], os.environ["WORD"], sys.argv[1:], sys.stdin.read()]))
        print("an aside", file=sys.stderr)
        sys.exit(int(code))
    print(os.getpid(), flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.exit(7)


if __name__ == "__main__":
    main(*sys.argv[1:])
