"""`reknit check` on 50 staged files, as git calls it before a commit: in CPU time, whatever else the machine does."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.figure import Figure

FILES, ROUNDS = 50, 5
MAX_CHECK_S = 1.0
_SOURCE = "def price(count, each):\n    return count * each\n\n\n" * 40


def figures(files: int = FILES, rounds: int = ROUNDS) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        user = Path(folder, "user")
        _stage(user, files)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "REKNIT_STATE": str(Path(folder, "state"))}
        commands = (["check"], ["--version"])
        seen = [[_seconds(user, environment, command) for command in commands] for _ in range(rounds + 1)][1:]
    checks, starts = (median(column) for column in zip(*seen, strict=True))
    yield Figure(
        f"check of {files} staged files / 1 s", f"{checks:.2f} s", f"{MAX_CHECK_S:.2f} s", checks / MAX_CHECK_S, 1.0
    )
    yield Figure("the same / a bare start", f"{checks:.2f} s", f"{starts:.2f} s", checks / starts)


def _stage(user: Path, files: int) -> None:
    user.mkdir()
    _git(user, "init", "--quiet")
    for more in ("", "def double(price):\n    return 2 * price\n"):
        for number in range(files):
            (user / f"shop_{number}.py").write_text(_SOURCE + more)
        _git(user, "add", "--all")
        if not more:
            _git(user, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "--message=x")


def _git(user: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=user, check=True)


def _seconds(user: Path, environment: dict[str, str], arguments: Sequence[str]) -> float:
    """With the git processes that it starts."""
    before = _cpu_s()
    argv = [sys.executable, "-m", "reknit", *arguments]
    subprocess.run(argv, cwd=user, env=environment, stdout=subprocess.DEVNULL, check=True)
    return _cpu_s() - before


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
