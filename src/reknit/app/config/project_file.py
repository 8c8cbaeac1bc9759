"""`reknit.toml` in the folder of a project: how its tests are run, what runs beside them, what they need installed."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from reknit.app.config import schema as config_schema
from reknit.app.config.errors import combined, dotted, explained, line_of, unknown_setting
from reknit.app.config.load import Config
from reknit.app.config.project_sections import ProjectSection, TestsSection
from reknit.app.config.repository_settings import refuse_program_outside
from reknit.app.config.section import Section
from reknit.app.config.service_section import ServiceSection
from reknit.app.config.sources import ConfigFile, project_file
from reknit.core.errors import UsageProblem


class _Checks(Section):
    tests: TestsSection = TestsSection()


class _ProjectFile(Section):
    setup: str = ""
    checks: _Checks = _Checks()
    services: tuple[ServiceSection, ...] = ()


def project_settings(repository: Path, folder: str) -> ProjectSection:
    """Empty settings if the project has no such file."""
    file = project_file(repository, folder)
    if file is None:
        return ProjectSection()
    given = list(config_schema.given(file.table, _ProjectFile))
    problems = [_not_here(file, setting.path) for setting in given if setting.field is None]
    if problems:
        raise combined(problems)
    try:
        own = _ProjectFile.model_validate(file.table)
    except ValidationError as problem:
        raise combined([explained(error, [file], _ProjectFile) for error in problem.errors()]) from None
    for setting in given:
        if setting.path[-1] == "run":
            refuse_program_outside(setting, file, repository)
    return ProjectSection(setup=own.setup, tests=own.checks.tests, services=own.services)


def _not_here(file: ConfigFile, path: Sequence[str]) -> UsageProblem:
    known = {dotted(setting.path) for setting in config_schema.given(file.table, Config) if setting.field is not None}
    if not any(f"{name}.".startswith(f"{dotted(path)}.") for name in known):
        return unknown_setting(path, _ProjectFile, line_of(file, path))
    hint = "set it in the reknit.toml at the top of the repository; a project has `checks.tests`, `services`, `setup`"
    return UsageProblem(
        "config", f"`{dotted(path)}` cannot be set for one project", where=line_of(file, path), help=hint
    )
