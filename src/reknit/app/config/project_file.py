"""Reads the `reknit.toml` of single projects: their tests, services and set-ups."""

import posixpath
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from reknit.app.config.errors import combine_problems, explain_error, join_name, locate_setting, unknown_setting_problem
from reknit.app.config.load import Config
from reknit.app.config.project_sections import ProjectSection, Section, ServiceSection, TestsSection
from reknit.app.config.repository_settings import refuse_program_outside
from reknit.app.config.sources import ConfigFile, find_project_file, find_settings
from reknit.core.errors import UsageError
from reknit.core.repository.paths import is_below
from reknit.core.setup.inputs import installs_python
from reknit.core.setup.layers import Setup
from reknit.core.testing.command import TestCommand


class _Checks(Section):
    tests: TestsSection = TestsSection()


class _ProjectFile(Section):
    setup: str = ""
    checks: _Checks = _Checks()
    services: tuple[ServiceSection, ...] = ()


def read_project_settings(repository: Path, folder: str) -> ProjectSection:
    """Read the settings of one project. They are empty if the project has no such file."""
    file = find_project_file(repository, folder)
    if file is None:
        return ProjectSection()
    settings = list(find_settings(file.table, _ProjectFile))
    problems = [_misplaced_setting_problem(file, setting.path) for setting in settings if setting.field is None]
    if problems:
        raise combine_problems(problems)
    try:
        own = _ProjectFile.model_validate(file.table)
    except ValidationError as problem:
        raise combine_problems([explain_error(error, [file], _ProjectFile) for error in problem.errors()]) from None
    for setting in settings:
        if setting.path[-1] == "run":
            refuse_program_outside(setting, file, repository)
    return ProjectSection(setup=own.setup, tests=own.checks.tests, services=own.services)


def _misplaced_setting_problem(file: ConfigFile, path: Sequence[str]) -> UsageError:
    known_names = {
        join_name(setting.path) for setting in find_settings(file.table, Config) if setting.field is not None
    }
    if not any(f"{name}.".startswith(f"{join_name(path)}.") for name in known_names):
        return unknown_setting_problem(path, _ProjectFile, locate_setting(file, path))
    hint = "set it in the reknit.toml at the top of the repository; a project has `checks.tests`, `services`, `setup`"
    return UsageError(
        "config", f"`{join_name(path)}` cannot be set for one project", where=locate_setting(file, path), help=hint
    )


def list_setups(config: Config, own_files: Sequence[str], rules: Path) -> tuple[Setup, ...]:
    """List the set-ups of all projects, from the operator's file or the repository's.

    `own_files`: the `reknit.toml` of projects; `rules`: the folder in which they are read.
    """
    if config.box == "host":
        return ()  # it runs as you, with what you have installed
    own_setups = {folder: read_project_settings(rules, folder).setup for folder in map(posixpath.dirname, own_files)}
    configured_setups = {project.folder: project.setup for project in config.projects if project.setup}
    commands = {"": config.setup, **own_setups, **configured_setups}
    return tuple(Setup(folder, command) for folder, command in sorted(commands.items()) if command)


def select_setups(setups: Sequence[Setup], tests: Sequence[TestCommand]) -> tuple[Setup, ...]:
    """Return the set-ups that cover at least one of these tests."""
    return tuple(setup for setup in setups if any(is_below(f"{test.folder}/", setup.folder) for test in tests))


def is_set_up(setups: Sequence[Setup], tests: TestCommand) -> bool:
    """Return True if a set-up installs what these tests need, whatever is installed on this machine."""
    return bool(select_setups(setups, [tests]))


def has_own_python(setups: Sequence[Setup], tests: TestCommand) -> bool:
    """Return True if these tests run with the Python that a set-up installs."""
    return any(installs_python(setup.command) for setup in select_setups(setups, [tests]))
