"""The first reknit.toml: only what was detected, each line with its reason."""

from pathlib import Path

import tomlkit

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.start.test_command import find_tests


def initial_config(folder: Path) -> tuple[Path, str]:
    repository = UserRepository.find(str(folder))
    config = Config()
    found = find_tests(repository)
    document = tomlkit.document()
    document.add("fixer", tomlkit.string(config.fixer).comment("who edits the code"))
    loop = tomlkit.table()
    loop.add(
        "attempts", tomlkit.integer(config.loop.attempts).comment("on one test: local, search, deep; then DEFERRED")
    )
    loop.add("budget_usd", tomlkit.float_(config.loop.budget_usd).comment("the most a run may spend; then OVER_BUDGET"))
    document.add("loop", loop)
    if found:
        document.add(tomlkit.nl())
        document.add(tomlkit.comment(f"tests: found in {found[0].origin}: {' '.join(found[0].argv[:3])}"))
        document.add(tomlkit.comment('to run them otherwise: [checks] tests = { run = "pytest -q" }'))
    return Path(repository.root) / "reknit.toml", tomlkit.dumps(document)
