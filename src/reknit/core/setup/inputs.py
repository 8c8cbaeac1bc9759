"""Which files of a repository decide what a set-up installs, and the key that a layer is kept by."""

import hashlib
import json
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from reknit.core.repository.paths import is_below
from reknit.core.setup.values import Setup

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
"""It may name another command."""
_PATTERNS = ("*requirements*.txt", "*requirements*.in", "constraints*.txt")
_FOLDERS = ("requirements/", ".cargo/", ".yarn/patches/", "patches/")
_WORD = re.compile(r"[^\s;&|<>()$`'\"=]+")


def inputs_of(setup: Setup, paths: Sequence[str]) -> tuple[str, ...]:
    """Of the tracked files: manifests and lockfiles in the project's folder, below and above it; and what the command
    names, scripts with everything beside them.
    """
    return tuple(sorted(path for path in paths if _is_manifest(setup.folder, path) or _is_named(setup, path)))


def changed_inputs(setup: Setup, base: Mapping[str, str], head: Mapping[str, str]) -> tuple[str, ...]:
    """Where a head asks for another set-up than its base has. Each: path -> id of its content."""
    both = {*base, *head}
    known = {*inputs_of(setup, [*both]), *(path for path in both if posixpath.basename(path) == SETTINGS)}
    return tuple(sorted(path for path in known if base.get(path) != head.get(path)))


def layer_key(
    setup: Setup, repository: str, inputs: Mapping[str, str], toolchain: Sequence[str], remote: str = ""
) -> str:
    """Return a digest. `repository`: its path, which installed programs contain. `inputs`: path -> id of its content.

    `remote`: of `sharing.remote_id`. A fork may be cloned to a path first, and the official repository later.
    """
    parts = [VERSION, setup.folder, setup.command, repository, sorted(inputs.items()), [*toolchain], remote]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def words_of(command: str) -> tuple[str, ...]:
    """Its words, whatever shell syntax is between them."""
    return tuple(_WORD.findall(command))


def in_folder(setup: Setup) -> str:
    """As a person would type it in the repository's root."""
    return f"cd {shlex.quote(setup.folder)} && {setup.command}" if setup.folder else setup.command


def _is_manifest(project: str, path: str) -> bool:
    folder, name = posixpath.split(path)
    is_near = is_below(path, project) or is_below(f"{project}/", folder)
    is_one = name in _NAMES or any(fnmatchcase(name, pattern) for pattern in _PATTERNS)
    return is_near and (is_one or any(f"/{each}" in f"/{path}" for each in _FOLDERS))


def _is_named(setup: Setup, path: str) -> bool:
    for word in words_of(setup.command):
        named = posixpath.normpath(posixpath.join(setup.folder, word))
        beside = posixpath.dirname(named)
        is_inside = named not in (".", setup.folder) and is_below(path, named)
        if path == named or is_inside:
            return True
        if "/" in word and beside not in ("", ".", setup.folder) and posixpath.dirname(path) == beside:
            return True
    return False
