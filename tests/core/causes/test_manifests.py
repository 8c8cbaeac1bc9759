"""What manifests declare, in the forms people write them; one that cannot be read declares nothing."""

import pytest

from reknit.core.causes import manifests

POETRY = (
    '[tool.poetry.dependencies]\npython = "^3.11"\nhttpx = "*"\n[tool.poetry.group.dev.dependencies]\nrespx = "*"\n'
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", POETRY, {"python", "httpx", "respx"}),
        ("pyproject.toml", '[project]\ndependencies = ["A_b.c>=1"]\n', {"a-b-c"}),
        ("pyproject.toml", '[dependency-groups]\ntest = ["x", {include-group = "y"}]\n', {"x"}),
        ("pyproject.toml", "[project", set()),
        ("setup.py", "setup(install_requires=['requests>=2'])", {"requests"}),
        ("requirements/dev.txt", "flask==1\n# no\n", {"flask"}),
        ("environment.yml", "dependencies:\n  - numpy=1\n", {"dependencies", "numpy"}),
        ("package.json", '{"name": "x"}', set()),
    ],
)
def test_python_packages(name: str, text: str, expected: set[str]) -> None:
    assert manifests.is_manifest(name)
    assert manifests.find_python_packages({name: text}) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", POETRY, (3, 11)),
        ("pyproject.toml", '[project]\nrequires-python = "~=3.12"\n', (3, 12)),
        ("setup.py", "setup(python_requires='>=3.8')", (3, 8)),
        ("setup.cfg", "[options]\n", (0, 0)),
        ("tox.ini", "", (0, 0)),
    ],
)
def test_python_needed(name: str, text: str, expected: tuple[int, int]) -> None:
    assert manifests.find_least_python({name: text}) == expected


def test_what_can_be_installed() -> None:
    assert [manifests.is_installable(name, text) for name, text in (
        ("pyproject.toml", "[build-system]\n"), ("pyproject.toml", "[tool.x]\n"), ("setup.py", ""),
        ("setup.cfg", "[metadata]"),
        ("setup.cfg", "[tool:pytest]"),
    )] == [True, False, True, True, False]  # fmt: skip


def test_packages_of_node() -> None:
    texts = {
        "package.json": '{"name": "a", "devDependencies": {"b": "1"}}',
        "x/package.json": "[]",
        "y/package.json": "{",
    }
    assert (manifests.find_node_packages(texts), manifests.find_node_names(texts)) == (
        frozenset({"b"}),
        frozenset({"a"}),
    )
    assert manifests.find_node_names({"package.json": "{}", "a.py": ""}) == frozenset()


def test_scripts_and_submodules() -> None:
    texts = {
        "pyproject.toml": '[tool.poetry.scripts]\nshop = "a:b"\n',
        ".gitmodules": '[submodule "a"]\n\tpath = lib/a/\n',
    }
    assert (manifests.find_python_scripts(texts), manifests.find_submodules(texts)) == (frozenset({"shop"}), ("lib/a",))
    assert not manifests.is_manifest("src/a.py")
