"""Which set-ups a run needs: those of its projects, from the operator's file or the repository's."""

import posixpath
from collections.abc import Sequence
from pathlib import Path

from reknit.app.config.load import Config
from reknit.app.config.project_file import project_settings
from reknit.core.repository.paths import is_below
from reknit.core.setup.clients import is_python
from reknit.core.setup.values import Setup
from reknit.core.testing.command import TestCommand


def all_setups(config: Config, own_files: Sequence[str], rules: Path) -> tuple[Setup, ...]:
    """`own_files`: the `reknit.toml` of projects; `rules`: the folder in which they are read."""
    if config.box == "host":
        return ()  # it runs as you, with what you have installed
    own = {folder: project_settings(rules, folder).setup for folder in map(posixpath.dirname, own_files)}
    listed = {project.folder: project.setup for project in config.projects if project.setup}
    found = {"": config.setup, **own, **listed}
    return tuple(Setup(folder, command) for folder, command in sorted(found.items()) if command)


def setups_for(setups: Sequence[Setup], tests: Sequence[TestCommand]) -> tuple[Setup, ...]:
    return tuple(setup for setup in setups if any(_covers(setup, each) for each in tests))


def is_set_up(setups: Sequence[Setup], tests: TestCommand) -> bool:
    """What it needs is installed when its tests run, whatever this machine has now."""
    return bool(setups_for(setups, [tests]))


def has_own_python(setups: Sequence[Setup], tests: TestCommand) -> bool:
    """Its tests run with the Python that a set-up installs."""
    return any(is_python(setup.command) for setup in setups_for(setups, [tests]))


def _covers(setup: Setup, tests: TestCommand) -> bool:
    return is_below(f"{tests.folder}/", setup.folder)
