"""Copies of a project in its environment, by files alone."""

from pathlib import Path

import pytest

from reknit.app.start.pythons.own_copy import own_copy
from tests.app.start.pythons.made_python import installation, venv

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
    assert own_copy(python, tmp_path, TRACKED) == "none"
    copy(site, "shop/__init__.py")
    assert own_copy(python, tmp_path, TRACKED) == "plain"
    assert own_copy(python, tmp_path, ["shop/__init__.py"]) == "none", "it is not in src: it comes first anyway"


def test_another_package_of_the_namespace_is_not_a_copy(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "zope/interface/__init__.py")
    assert own_copy(python, tmp_path, ["src/zope/event/__init__.py"]) == "none"


def test_one_equal_path_of_many_is_another_package(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "tests/__init__.py")
    assert own_copy(python, tmp_path, ["src/tests/__init__.py", "src/shop/__init__.py", "src/shop/a.py"]) == "none"


def test_a_link_to_the_source_is_not_a_copy(tmp_path: Path, python: str, site: Path) -> None:
    copy(tmp_path / "src", "shop/__init__.py")
    (site / "shop").symlink_to(tmp_path / "src" / "shop")
    assert own_copy(python, tmp_path, TRACKED) == "none"


def test_a_compiled_copy_can_be_replaced_only_by_a_source_that_is_built(
    tmp_path: Path, python: str, site: Path
) -> None:
    copy(site, "shop/__init__.py", "shop/_fast.cpython-311-x86_64-linux-gnu.so")
    assert own_copy(python, tmp_path, TRACKED) == "compiled"
    copy(tmp_path / "src", "shop/_fast.cpython-311-x86_64-linux-gnu.so")
    assert own_copy(python, tmp_path, TRACKED) == "plain"


def test_a_single_module(tmp_path: Path, python: str, site: Path) -> None:
    copy(site, "six.py", "other.so")
    assert own_copy(python, tmp_path, ["src/six.py"]) == "plain"
