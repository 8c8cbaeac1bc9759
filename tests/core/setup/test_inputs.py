"""Which files make the key of a layer."""

import pytest

from reknit.core.setup.inputs import (
    CLIENTS,
    find_clients,
    hash_layer_key,
    installs_python,
    list_changed_inputs,
    list_inputs,
    list_programs,
    split_words,
    to_setup_command,
)
from reknit.core.setup.layers import Setup

PATHS = (
    "package.json",
    "package-lock.json",
    "src/index.ts",
    "web/package.json",
    "web/app.ts",
    "api/requirements/dev.txt",
    "api/pyproject.toml",
    "scripts/install.sh",
    "scripts/lib.sh",
    "tools/wheels/one.whl",
    "install.sh",
)


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        pytest.param(
            Setup("", "npm ci"),
            ("api/pyproject.toml", "api/requirements/dev.txt", "package-lock.json", "package.json", "web/package.json"),
            id="manifests-and-lockfiles-below-the-folder",
        ),
        pytest.param(
            Setup("web", "npm ci"),
            ("package-lock.json", "package.json", "web/package.json"),
            id="and-above-it-but-not-beside-it",
        ),
        pytest.param(
            Setup("web", "../scripts/install.sh"),
            ("package-lock.json", "package.json", "scripts/install.sh", "scripts/lib.sh", "web/package.json"),
            id="a-script-with-its-neighbours",
        ),
        pytest.param(
            Setup("web", "sh ../install.sh && pip install ../tools/wheels"),
            ("install.sh", "package-lock.json", "package.json", "tools/wheels/one.whl", "web/package.json"),
            id="a-script-at-the-top-and-a-folder",
        ),
        pytest.param(
            Setup("api", "pip install -e ."),
            ("api/pyproject.toml", "api/requirements/dev.txt", "package-lock.json", "package.json"),
            id="the-folder-itself-is-not-named",
        ),
    ],
)
def test_inputs(setup: Setup, expected: tuple[str, ...]) -> None:
    assert list_inputs(setup, PATHS) == expected


def test_every_part_makes_another_key() -> None:
    setup, inputs, tools = Setup("web", "npm ci"), {"package.json": "1"}, ["npm 1"]
    keys = {
        hash_layer_key(setup, "/home/me/shop", inputs, tools),
        hash_layer_key(Setup("", "npm ci"), "/home/me/shop", inputs, tools),
        hash_layer_key(Setup("web", "npm ci --force"), "/home/me/shop", inputs, tools),
        hash_layer_key(setup, "/home/me/copy", inputs, tools),
        hash_layer_key(setup, "/home/me/shop", {"package.json": "2"}, tools),
        hash_layer_key(setup, "/home/me/shop", inputs, ["npm 2"]),
        hash_layer_key(setup, "/home/me/shop", inputs, tools, "fork"),
    }
    assert len(keys) == 7
    assert hash_layer_key(setup, "/home/me/shop", dict(inputs), list(tools)) in keys


def test_words_of_a_shell_command() -> None:
    assert split_words("python3 -m venv .venv&&.venv/bin/pip install -r 'a b.txt'") == (
        *("python3", "-m", "venv", ".venv", ".venv/bin/pip", "install", "-r", "a", "b.txt"),
    )


def test_as_typed() -> None:
    assert to_setup_command(Setup("", "npm ci")) == "npm ci"
    assert to_setup_command(Setup("my web", "npm ci")) == "cd 'my web' && npm ci"


def test_where_a_head_asks_for_another_set_up() -> None:
    base = {"package.json": "1", "yarn.lock": "1", "reknit.toml": "1", "a.ts": "1", ".npmrc": "1"}
    head = {"package.json": "2", "yarn.lock": "1", "reknit.toml": "2", "a.ts": "2", "go.mod": "1"}
    changed = (".npmrc", "go.mod", "package.json", "reknit.toml")
    assert list_changed_inputs(Setup("", "yarn install"), base, head) == changed
    assert list_changed_inputs(Setup("", "yarn install"), base, base) == ()


@pytest.mark.parametrize(
    ("command", "clients", "programs", "python"),
    [
        ("npm ci", ("npm",), ("npm", "node"), False),
        ("yarn install --immutable", ("yarn",), ("yarn", "node"), False),
        ("python3 -m venv .venv && .venv/bin/pip install -e .", ("pip",), ("python3",), True),
        ("uv sync --frozen && npm ci", ("uv", "npm"), ("uv", "npm", "node"), True),
        ("pdm install", ("poetry",), ("pdm",), True),
        ("cargo fetch --locked", ("cargo",), ("cargo",), False),
        ("./install.sh", CLIENTS, ("node",), False),
    ],
)
def test_a_command(command: str, clients: tuple[str, ...], programs: tuple[str, ...], python: bool) -> None:
    assert find_clients(command) == clients
    assert list_programs(command) == programs
    assert installs_python(command) is python
