"""Writes the initial reknit.toml: only detected settings, each line with its reason."""

from collections.abc import Iterator
from pathlib import Path

import tomlkit

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.start.projects import list_projects
from reknit.core.setup.offers import (
    is_description,
    offer_by_descriptions,
    offer_by_lockfiles,
    settings_path,
    to_setting,
)
from reknit.core.testing.command import to_command_line
from reknit.core.text.format import to_one_line

_MAX_OFFERS = 10


def make_initial_config(installation: Installation, folder: Path) -> tuple[Path, str]:
    """Return the path and the text of the initial configuration."""
    repository = UserRepository.find(str(folder))
    config = Config()
    projects = list_projects(installation, repository, config)
    document = tomlkit.document()
    document.add("fixer", tomlkit.string(config.fixer).comment("the agent that edits the code"))
    for line in _list_setup_lines(repository):
        document.add(tomlkit.comment(line))
    loop = tomlkit.table()
    loop.add("attempts", tomlkit.integer(config.loop.attempts).comment("per test: local, search, deep; then DEFERRED"))
    loop.add("budget_usd", tomlkit.float_(config.loop.budget_usd).comment("maximum cost of a run; then OVER_BUDGET"))
    document.add("loop", loop)
    if projects:
        document.add(tomlkit.nl())
        for project in projects:
            document.add(tomlkit.comment(f"tests: found in {project.manifest}: {to_command_line(project)}"))
        document.add(tomlkit.comment("to use another command:"))
        document.add(tomlkit.comment("[checks.tests]"))
        document.add(tomlkit.comment('run = "pytest -q"'))
    return Path(repository.root) / "reknit.toml", tomlkit.dumps(document)


def _list_setup_lines(repository: UserRepository) -> Iterator[str]:
    """List set-ups as comments, never as settings: a machine with the dependencies installed needs none."""
    tracked = repository.tracked()
    offers = offer_by_lockfiles(tracked)
    if offers:
        yield "if the dependencies are not installed on this machine, reknit can install them for the tests:"
    for offer in offers[:_MAX_OFFERS]:
        location = f"in {to_one_line(settings_path(offer))}: " if offer.setup.folder else ""
        yield f"{location}{to_setting(offer)}"
    described = offer_by_descriptions(repository.texts([path for path in tracked if is_description(path)]))
    for offer in described[:_MAX_OFFERS]:
        yield f"{to_one_line(offer.origin)} prepares machines with:"
        yield to_setting(offer)
