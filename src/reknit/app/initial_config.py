"""The initial reknit.toml: only what was detected, each line with its reason."""

from collections.abc import Iterator
from pathlib import Path

import tomlkit

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.start.projects import every_project
from reknit.core.setup.offers import as_setting, by_descriptions, by_lockfiles, is_description, settings_file
from reknit.core.testing.command_line import as_typed
from reknit.core.text.format import one_line

_MOST_OFFERS = 10


def initial_config(place: Installation, folder: Path) -> tuple[Path, str]:
    repository = UserRepository.find(str(folder))
    config = Config()
    found = every_project(place, repository, config)
    document = tomlkit.document()
    document.add("fixer", tomlkit.string(config.fixer).comment("the agent that edits the code"))
    for line in _setup_lines(repository):
        document.add(tomlkit.comment(line))
    loop = tomlkit.table()
    loop.add("attempts", tomlkit.integer(config.loop.attempts).comment("per test: local, search, deep; then DEFERRED"))
    loop.add("budget_usd", tomlkit.float_(config.loop.budget_usd).comment("maximum cost of a run; then OVER_BUDGET"))
    document.add("loop", loop)
    if found:
        document.add(tomlkit.nl())
        for project in found:
            document.add(tomlkit.comment(f"tests: found in {project.manifest}: {as_typed(project)}"))
        document.add(tomlkit.comment("to use another command:"))
        document.add(tomlkit.comment("[checks.tests]"))
        document.add(tomlkit.comment('run = "pytest -q"'))
    return Path(repository.root) / "reknit.toml", tomlkit.dumps(document)


def _setup_lines(repository: UserRepository) -> Iterator[str]:
    """Offered, never set: what is installed on this machine already needs no set-up."""
    tracked = repository.tracked()
    found = by_lockfiles(tracked)
    if found:
        yield "if the dependencies are not installed on this machine, reknit can install them for the tests:"
    for offer in found[:_MOST_OFFERS]:
        where = f"in {one_line(settings_file(offer))}: " if offer.setup.folder else ""
        yield f"{where}{as_setting(offer)}"
    described = by_descriptions(repository.texts([path for path in tracked if is_description(path)]))
    for offer in described[:_MOST_OFFERS]:
        yield f"{one_line(offer.origin)} prepares machines with:"
        yield as_setting(offer)
