"""A `subprocess.Popen` with pipes for `python -m MODULE`, whose process a fork server starts."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.tools.fork_server import Forked, ForkServer


class ForkedPopen(subprocess.Popen[str]):
    """stdin is empty. Only how it starts and ends differs: the process is the server's child, not ours."""

    def __init__(
        self, server: ForkServer, module: str, arguments: Sequence[str], *, env: Mapping[str, str], folder: Path
    ) -> None:
        def fork(outputs: tuple[int, int]) -> Forked:
            return server.fork(module, arguments, env=env, folder=folder, outputs=outputs)

        self._fork, pipe = fork, subprocess.PIPE
        argv = [sys.executable, "-m", module, *arguments]
        super().__init__(argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)

    def _execute_child(self, *given: object) -> None:
        """Called by `Popen` when the pipes are there, with all it was given; they are the 11th to the 16th."""
        pipes = [end for end in given[10:16] if isinstance(end, int)]
        _, _, _, stdout, _, stderr = pipes
        self._forked = self._fork((stdout, stderr))
        self.pid, self._child_created = self._forked.pid, True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def poll(self) -> int | None:
        self.returncode: int | None = self._forked.poll()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self.returncode = self._forked.wait(timeout)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        self._forked.send_signal(sig)
