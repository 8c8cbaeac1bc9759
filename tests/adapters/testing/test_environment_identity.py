"""The identity of an environment changes with its packages and programs, and with nothing else."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.testing import environment_identity as tested
from reknit.adapters.testing.environment_identity import identify_environment
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.spec import RunSpec, WorkspaceSettings
from reknit.core.testing.command import TestCommand

Change = Callable[[Path], object]


def spec_of(root: Path) -> RunSpec:
    packages = root / ".venv" / "lib" / "python3" / "site-packages"
    (packages / "old").mkdir(parents=True)
    (root / ".venv" / "bin").mkdir()
    python = root / ".venv" / "bin" / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    (root / ".env").write_text("A=1\n")
    os.symlink(packages, root / "linked")
    (root / "node_modules" / "left-pad").mkdir(parents=True)
    (root / "settings").mkdir()
    (root / "settings" / "local.json").write_text("{}")
    (root / "shown").mkdir()
    (root / "shown" / "data.csv").write_text("1\n")
    carry = (".venv", ".env", "linked", "gone", "node_modules", "settings")
    settings = WorkspaceSettings(carry=carry, show=(str(root / "shown"),))
    tests = TestCommand("pytest", ("python", "-m", "pytest"), "junit")
    return RunSpec("r-1", str(root), "base", FixTests(), tests, (AgentSettings("a", "claude"),), workspace=settings)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda root: (root / ".venv/lib/python3/site-packages/new").mkdir(), id="a package installed"),
        pytest.param(lambda root: (root / ".venv/lib/python3/site-packages/old").rmdir(), id="a package removed"),
        pytest.param(lambda root: (root / ".env").write_text("A=22\n"), id="an ignored file changed"),
        pytest.param(lambda root: (root / "gone").write_text("there"), id="an ignored file appeared"),
        pytest.param(lambda root: (root / "settings/local.json").write_text("[22]"), id="a file in an ignored folder"),
        pytest.param(lambda root: (root / "shown/data.csv").write_text("22\n"), id="a file that the box shows"),
        pytest.param(lambda root: (root / "node_modules/left-pad/new.js").touch(), id="a package of npm replaced"),
        pytest.param(lambda root: (root / ".venv/bin/python").write_text("#!/bin/bash\n"), id="another program"),
    ],
)
def test_another_environment(change: Change, tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    before = identify_environment(spec)
    assert before == identify_environment(replace(spec, run_id="r-2"))
    change(tmp_path)
    assert identify_environment(spec) not in ("", before)


def test_packages_beside_the_interpreter_count_wherever_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, elsewhere = spec_of(tmp_path / "repository"), tmp_path / "elsewhere"
    packages = elsewhere / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (elsewhere / "bin").mkdir()
    (elsewhere / "bin" / "pytest").write_text("#!/bin/sh\n")
    (elsewhere / "bin" / "pytest").chmod(0o755)
    monkeypatch.setenv("PATH", f"{elsewhere}/bin:{os.environ['PATH']}")
    spec = replace(spec, tests=replace(spec.tests, argv=("pytest",)))
    before = identify_environment(spec)
    (packages / "new").mkdir()
    assert identify_environment(spec) not in ("", before)


@pytest.mark.parametrize("name", ["PATH", "JAVA_HOME"])
def test_a_variable_that_a_box_knows_counts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(tmp_path)
    before = identify_environment(spec)
    monkeypatch.setenv(name, f"/elsewhere:{os.environ['PATH']}")
    assert identify_environment(spec) not in ("", before)


def test_another_release_is_another_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(tmp_path)
    before = identify_environment(spec)
    monkeypatch.setattr(tested, "__version__", "99")
    assert identify_environment(spec) not in ("", before)


def test_of_a_folder_that_cannot_be_read_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: Path) -> object:
        raise PermissionError(13, "Permission denied", str(place))

    spec = spec_of(tmp_path)
    monkeypatch.setattr(os, "scandir", refuse)
    assert identify_environment(spec) == ""


def test_of_a_link_to_itself_nothing_is_known(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    os.symlink("loop", tmp_path / "settings" / "loop")
    assert identify_environment(spec) == ""


def test_another_box_is_another_environment(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    assert identify_environment(spec) != identify_environment(replace(spec, box="host"))


def test_what_is_not_carried_does_not_count(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    before = identify_environment(spec)
    (tmp_path / "source.py").write_text("x = 1\n")
    assert identify_environment(spec) == before


def test_of_a_huge_environment_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested, "MAX_PATHS", 5)
    assert identify_environment(spec_of(tmp_path)) == ""
