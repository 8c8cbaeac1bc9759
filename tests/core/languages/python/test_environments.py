"""The names of environments, as the tools themselves make them for these paths."""

import pytest

from reknit.core.languages.python.environments import (
    build_hatch_path,
    build_pdm_prefix,
    build_pipenv_name,
    build_poetry_name,
    read_conda_name,
    read_pyenv_version,
)

WORK = "/home/me/work"
POETRY = '[project]\nname = "My.Shop_x"\n[tool.poetry]\npackage-mode = false\n'
HATCH = '[project]\nname = "Hat_Shop"\n[tool.hatch.envs.default]\nskip-install = true\n'


def test_what_the_tools_call_them() -> None:
    assert build_poetry_name(POETRY, f"{WORK}/Po etry") == "my-shop-x-HVTASXq1"
    assert build_pdm_prefix(f"{WORK}/pdmp") == "pdmp-D_vYR8Q8-"
    assert build_pipenv_name(f"{WORK}/pipe/Pipfile") == "pipe-GktitKff"
    assert build_hatch_path(HATCH, f"{WORK}/hat") == "hat-shop/MRmAbNNs"


@pytest.mark.parametrize(
    ("pyproject", "name"),
    [
        pytest.param('[tool.poetry]\nname = "Shop"\n', "shop", id="poetry's-own-table"),
        pytest.param("[tool.poetry]\npackage-mode = false\n", "non-package-mode", id="no-name"),
        pytest.param('[tool.poetry]\nname = "a b"\n', "a_b", id="a-name-with-a-space"),
        pytest.param(f'[tool.poetry]\nname = "{50 * "x"}"\n', 42 * "x", id="a-long-name"),
        pytest.param(
            '[project]\nname = "shop"\n[build-system]\nbuild-backend = "poetry.core.masonry.api"\n',
            "shop",
            id="backend",
        ),
    ],
)
def test_poetrys_names(pyproject: str, name: str) -> None:
    assert build_poetry_name(pyproject, "/work") == f"{name}-DJpFP61h"


@pytest.mark.parametrize(
    "pyproject",
    ['[project]\nname = "shop"\n', "", "not toml [", "tool = 1\nproject = 2\n[build-system]\nbuild-backend = 3\n"],
)
def test_a_project_of_neither_has_no_name(pyproject: str) -> None:
    assert (build_poetry_name(pyproject, "/work"), build_hatch_path(pyproject, "/work")) == ("", "")


@pytest.mark.parametrize(
    "pyproject",
    [
        '[project]\nname = "../x"\n[tool.hatch.envs]\n',
        "[tool.hatch.version]\npath = 'x'\n",
        '[project]\nname = "/x"\n[build-system]\nbuild-backend = "hatchling.build"\n',
    ],
)
def test_a_name_that_is_no_folder_has_no_place(pyproject: str) -> None:
    assert build_hatch_path(pyproject, "/work") == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("name: shop\ndependencies:\n", "shop"),
        ("channels: [x]\nname: 'shop-1.x'  # ours\n", "shop-1.x"),
        ("name: base\n", ""),
        ("name: ../../etc\n", ""),
        ("name: ..\n", ""),
        ("  name: inner\n", ""),
        ("", ""),
    ],
)
def test_the_environment_that_a_conda_file_names(text: str, name: str) -> None:
    assert read_conda_name(text) == name


@pytest.mark.parametrize(
    ("text", "version"), [("3.11\n3.12\n", "3.11"), ("../x", ""), ("", ""), ("pypy3.10-7", "pypy3.10-7")]
)
def test_the_version_that_a_file_names(text: str, version: str) -> None:
    assert read_pyenv_version(text) == version
