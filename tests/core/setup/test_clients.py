"""Which package managers and programs a command uses."""

import pytest

from reknit.core.setup.clients import CLIENTS, clients_of, is_python, programs_of_setup


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
    assert clients_of(command) == clients
    assert programs_of_setup(command) == programs
    assert is_python(command) is python
