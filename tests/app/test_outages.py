"""An outage is known behind whatever it was wrapped in; everything else is not taken for one."""

import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.app.installation import Installation
from reknit.app.outages import RaiseOutages, check_surroundings, find_outage
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import DiskFullError, InternalError, ToolMissingError, UnavailableError, UsageError
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand

PLACE = Installation(Path("/state"), "sqlite:////state/reknit.sqlite", {})


def sqlite_error(name: str) -> sa.exc.OperationalError:
    error = sqlite3.OperationalError("said by SQLite")
    error.sqlite_errorname = name
    return sa.exc.OperationalError("INSERT", {}, error)


def wrapped(error: BaseException) -> Exception:
    outer = RuntimeError("a step failed")
    outer.__cause__ = ValueError("inside")
    outer.__cause__.__context__ = error
    return outer


@pytest.mark.parametrize(
    ("error", "name"),
    [
        pytest.param(OSError(errno.ENOSPC, "No space left", "/state/x"), "disk-full", id="a file"),
        pytest.param(OSError(errno.EDQUOT, "Quota", "/state/x"), "disk-full", id="a quota"),
        pytest.param(sqlite_error("SQLITE_FULL"), "disk-full", id="the database file"),
        pytest.param(DiskFullError("/state"), "disk-full", id="known already"),
        pytest.param(sqlite_error("SQLITE_CORRUPT_INDEX"), "database-damaged", id="damaged"),
        pytest.param(sqlite_error("SQLITE_IOERR_WRITE"), "database-io", id="a bad disk"),
        pytest.param(sqlite_error("SQLITE_READONLY"), "database-rights", id="read-only"),
        pytest.param(sa.exc.TimeoutError("QueuePool"), "database-away", id="no connection free"),
    ],
)
def test_an_outage_is_found_behind_other_errors(error: BaseException, name: str) -> None:
    for told in (error, wrapped(error)):
        found = find_outage(told, PLACE)
        assert found is not None
        assert (found.name, found.exit_code) == (name, 3)
        assert "/state" in found.message


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(sqlite_error("SQLITE_ERROR"), id="wrong SQL"),
        pytest.param(sa.exc.IntegrityError("INSERT", {}, sqlite3.IntegrityError("unique")), id="a broken rule"),
        pytest.param(OSError(errno.ENOENT, "No such file"), id="a missing file"),
        pytest.param(InternalError("bug", "ours"), id="a bug"),
        pytest.param(UsageError("usage", "theirs"), id="a usage problem"),
    ],
)
def test_a_bug_is_not_taken_for_an_outage(error: Exception) -> None:
    assert find_outage(error, PLACE) is None
    assert find_outage(wrapped(error), PLACE) is None


def test_errors_that_name_each_other_are_walked_once() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert find_outage(one, PLACE) is None


def test_a_result_is_not_believed_when_the_repository_is_gone(tmp_path: Path) -> None:
    installation = Installation(tmp_path, f"sqlite:///{tmp_path}/db", {})
    agent, tests = AgentSettings("claude", "claude"), TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", str(tmp_path / "shop"), "b" * 40, FixTests(), tests, (agent,))
    with pytest.raises(UnavailableError, match="no longer exists"):
        check_surroundings(installation, spec)
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    check_surroundings(installation, spec)


FULL = """
import subprocess, sys
from pathlib import Path
from reknit.adapters.files.folders import check_space
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.errors import DiskFullError
disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], check=True)
check_space(disk)
git = TrustedGit.open(str(disk / "trusted.git"))
try:
    with (disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"x" * 4096) == 4096:
            pass
except OSError:
    pass
for act in (lambda: check_space(disk), lambda: git._git.out("hash-object", "-w", "--stdin", stdin=b"y" * 9000)):
    try:
        act()
    except DiskFullError as full:
        print(full.where)
"""


def test_a_disk_without_space_is_seen_by_us_and_by_git(tmp_path: Path) -> None:
    alone = ["unshare", *([] if os.geteuid() == 0 else ["-U", "-r"]), "-m"]
    argv = [*alone, sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([str(tmp_path), str(tmp_path / "trusted.git")], "")


def test_what_is_behind_a_named_cause_is_not_asked() -> None:
    """As root the kernel says ENOSPC, too, when there are too many namespaces or mounts."""
    refused = ToolMissingError("box", "the kernel refuses another namespace")
    refused.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert find_outage(wrapped(refused), PLACE) is None


def test_an_outage_is_raised_by_its_name() -> None:
    with pytest.raises(DiskFullError), RaiseOutages(PLACE):
        raise wrapped(OSError(errno.ENOSPC, "No space left", "/state/x"))
    with pytest.raises(KeyError), RaiseOutages(PLACE):
        raise KeyError
