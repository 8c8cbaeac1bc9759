"""Two ways to start a worker: a new Python, as a user has it, and the fork of a warm one, for the many scenes."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tests.tools import command_line
from tests.tools.fork_server import ForkServer

MODULE = "tests.crash.worker"
WARM = (*command_line.WARM, "tests.crash.releases")
"""What a worker has imported by its end; missing here, each imports it for itself."""


class Worker(Protocol):
    @property
    def pid(self) -> int: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...


Launch = Callable[[Sequence[str], Mapping[str, str], Path], Worker]
"""Arguments, environment and log of a worker -> the worker."""


def fresh(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Worker:
    argv = [sys.executable, "-m", MODULE, *arguments]
    with log.open("ab") as output:
        return subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)


def forked_by(server: ForkServer) -> Launch:
    def launch(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Worker:
        return server.start(MODULE, arguments, env=environment, log=log)

    return launch
