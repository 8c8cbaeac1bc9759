"""Which package managers a set-up's command uses, and which programs it starts."""

import posixpath
from typing import Literal, get_args

from reknit.core.setup.inputs import words_of

Client = Literal["pip", "uv", "poetry", "npm", "yarn", "cargo", "go"]
"""Each reads its own configuration. `poetry` also stands for pdm and pipenv, `npm` for pnpm and bun."""
CLIENTS: tuple[Client, ...] = get_args(Client)

_CLIENT_OF: dict[str, Client] = {
    "pip": "pip", "pip3": "pip", "uv": "uv", "uvx": "uv", "poetry": "poetry", "pdm": "poetry", "pipenv": "poetry",
    "npm": "npm", "npx": "npm", "pnpm": "npm", "bun": "npm", "yarn": "yarn", "cargo": "cargo", "go": "go",
}  # fmt: skip
_PROGRAMS = frozenset({
    *_CLIENT_OF, "python", "python3", "node", "corepack", "make", "just", "git", "rustc", "gcc", "cc",
})  # fmt: skip
_PYTHON = frozenset({"pip", "uv", "poetry"})
_STARTED_BY = {"npm": ("node",), "yarn": ("node",)}


def clients_of(command: str) -> tuple[Client, ...]:
    """Every client if the command names none, as a script does."""
    named = {posixpath.basename(word) for word in words_of(command)}
    found = {_CLIENT_OF[name] for name in named if name in _CLIENT_OF}
    return tuple(client for client in CLIENTS if client in found) or CLIENTS


def is_python(command: str) -> bool:
    """Whether it makes the environment that Python tests run in."""
    names = {posixpath.basename(word) for word in words_of(command)}
    return any(_CLIENT_OF.get(name) in _PYTHON for name in names)


def programs_of_setup(command: str) -> tuple[str, ...]:
    """What the box must show, by name."""
    named = [word for word in words_of(command) if word in _PROGRAMS]
    more = [program for client in clients_of(command) for program in _STARTED_BY.get(client, ())]
    return tuple(dict.fromkeys((*named, *more)))
