"""The second harness is started like an ordinary program of the project."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.host import HostBox
from reknit.adapters.testing.boxed_command import boxed
from reknit.adapters.testing.boxed_harness import boxed_harness
from reknit.core.box import BoxView, Command
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand

COMMAND = TestCommand("jest", ("npx", "jest"), "report", env=(("CI", "true"), ("API_URL", "x")), folder="web")


def test_it_has_the_projects_variables_and_none_that_speak_of_tests(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    harness = Harness(("node", "-"), ("t",), stdin="program", env=(("MORE", "1"),))
    started = boxed_harness(COMMAND, view, harness, 7.0)
    assert (started.argv[2:], started.stdin, started.folder) == (("node", "-"), b"program", "web")
    assert dict(started.env) == {"API_URL": "x", "MORE": "1"}
    assert (started.limits.wall_s, started.needs_services) == (7.0, True)


def test_python_is_the_projects_interpreter(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    started = boxed_harness(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0)
    assert started.argv[2:] == ("python3", "-")
    assert started.env["PYTHONHASHSEED"] == boxed(COMMAND, view, (), "", 7.0).env["PYTHONHASHSEED"]
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("python3")
    assert boxed_harness(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0).argv[2:] == ("python", "-")


SHOW = (
    "import json, os;print(json.dumps([os.getpid(), os.getppid(), sorted(os.environ), os.listdir(os.environ['HOME'])]))"
)
COMMAND_HERE = TestCommand("pytest", ("python3", "-c", SHOW), "report")


@pytest.mark.parametrize("box", [Bubblewrap, HostBox])
def test_code_cannot_tell_by_its_process_or_variables_that_tests_are_run(
    tmp_path: Path, box: type[Bubblewrap | HostBox]
) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    plain = COMMAND_HERE

    def seen(command: Command) -> list[Any]:
        ended = asyncio.run(box().run(view, command))
        return list(json.loads(ended.stdout))

    harness = boxed_harness(plain, view, Harness(("python", "-c", SHOW), ("t",)), 60.0)
    process, parent, variables, home = seen(harness)
    in_tests = seen(boxed(plain, view, (), str(tmp_path), 60.0))
    assert "PYTHONDONTWRITEBYTECODE" in in_tests[2]
    assert not {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "GIT_OPTIONAL_LOCKS"} & {*variables}
    assert home == []
    if box is Bubblewrap:
        assert in_tests[0] < 20 < 100 <= parent < process


@pytest.mark.parametrize("code", [0, 3, 70])
def test_how_the_program_ends_is_kept(tmp_path: Path, code: int) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    harness = Harness(("python", "-c", f"raise SystemExit({code})"), ("t",))
    ended = asyncio.run(Bubblewrap().run(view, boxed_harness(COMMAND_HERE, view, harness, 60.0)))
    assert (ended.reason, ended.exit_code) == ("exit", code)
