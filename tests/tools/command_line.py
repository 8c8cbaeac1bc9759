"""reknit as a person calls it: in this process for a quick answer, or as a process of its own."""

import atexit
import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit

from tests.tools.fork_server import ForkServer
from tests.tools.forked_popen import ForkedPopen
from tests.tools.patience import scale
from tests.tools.plain_python import plain_bin

WARM = (
    "alembic.command",
    "alembic.config",
    "certifi",
    "encodings.idna",
    "httpcore",
    "psycopg",
    "reknit.adapters.github.api.client",
    "reknit.app.engine.engine",
    "reknit.app.runs.follow",
    "reknit.interfaces.cli.commands.fix",
    "reknit.interfaces.cli.main",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlite3",
)
"""What most commands import, in seconds. What is missing here, each imports for itself."""


@functools.cache
def _server() -> ForkServer:
    """One for all tests of this process, from the first that needs it."""
    server = ForkServer(WARM)
    atexit.register(server.close)
    return server


def forked(arguments: Sequence[str], environment: Mapping[str, str], folder: Path) -> "subprocess.Popen[str]":
    """From a Python that has imported it all: most of what a new one needs is the time for that."""
    return ForkedPopen(_server(), "reknit", arguments, env=environment, folder=folder)


def fresh(arguments: Sequence[str], environment: Mapping[str, str], folder: Path) -> "subprocess.Popen[str]":
    """A new Python, as a user has it, with all that can happen to it before it runs our code."""
    argv, pipe = [sys.executable, "-m", "reknit", *arguments], subprocess.PIPE
    return subprocess.Popen(
        argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True
    )


FRESH = "TEST_FRESH_PYTHON"
"""Set by the suites that attack reknit or have real agents: they start a new Python."""


@dataclass(frozen=True)
class Answer:
    exit_code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Return stdout, read as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def ending(self) -> dict[str, Any]:
        return self.lines[-1]

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == kind]


@dataclass(frozen=True)
class CommandLine:
    """`folder`: its own state and home, so that nothing of the machine's user is seen."""

    folder: Path
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """A repository's tests have a plain Python. COVERAGE_* stays: the measuring follows into child processes."""
        kept = {key: os.environ[key] for key in os.environ if key.startswith(("COV_", "COVERAGE_"))}
        kept["PATH"] = f"{plain_bin()}:{os.environ['PATH'].removeprefix(f'{plain_bin()}:')}"
        own = {"HOME": str(self.folder / "home"), "REKNIT_STATE": str(self.folder / "state")}
        config = self.folder / "config.toml"
        return {**kept, **own, **({"REKNIT_CONFIG": str(config)} if config.exists() else {}), **self.more}

    def configure(self, **settings: Any) -> None:
        """The user's own config file."""
        (self.folder / "config.toml").write_text(tomlkit.dumps(settings))

    def tell_story(self, *moves: dict[str, Any], **settings: Any) -> None:
        """The scripted agent is the fixer and plays these moves, one an attempt."""
        self.configure(fixer="scripted", agents={"scripted": {"story": json.dumps(moves)}}, **settings)

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        launch = fresh if FRESH in os.environ else forked
        return launch(arguments, self.environment, cwd)

    def run(self, *arguments: str, cwd: Path | None = None) -> Answer:
        child = self.start(*arguments, cwd=cwd or self.folder)
        out, err = child.communicate(timeout=scale(150))
        return Answer(child.returncode, out, err)


def until(child: subprocess.Popen[str], event: str) -> dict[str, Any]:
    """Reads the run's events up to this one."""
    assert child.stdout is not None
    for line in child.stdout:
        document: dict[str, Any] = json.loads(line)
        if document["event"] == event:
            return document
    raise AssertionError(f"no {event}: {child.stderr.read() if child.stderr else ''}")
