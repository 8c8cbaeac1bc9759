"""The initial reknit.toml: only what was detected, each line with its reason."""

from pathlib import Path

import tomlkit

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.start.projects import every_project
from reknit.core.testing.command_line import as_typed


def initial_config(place: Installation, folder: Path) -> tuple[Path, str]:
    repository = UserRepository.find(str(folder))
    config = Config()
    found = every_project(place, repository, config)
    document = tomlkit.document()
    document.add("fixer", tomlkit.string(config.fixer).comment("the agent that edits the code"))
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
