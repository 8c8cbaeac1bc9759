"""Pythons and their packages, by their files alone."""

import os
from pathlib import Path

import pytest

from reknit.adapters.files.regular_files import read_text_if_any
from reknit.app.start.pythons.installed import find_interpreter, find_own_copy, find_system_python, has_pytest
from tests.app.start.pythons.made_python import install, installation, venv


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return installation(tmp_path / "sdk")


def test_an_environment_has_a_config_and_a_python(tmp_path: Path, base: Path) -> None:
    assert find_interpreter(tmp_path / "env") == ""
    made = venv(tmp_path / "env", base)
    assert find_interpreter(tmp_path / "env") == made
    base.unlink()
    assert find_interpreter(tmp_path / "env") == "", "its Python is gone"
    installation(tmp_path / "conda", name="python")
    assert find_interpreter(tmp_path / "conda") == ""
    (tmp_path / "conda" / "conda-meta").mkdir()
    assert find_interpreter(tmp_path / "conda") == str(tmp_path / "conda" / "bin" / "python")


def test_pytest_is_looked_up_where_the_interpreter_would(tmp_path: Path, base: Path) -> None:
    home, alone = tmp_path / "home", venv(tmp_path / "alone", base)
    shares = venv(tmp_path / "shares", base, config="include-system-site-packages = true\n")
    assert not has_pytest(str(base), home)
    install(tmp_path / "sdk", "pytest")
    assert has_pytest(str(base), home)
    assert (has_pytest(alone, home), has_pytest(shares, home)) == (False, True)
    install(tmp_path / "alone", "pytest")
    assert has_pytest(alone, home)


@pytest.mark.parametrize(
    "place",
    [
        "home/.local/lib/python3.11/site-packages/pytest/__init__.py",
        "sdk/lib/python3/dist-packages/pytest/__init__.py",
        "sdk/local/lib/python3.11/dist-packages/pytest/__init__.py",
        "sdk/lib/python3.11/site-packages/pytest-8.0.dist-info/METADATA",
    ],
)
def test_a_system_python_has_several_places(tmp_path: Path, base: Path, place: str) -> None:
    assert not has_pytest(str(base), tmp_path / "home")
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    assert has_pytest(str(base), tmp_path / "home")


@pytest.mark.parametrize(
    ("files", "variables", "version"),
    [
        pytest.param({"project/.python-version": "3.12\n"}, {}, "3.12.4", id="the-newest-of-the-projects-version"),
        pytest.param({"project/.tool-versions": "nodejs 20\npython 3.11.7\n"}, {}, "3.11.7", id="asdf's-file"),
        pytest.param({"home/.pyenv/version": "3.11.7\n"}, {}, "3.11.7", id="the-users-default"),
        pytest.param({"project/.python-version": "3.12"}, {"PYENV_VERSION": "3.11.7"}, "3.11.7", id="the-variable"),
        pytest.param({"project/.python-version": "../../x", "home/.pyenv/version": "3.12"}, {}, "3.12.4", id="no-name"),
    ],
)
def test_a_shim_stands_for_the_version_that_is_asked_for(
    tmp_path: Path, files: dict[str, str], variables: dict[str, str], version: str
) -> None:
    for number in ("3.11.7", "3.12.4", "3.12.3"):
        installation(tmp_path / "home/.pyenv/versions" / number, name="python3")
    shim = installation(tmp_path / "home/.pyenv/ignored", name="python3").rename(tmp_path / "shim")
    (tmp_path / "home/.pyenv/shims").mkdir()
    shim = shim.rename(tmp_path / "home/.pyenv/shims/python3")
    project = tmp_path / "project"
    project.mkdir()
    environment = {"PATH": str(shim.parent), "HOME": str(tmp_path / "home")}
    assert find_system_python([project], project, environment) == str(shim)
    assert has_pytest(str(shim), tmp_path / "home"), "unknown: it must not be called missing"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = find_system_python([project], project, environment | variables)
    assert found == str(tmp_path / "home/.pyenv/versions" / version / "bin/python3")


def test_the_repositorys_own_programs_are_not_the_systems(tmp_path: Path) -> None:
    inside = installation(tmp_path / "repository/tools", name="python3")
    outside = installation(tmp_path / "outside", name="python3")
    repository = tmp_path / "repository"
    environment = {"PATH": f"{inside.parent}:bin::{outside.parent}"}
    assert find_system_python([repository], repository, environment) == str(outside)
    assert find_system_python([repository], repository, {"PATH": str(inside.parent)}) == ""


def test_what_is_not_a_file_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert {read_text_if_any(tmp_path / name) for name in ("pipe", "missing", ".")} == {""}


TRACKED = ["src/shop/__init__.py", "src/shop/prices.py", "tests/test_shop.py"]


@pytest.fixture
def python(tmp_path: Path) -> str:
    return venv(tmp_path / "env", installation(tmp_path / "sdk"))


@pytest.fixture
def site(tmp_path: Path, python: str) -> Path:
    assert python
    return tmp_path / "env/lib/python3.11/site-packages"


def copy(site: Path, *names: str) -> None:
    for name in names:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()


def test_a_copy_hides_the_source(tmp_path: Path, python: str, site: Path) -> None:
    assert find_own_copy(python, tmp_path, TRACKED) == "none"
    copy(site, "shop/__init__.py")
    assert find_own_copy(python, tmp_path, TRACKED) == "plain"
    assert find_own_copy(python, tmp_path, ["shop/__init__.py"]) == "none", "it is not in src: it comes first anyway"


def test_another_package_of_the_namespace_is_not_a_copy(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "zope/interface/__init__.py")
    assert find_own_copy(python, tmp_path, ["src/zope/event/__init__.py"]) == "none"


def test_one_equal_path_of_many_is_another_package(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "tests/__init__.py")
    assert find_own_copy(python, tmp_path, ["src/tests/__init__.py", "src/shop/__init__.py", "src/shop/a.py"]) == "none"


def test_a_link_to_the_source_is_not_a_copy(tmp_path: Path, python: str, site: Path) -> None:
    copy(tmp_path / "src", "shop/__init__.py")
    (site / "shop").symlink_to(tmp_path / "src" / "shop")
    assert find_own_copy(python, tmp_path, TRACKED) == "none"


def test_a_compiled_copy_can_be_replaced_only_by_a_source_that_is_built(
    tmp_path: Path, python: str, site: Path
) -> None:
    copy(site, "shop/__init__.py", "shop/_fast.cpython-311-x86_64-linux-gnu.so")
    assert find_own_copy(python, tmp_path, TRACKED) == "compiled"
    copy(tmp_path / "src", "shop/_fast.cpython-311-x86_64-linux-gnu.so")
    assert find_own_copy(python, tmp_path, TRACKED) == "plain"


def test_a_single_module(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "six.py", "other.so")
    assert find_own_copy(python, tmp_path, ["src/six.py"]) == "plain"
