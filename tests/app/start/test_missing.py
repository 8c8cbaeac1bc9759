"""What a machine lacks for a project's tests, looked up in real folders."""

from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.start.missing import check_prerequisites, find_missing_servers
from reknit.core.services.service import Service
from tests.adapters.git.users_git import git, repository
from tests.app.start.pythons.made_python import installation, venv


def words(user: Path, runner: str, folder: str = "", **environment: str) -> list[str]:
    found = UserRepository.find(str(user))
    given = {"PATH": "/nowhere", "HOME": "/nowhere", **environment}
    return [
        f"{one.problem}: {one.command}" for one in check_prerequisites(found, folder, runner, found.tracked(), given)
    ]


def on_path(top: Path, *names: str) -> str:
    for name in names:
        installation(top / "programs", name=name)
    return str(top / "programs" / "bin")


def test_a_fresh_clone_of_a_workspace(tmp_path: Path) -> None:
    files = {"package.json": "{}", "package-lock.json": "{}", "packages/app/package.json": "{}"}
    user, path = repository(tmp_path / "user", files), on_path(tmp_path, "npx")
    assert words(user, "vitest", "packages/app", PATH=path) == ["node_modules is missing: npm ci"]
    (user / "node_modules").mkdir()
    assert words(user, "vitest", "packages/app", PATH=path) == []


@pytest.mark.parametrize(
    ("manifest", "is_missing"),
    [
        ('{"devDependencies": {"x": "1"}}', True),
        ('{"scripts": {"test": "node --test"}}', False), ("[]", False), ("{", False)],
)  # fmt: skip
def test_npm_needs_packages_only_if_the_project_has_dependencies(
    tmp_path: Path, manifest: str, *, is_missing: bool
) -> None:
    user = repository(tmp_path / "user", {"package.json": manifest})
    said = words(user, "npm", PATH=on_path(tmp_path, "npm"))
    assert said == (["node_modules is missing: npm install"] if is_missing else [])
    (user / ".pnp.cjs").touch()
    assert words(user, "npm", PATH=on_path(tmp_path, "npm")) == []


def test_programs_and_java_by_its_variable(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"pom.xml": "<project/>", "mvnw": "#!/bin/sh\n"})
    assert words(user, "go") == ["go is not installed: install Go, or put go on PATH"]
    assert words(user, "maven") == ["java is not installed: install a JDK, or put java on PATH"]
    installation(tmp_path / "jdk", name="java")
    assert words(user, "maven", JAVA_HOME=str(tmp_path / "jdk")) == []
    assert words(user, "maven", PATH=on_path(tmp_path, "java")) == []


def test_a_python_project(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"pyproject.toml": "", "poetry.lock": ""})
    assert words(user, "pytest") == ["python3 is not installed: install Python 3, or put it on PATH"]
    path = on_path(tmp_path, "python3")
    assert words(user, "pytest", PATH=path) == ["this project has no Python environment with pytest: poetry install"]
    venv(user / ".venv", tmp_path / "programs/bin/python3")
    assert words(user, "pytest", PATH=path) == ["pytest is not installed in .venv: poetry install"]
    assert words(user, "unittest", PATH=path) == []


def test_a_compiled_copy_of_the_project_in_its_environment(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"api/pyproject.toml": "", "api/src/shop/__init__.py": ""})
    python = venv(user / "api/.venv", installation(tmp_path / "sdk"), "pytest", "shop")
    assert words(user, "pytest", "api") == []
    (user / "api/.venv/lib/python3.11/site-packages/shop/_fast.so").touch()
    what = ".venv has a compiled copy of this project, and tests would import that"
    assert words(user, "pytest", "api") == [f"{what}: cd api && {python} -m pip install -e ."]


def test_a_submodule_that_is_not_checked_out(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"app.py": "1\n"})
    inner = repository(tmp_path / "inner", {"s.py": "s\n"})
    git(user, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    git(user, "commit", "--quiet", "--message=submodule")
    assert words(user, "command") == []
    git(user, "submodule", "--quiet", "deinit", "--force", "lib")
    assert words(user, "command") == ["the submodule lib is not checked out: git submodule update --init --recursive"]


def test_a_well_known_server_that_is_not_installed_is_missing(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.touch(0o755)
    wanted = [
        Service("redis-server --port 1"),
        Service("nats-server"),
        Service("./serve", 1),
        Service("nats-server -p 1"),
    ]
    [missing] = find_missing_servers(wanted, {"PATH": str(tmp_path)})
    assert (missing.problem, missing.command) == (
        "nats-server is not installed, and a service needs it",
        "apt install nats-server",
    )
