"""The second harness is started like an ordinary program of the project."""

from pathlib import Path

from reknit.adapters.testing.boxed_harness import boxed_harness
from reknit.core.box import BoxView
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand

COMMAND = TestCommand("jest", ("npx", "jest"), "report", env=(("CI", "true"), ("API_URL", "x")), folder="web")


def test_it_has_the_projects_variables_and_none_that_speak_of_tests(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    harness = Harness(("node", "-"), ("t",), stdin="program", env=(("MORE", "1"),))
    started = boxed_harness(COMMAND, view, harness, 7.0)
    assert (started.argv, started.stdin, started.folder) == (("node", "-"), b"program", "web")
    assert dict(started.env) == {"API_URL": "x", "MORE": "1"}
    assert (started.limits.wall_s, started.needs_services) == (7.0, True)


def test_python_is_the_projects_interpreter(tmp_path: Path) -> None:
    view = BoxView(str(tmp_path), str(tmp_path))
    assert boxed_harness(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0).argv == ("python3", "-")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("python3")
    assert boxed_harness(COMMAND, view, Harness(("python", "-"), ("t",)), 7.0).argv == ("python", "-")
