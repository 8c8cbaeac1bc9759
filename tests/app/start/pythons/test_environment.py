"""The Python of a project's tests: found where its people have it, and working in the box."""

import asyncio
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.git.workspace import RunWorkspace
from reknit.app.start.pythons.environment import PythonEnvironment, find_python
from reknit.core.agents.call import AgentSettings
from reknit.core.box import BoxView, Command
from reknit.core.fix_tests.task import FixTests
from reknit.core.languages.python.environments import build_poetry_name
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.adapters.git.users_git import head, repository
from tests.app.start.pythons.made_python import installation, real_venv, venv

POETRY = '[tool.poetry]\nname = "shop"\n'


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "repository" / "backend").mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    return tmp_path.resolve()


@pytest.fixture
def base(top: Path) -> Path:
    return installation(top / "sdk", name="python3")


def found(top: Path, folder: str = "backend", **variables: str) -> PythonEnvironment:
    return find_python(
        top / "repository", folder, {"HOME": str(top / "home"), "PATH": str(top / "sdk/bin"), **variables}
    )


def test_without_an_environment_it_is_the_systems(top: Path, base: Path) -> None:
    assert found(top) == PythonEnvironment(str(base), "python3 on PATH", has_pytest=False)
    assert found(top, PATH="/nowhere") == PythonEnvironment("", "python3 on PATH", has_pytest=False)


def test_the_nearest_environment_comes_first_and_one_with_pytest_before_all(top: Path, base: Path) -> None:
    outer = venv(top / "repository/.venv", base)
    assert found(top) == PythonEnvironment(outer, ".venv", has_pytest=False)
    inner = venv(top / "repository/backend/venv", base)
    assert found(top).path == inner
    assert found(top, "").path == outer
    tox = venv(top / "repository/backend/.tox/py311", base, "pytest")
    assert found(top) == PythonEnvironment(tox, ".tox/py311", has_pytest=True)


def test_the_active_environment_counts_unless_another_project_owns_it(top: Path, base: Path) -> None:
    active = venv(top / "home/.virtualenvs/shop", base)
    assert found(top, VIRTUAL_ENV=str(Path(active).parent.parent)).origin == "the active virtual environment"
    repository(top / "other", {"a": "a"})
    venv(top / "other/.venv", base, "pytest")
    assert found(top, VIRTUAL_ENV=str(top / "other/.venv")).origin == "python3 on PATH"
    (top / "repository/.venv").symlink_to(top / "other/.venv")
    assert found(top).origin == "python3 on PATH", "a link to it is no way to show it"
    (top / "named/.git").mkdir(parents=True)
    venv(top / "named/.venv", base)
    named = found(top, VIRTUAL_ENV=str(top / "named/.venv"))
    assert named.origin == "the active virtual environment", "an empty folder called .git is no repository"


def test_a_linked_environment_is_named_by_its_real_path(top: Path, base: Path) -> None:
    real = venv(top / "home/.virtualenvs/shop", base)
    (top / "repository/backend/.venv").symlink_to(top / "home/.virtualenvs/shop")
    assert found(top) == PythonEnvironment(real, ".venv", has_pytest=False)


def test_uv_may_keep_the_projects_environment_elsewhere(top: Path, base: Path) -> None:
    inside, outside = venv(top / "repository/env", base), venv(top / "home/env", base)
    assert found(top, UV_PROJECT_ENVIRONMENT="env").path == inside
    assert found(top, UV_PROJECT_ENVIRONMENT=str(Path(outside).parent.parent)).path == outside


def test_every_tool_is_asked(top: Path, base: Path) -> None:
    (top / "repository/pyproject.toml").write_text(POETRY)
    name = build_poetry_name(POETRY, str(top / "repository"))
    made = venv(top / f"home/.cache/pypoetry/virtualenvs/{name}-py3.11", base, "pytest")
    assert found(top) == PythonEnvironment(made, "poetry's environment", has_pytest=True)
    assert found(top, CONDA_PREFIX="/nowhere", CONDA_DEFAULT_ENV="x").path == made


def prefix_in_the_box(view: BoxView, home: Path) -> list[str]:
    """As the test command starts it, and as an agent would by name."""
    script = f"{view.programs[0]} -c 'import sys, mine; print(sys.prefix)'; python -c 'import sys; print(sys.prefix)'"
    ended = asyncio.run(Bubblewrap(home=str(home)).run(view, Command(("sh", "-c", script))))
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout.decode().split()


def test_an_environment_outside_the_repository_works_in_the_box(top: Path) -> None:
    (top / "repository/pyproject.toml").write_text(POETRY)
    (top / "tree").mkdir()
    place = top / f"home/.cache/pypoetry/virtualenvs/{build_poetry_name(POETRY, str(top / 'repository'))}-py3.11"
    real_venv(place, "mine")
    program = found(top).path
    view = BoxView(str(top / "repository"), str(top / "tree"), programs=(program,))
    assert prefix_in_the_box(view, top / "home") == [str(place)] * 2


def test_an_environment_of_tox_is_carried_when_it_is_chosen(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"app.py": "one\n"})
    program = real_venv(user / ".tox" / "py311", "mine")
    assert find_python(user, "", {"HOME": "/nowhere", "PATH": ""}).path == program
    tests = TestCommand("pytest", (program, "-m", "pytest"), "exit code")
    agent = AgentSettings("scripted", "scripted")
    spec = RunSpec("r1", str(user), head(user), FixTests(), tests, (agent,))
    workspace = RunWorkspace(spec, tmp_path / "run")
    workspace.ensure_commits()
    view = workspace.open_tree("tests", head(user))
    assert ".tox/py311" in view.carry
    assert prefix_in_the_box(view, tmp_path / "home") == [str(user / ".tox/py311")] * 2
