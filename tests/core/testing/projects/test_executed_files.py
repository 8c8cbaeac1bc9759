"""Every file that a test command executes is found, and only so many are read."""

import pytest

from reknit.core.testing.command import TestCommand
from reknit.core.testing.projects import executed_files as module
from reknit.core.testing.projects.executed_files import executed_files

FILES = {
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": ". lib/run.sh\n. lib/run.sh\n",
    "lib/run.sh": "sh lib/more.sh\n. check.sh\n",
    "lib/more.sh": "echo\n",
    "lib/other.sh": "echo\n",
}
MAKE = TestCommand("make", ("make", "test"), "exit code", origin="Makefile")


def executed() -> tuple[str, ...]:
    return executed_files(lambda path: FILES.get(path, ""), [MAKE], (*FILES,))


def test_scripts_are_followed() -> None:
    assert executed() == ("check.sh", "lib/more.sh", "lib/run.sh")


@pytest.mark.parametrize(("most", "files"), [(0, ("check.sh",)), (1, ("check.sh", "lib/run.sh"))])
def test_only_so_many_are_read(monkeypatch: pytest.MonkeyPatch, most: int, files: tuple[str, ...]) -> None:
    monkeypatch.setattr(module, "MOST_READ", most)
    assert executed() == files
