"""`reknit.toml` in the folder of a project: it says how the tests of that project are run, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from reknit.app.config import schema as config_schema
from reknit.app.config.errors import combined, dotted, explained, line_of, unknown_setting
from reknit.app.config.load import Config
from reknit.app.config.project_sections import TestsSection
from reknit.app.config.repository_settings import refuse_program_outside
from reknit.app.config.section import Section
from reknit.app.config.sources import ConfigFile, project_file
from reknit.core.errors import UsageProblem


class _Checks(Section):
    tests: TestsSection = TestsSection()


class _ProjectFile(Section):
    checks: _Checks = _Checks()


def project_tests(repository: Path, folder: str) -> TestsSection:
    """Empty settings if the project has no such file."""
    file = project_file(repository, folder)
    if file is None:
        return TestsSection()
    given = list(config_schema.given(file.table, _ProjectFile))
    problems = [_not_here(file, setting.path) for setting in given if setting.field is None]
    if problems:
        raise combined(problems)
    try:
        tests = _ProjectFile.model_validate(file.table).checks.tests
    except ValidationError as problem:
        raise combined([explained(error, [file], _ProjectFile) for error in problem.errors()]) from None
    for setting in given:
        if setting.path[-1] == "run":
            refuse_program_outside(setting, file, repository)
    return tests


def _not_here(file: ConfigFile, path: Sequence[str]) -> UsageProblem:
    known = {dotted(setting.path) for setting in config_schema.given(file.table, Config) if setting.field is not None}
    if not any(f"{name}.".startswith(f"{dotted(path)}.") for name in known):
        return unknown_setting(path, _ProjectFile, line_of(file, path))
    hint = "set it in the reknit.toml at the top of the repository; here, `checks.tests` says how tests are run"
    return UsageProblem(
        "config", f"`{dotted(path)}` cannot be set for one project", where=line_of(file, path), help=hint
    )
