"""What is missing, in words and as a command, by table."""

import pytest

from reknit.core.repository.prerequisites import (
    Machine,
    Missing,
    find_missing,
    list_runner_programs,
    list_toolchain_programs,
)

NO_PACKAGES = Machine(("npx", "npm"), has_node_modules=False)
SYSTEM = Machine((), python="/usr/bin/python3", has_pytest=False)
VENV = Machine((), python="/srv/my env/bin/python", environment=".venv", has_pytest=False)


def commands(runner: str, folder: str, tracked: tuple[str, ...], machine: Machine) -> list[str]:
    return [one.command for one in find_missing(runner, folder, tracked, machine)]


@pytest.mark.parametrize(
    ("folder", "tracked", "command"),
    [
        pytest.param("", (), "npm install", id="no-lock-file"),
        pytest.param("", ("package-lock.json",), "npm ci", id="npm"),
        pytest.param("", ("pnpm-lock.yaml",), "pnpm install --frozen-lockfile", id="pnpm"),
        pytest.param("", ("yarn.lock",), "yarn install", id="yarn"),
        pytest.param("packages/app", ("package-lock.json",), "npm ci", id="a-workspace-installs-at-its-root"),
        pytest.param("web ui", ("web ui/bun.lock", "yarn.lock"), "cd 'web ui' && bun install", id="the-nearest-lock"),
        pytest.param("web", (), "cd web && npm install", id="no-lock-file-in-a-folder"),
    ],
)
def test_packages_of_node(folder: str, tracked: tuple[str, ...], command: str) -> None:
    found = find_missing("vitest", folder, tracked, NO_PACKAGES)
    assert found == (Missing("packages", "node_modules is missing", command),)


@pytest.mark.parametrize(
    ("folder", "tracked", "machine", "command"),
    [
        pytest.param("", ("uv.lock",), VENV, "uv sync", id="uv"),
        pytest.param("api", ("api/poetry.lock",), SYSTEM, "cd api && poetry install", id="poetry-in-a-folder"),
        pytest.param("api", ("pdm.lock",), SYSTEM, "pdm install", id="pdm-above"),
        pytest.param("", ("Pipfile",), SYSTEM, "pipenv install --dev", id="pipenv"),
        pytest.param("api", (), VENV, "'/srv/my env/bin/python' -m pip install pytest", id="an-environment"),
        pytest.param(
            "api", ("api/requirements.txt",), VENV,
            "cd api && '/srv/my env/bin/python' -m pip install -r requirements.txt pytest", id="with-requirements",
        ),
        pytest.param(
            "", ("requirements.txt", "requirements-dev.txt"), SYSTEM,
            "python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt pytest", id="a-new-environment",
        ),
    ],
)  # fmt: skip
def test_pytest(folder: str, tracked: tuple[str, ...], machine: Machine, command: str) -> None:
    assert commands("pytest", folder, tracked, machine) == [command]
    assert commands("unittest", folder, tracked, machine) == [], "it needs no pytest"


def test_the_sentence_says_where_pytest_was_expected() -> None:
    assert [one.problem for one in find_missing("pytest", "", (), VENV)] == ["pytest is not installed in .venv"]
    said = [one.problem for one in find_missing("pytest", "", (), SYSTEM)]
    assert said == ["this project has no Python environment with pytest"]
    for runner in ("pytest", "unittest"):
        assert [one.problem for one in find_missing(runner, "", (), Machine(()))] == ["python3 is not installed"]


@pytest.mark.parametrize(
    ("runner", "tracked", "programs"),
    [
        ("go", (), ("go",)),
        ("gradle", (), ("gradle", "java")),
        ("gradle", ("gradlew",), ("java",)),
        ("maven", ("mvnw",), ("java",)),
        ("command", (), ()),
        ("pytest", (), ()),
    ],
)
def test_programs_that_must_be_installed(runner: str, tracked: tuple[str, ...], programs: tuple[str, ...]) -> None:
    assert list_runner_programs(runner, "sub", tracked) == programs


def test_a_missing_program_comes_first() -> None:
    found = find_missing("jest", "", (), Machine((), has_node_modules=False))
    assert [one.problem for one in found] == ["npx is not installed", "node_modules is missing"]
    assert found[0].command == "install Node.js, or put npx on PATH"
    assert commands("make", "", (), Machine(())) == ["install make, or put make on PATH"]
    assert find_missing("go", "", (), Machine(("go",))) == ()


@pytest.mark.parametrize(
    ("absent", "what"),
    [
        (("lib",), "the submodule lib is not checked out"),
        (("a", "b"), "the submodules a, b are not checked out"),
        (("a", "b", "c", "d", "e"), "the submodules a, b, c and 2 more are not checked out"),
    ],
)
def test_absent_submodules(absent: tuple[str, ...], what: str) -> None:
    command = "git submodule update --init --recursive"
    assert find_missing("command", "", (), Machine((), absent_submodules=absent)) == (
        Missing("submodule", what, command),
    )


def test_a_compiled_copy_of_the_project_is_not_its_source() -> None:
    machine = Machine((), python="/usr/bin/python3", hides_source=True)
    what = "/usr/bin/python3 has a compiled copy of this project, and tests would import that"
    assert find_missing("pytest", "", (), machine) == (Missing("python", what, "/usr/bin/python3 -m pip install -e ."),)


@pytest.mark.parametrize(
    ("names", "programs"),
    [
        pytest.param((), (), id="none"),
        pytest.param(("README.md", "Makefile"), (), id="nothing-that-says-so"),
        pytest.param(("Makefile", "go.mod"), ("go",), id="a-makefile-for-go"),
        pytest.param(("pom.xml", "build.gradle", "go.mod"), ("gradle", "java", "go", "mvn"), id="each-once"),
    ],
)  # fmt: skip
def test_what_a_project_needs(names: tuple[str, ...], programs: tuple[str, ...]) -> None:
    assert list_toolchain_programs(names) == programs
