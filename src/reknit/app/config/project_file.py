"""`reknit.toml` in the folder of a project: it says how the tests of that project are run, and nothing else."""

from pathlib import Path

from pydantic import ValidationError

from reknit.app.config import schema as config_schema
from reknit.app.config.errors import combined, dotted, explained, line_of
from reknit.app.config.repository_settings import refuse_program_outside
from reknit.app.config.sections import Section, TestsSection
from reknit.app.config.sources import project_file
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
    for setting in given:
        if setting.field is None:
            what = f"`{dotted(setting.path)}` cannot be set for one project"
            hint = "set it in the reknit.toml at the top of the repository; here, `checks.tests` says how tests are run"
            raise UsageProblem("config", what, where=line_of(file, setting.path), help=hint)
    try:
        tests = _ProjectFile.model_validate(file.table).checks.tests
    except ValidationError as problem:
        raise combined([explained(error, [file], _ProjectFile) for error in problem.errors()]) from None
    for setting in given:
        if setting.path[-1] == "run":
            refuse_program_outside(setting, file, repository)
    return tests
