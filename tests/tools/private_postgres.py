"""A throw-away Postgres for tests: its own data folder and port, on the loopback only, never as root."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROLE = "tester"
"""Not `reknit`: Postgres would take our schema for that role's own default one."""


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    home: Path
    settings: str = ""

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{_ROLE}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.home}"
        options += f" -c fsync=off {self.settings}"
        self._control("-l", self.home / "log", "-o", options, "-w", "start")

    def stop(self) -> None:
        """As a crash does it: connections are cut, nothing is finished."""
        self._control("-m", "immediate", "-w", "stop")

    def _control(self, *words: Path | str) -> None:
        _run(self.home, _tools() / "pg_ctl", "-D", self.home / "data", *words)

    def is_up(self) -> bool:
        return (self.home / "data" / "postmaster.pid").exists()


@contextlib.contextmanager
def private_postgres(settings: str = "") -> Iterator[Server]:
    """`settings`: more options of the server, as `-c max_connections=20`."""
    home = Path(tempfile.mkdtemp(prefix="reknit-pg-"))
    server = Server(_free_port(), home, settings)
    try:
        if os.geteuid() == 0:
            shutil.chown(home, "postgres", "postgres")
        _run(home, _tools() / "initdb", "-D", home / "data", "-U", _ROLE, "-A", "trust", "-E", "UTF8", "--no-sync")
        server.start()
        try:
            yield server
        finally:
            if server.is_up():
                server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(home: Path, *argv: Path | str) -> None:
    """Run a program of Postgres.

    Its stdout goes nowhere: the server inherits it, and a pipe would never reach its end.
    """
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    done = subprocess.run(
        [str(word) for word in argv],
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        check=False,
    )
    if done.returncode:
        log = home / "log"
        raise RuntimeError(f"{argv[0]} failed: {log.read_text() if log.exists() else 'no log'}")


def _tools() -> Path:
    """The newest; a link on PATH need not have its sisters beside it."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if installed:
        return installed[-1]
    found = shutil.which("initdb")
    if found is None:
        raise RuntimeError("no initdb: install the package `postgresql`")
    return Path(found).resolve().parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
