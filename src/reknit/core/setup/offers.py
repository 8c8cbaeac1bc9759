"""Suggests set-ups by a repository's lockfiles, and by its descriptions for other machines."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.setup.layers import Setup
from reknit.core.text.format import to_one_line

COPILOT = ".github/workflows/copilot-setup-steps.yml"
_COMMANDS = {
    "package-lock.json": "npm ci", "npm-shrinkwrap.json": "npm ci", "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "bun.lock": "bun install --frozen-lockfile", "bun.lockb": "bun install --frozen-lockfile",
    "uv.lock": "uv sync --frozen", "poetry.lock": "poetry install", "pdm.lock": "pdm sync",
    "Pipfile.lock": "pipenv sync --dev", "Cargo.lock": "cargo fetch --locked", "go.sum": "go mod download",
}  # fmt: skip
_PYTHON = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
_REQUIREMENTS = ("requirements-dev.txt", "dev-requirements.txt", "requirements.txt")
_IN_JSON = re.compile(r'"(?:\\.|[^"\\])*"?|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?')
_LAST_COMMA = re.compile(r",(?=\s{0,1000}[}\]])")
_RUN = re.compile(r"( *)(?:- +)?run: *(.*)")
_BLOCK = ("|", ">")


@dataclass(frozen=True)
class Offer:
    """A set-up that a file suggests."""

    origin: str
    """The file that suggests it."""
    setup: Setup


def offer_by_lockfiles(paths: Collection[str]) -> tuple[Offer, ...]:
    """Return one set-up for each folder with a lockfile, those at the top first."""
    folders = sorted({posixpath.dirname(path) for path in paths}, key=lambda folder: (folder.count("/"), folder))
    return tuple(offer for folder in folders if (offer := _offer_for_folder(folder, paths)))


def find_nearest(folder: str, paths: Collection[str]) -> Offer | None:
    """Return the set-up for a project in this folder: a workspace is installed where its lockfile is."""
    while True:
        if (offer := _offer_for_folder(folder, paths)) or not folder:
            return offer
        folder = posixpath.dirname(folder)


def is_description(path: str) -> bool:
    """Return True if a file describes the preparation of another machine."""
    return posixpath.basename(path) in ("devcontainer.json", ".devcontainer.json") or path == COPILOT


def offer_by_descriptions(texts: Mapping[str, str]) -> tuple[Offer, ...]:
    """Return the set-ups that descriptions suggest. Nobody has asked for these, so they are only shown."""
    offers = []
    for path, text in sorted(texts.items()):
        commands = _read_steps(text) if path == COPILOT else _read_post_create(text)
        if command := " && ".join(to_one_line(part) for part in commands if part.strip()):
            offers.append(Offer(path, Setup("", command)))
    return tuple(offers)


def to_setting(offer: Offer) -> str:
    """Return the line of a `reknit.toml`."""
    return f"setup = {json.dumps(offer.setup.command, ensure_ascii=False)}"


def settings_path(offer: Offer) -> str:
    """Return the path of the `reknit.toml` for this set-up."""
    return posixpath.join(offer.setup.folder, "reknit.toml")


def _offer_for_folder(folder: str, paths: Collection[str]) -> Offer | None:
    here = [name for name in (*_COMMANDS, "yarn.lock") if posixpath.join(folder, name) in paths]
    commands = {name: _COMMANDS.get(name) or _choose_yarn_command(folder, paths) for name in here}
    requirements = [name for name in _REQUIREMENTS if posixpath.join(folder, name) in paths]
    if requirements and not any(name in commands for name in _PYTHON):
        commands[requirements[0]] = f"python3 -m venv .venv && .venv/bin/pip install -r {requirements[0]} pytest"
    if not commands:
        return None
    command = " && ".join(dict.fromkeys(commands.values()))
    return Offer(posixpath.join(folder, next(iter(commands))), Setup(folder, command))


def _choose_yarn_command(folder: str, paths: Collection[str]) -> str:
    is_new = posixpath.join(folder, ".yarnrc.yml") in paths
    return "yarn install --immutable" if is_new else "yarn install --frozen-lockfile"


def _read_post_create(text: str) -> Sequence[str]:
    """Read a command, its words, or several by name."""
    plain = _IN_JSON.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    try:
        document = json.loads(_LAST_COMMA.sub("", plain))
    except (ValueError, RecursionError):
        return ()
    commands = document.get("postCreateCommand") if isinstance(document, dict) else None
    several = [*commands.values()] if isinstance(commands, dict) else [commands]
    return [command for value in several if (command := _join_command(value))]


def _join_command(command: object) -> str:
    if isinstance(command, list):
        return " ".join(str(word) for word in command)
    return command if isinstance(command, str) else ""


def _read_steps(text: str) -> Iterator[str]:
    """Read the `run` lines of a workflow, without a reader of YAML: they are shown, not run."""
    lines = iter(text.splitlines())
    line = next(lines, None)
    while line is not None:
        match, line = _RUN.match(line), next(lines, None)
        if match is None:
            continue
        if not match[2].startswith(_BLOCK):
            yield match[2].strip().strip("\"'")
            continue
        while line is not None and (not line.strip() or line.startswith(f"{match[1]}  ")):
            yield line.strip()
            line = next(lines, None)
