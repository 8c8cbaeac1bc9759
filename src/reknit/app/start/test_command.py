"""The repository's test command, as configured or as detected."""

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.core.errors import UsageProblem
from reknit.core.testing.command import TestCommand
from reknit.core.testing.detect import MANIFESTS, detect, parse_user_command


def test_command(repository: UserRepository, config: Config) -> TestCommand:
    settings = config.checks.tests
    if settings.run:
        try:
            return parse_user_command(settings.run, settings.report)
        except ValueError as problem:
            raise UsageProblem("config", f"checks.tests.run: {problem}") from None
    found = find_tests(repository)
    if not found:
        what = "no tests were found in this repository"
        raise UsageProblem("no-tests", what, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    return found[0]


def find_tests(repository: UserRepository) -> tuple[TestCommand, ...]:
    tracked = repository.tracked()
    wanted = {path for path in tracked if path.rsplit("/", 1)[-1] in MANIFESTS and path.count("/") <= 1}
    return detect({path: repository.read(path) if path in wanted else None for path in tracked})
