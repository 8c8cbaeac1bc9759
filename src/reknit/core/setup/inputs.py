"""The inputs of a set-up: the files, package managers and programs that its command uses, and the key of its layer."""

import hashlib
import json
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal, get_args

from reknit.core.repository.paths import is_below
from reknit.core.setup.layers import Setup

VERSION = 2
"""Raised when layers of earlier releases can no longer be used."""

_NAMES = frozenset({
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock",
    ".yarnrc", ".yarnrc.yml", ".npmrc", ".pnpmfile.cjs", "bun.lock", "bun.lockb", ".nvmrc", ".node-version",
    "lerna.json", "pylock.toml",
    "pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "uv.toml", "poetry.lock", "poetry.toml", "pdm.lock",
    "Pipfile", "Pipfile.lock", "environment.yml", ".python-version", "MANIFEST.in",
    "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml",
    "go.mod", "go.sum", "go.work", "go.work.sum",
    ".tool-versions", "mise.toml", "Makefile", "makefile", "GNUmakefile", "justfile",
})  # fmt: skip
SETTINGS = "reknit.toml"
"""Settings file of a project; it may name another command."""
_PATTERNS = ("*requirements*.txt", "*requirements*.in", "constraints*.txt")
_FOLDERS = ("requirements/", ".cargo/", ".yarn/patches/", "patches/")
_WORD = re.compile(r"[^\s;&|<>()$`'\"=]+")


def list_inputs(setup: Setup, paths: Sequence[str]) -> tuple[str, ...]:
    """Return the tracked files that decide the result of a set-up.

    They are manifests and lockfiles in the project's folder, below and above it, and files that the command names; of
    scripts also everything beside them.
    """
    return tuple(sorted(path for path in paths if _is_manifest(setup.folder, path) or _is_in_command(setup, path)))


def list_changed_inputs(setup: Setup, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[str, ...]:
    """Return the inputs that differ between a head and its base. Each: path -> id of its content."""
    both = {*base, *head}
    inputs = {*list_inputs(setup, [*both]), *(path for path in both if posixpath.basename(path) == SETTINGS)}
    return tuple(sorted(path for path in inputs if base.get(path) != head.get(path)))


def hash_layer_key(
    setup: Setup, repository: str, inputs: Mapping[str, str], toolchain: Sequence[str], remote: str = ""
) -> str:
    """Return the key of a layer. `repository`: its path, which installed programs contain.

    `inputs`: path -> id of its content. `remote`: of `hash_remotes`, because a fork may be cloned to a path first, and
    the official repository later.
    """
    parts = [VERSION, setup.folder, setup.command, repository, sorted(inputs.items()), [*toolchain], remote]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def split_words(command: str) -> tuple[str, ...]:
    """Return the words of a command, whatever shell syntax is between them."""
    return tuple(_WORD.findall(command))


def to_setup_command(setup: Setup) -> str:
    """Return the command as a person would type it in the repository's root."""
    return f"cd {shlex.quote(setup.folder)} && {setup.command}" if setup.folder else setup.command


def _is_manifest(project: str, path: str) -> bool:
    folder, name = posixpath.split(path)
    is_near = is_below(path, project) or is_below(f"{project}/", folder)
    is_one = name in _NAMES or any(fnmatchcase(name, pattern) for pattern in _PATTERNS)
    return is_near and (is_one or any(f"/{folder}" in f"/{path}" for folder in _FOLDERS))


def _is_in_command(setup: Setup, path: str) -> bool:
    for word in split_words(setup.command):
        target = posixpath.normpath(posixpath.join(setup.folder, word))
        beside = posixpath.dirname(target)
        is_inside = target not in (".", setup.folder) and is_below(path, target)
        if path == target or is_inside:
            return True
        if "/" in word and beside not in ("", ".", setup.folder) and posixpath.dirname(path) == beside:
            return True
    return False


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


def find_clients(command: str) -> tuple[Client, ...]:
    """Return the package managers of a command; all of them if it names none, as a script does."""
    names = {posixpath.basename(word) for word in split_words(command)}
    clients = {_CLIENT_OF[name] for name in names if name in _CLIENT_OF}
    return tuple(client for client in CLIENTS if client in clients) or CLIENTS


def installs_python(command: str) -> bool:
    """Return True if the command makes the environment that Python tests run in."""
    names = {posixpath.basename(word) for word in split_words(command)}
    return any(_CLIENT_OF.get(name) in _PYTHON for name in names)


def list_programs(command: str) -> tuple[str, ...]:
    """Return the names of the programs that the box must show."""
    programs = [word for word in split_words(command) if word in _PROGRAMS]
    more = [program for client in find_clients(command) for program in _STARTED_BY.get(client, ())]
    return tuple(dict.fromkeys((*programs, *more)))
