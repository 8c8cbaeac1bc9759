"""The projects of a repository and how their tests are run, as configured or as detected."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.config.project_file import project_tests
from reknit.app.config.sections import TestsSection
from reknit.core.errors import UsageProblem
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import parse_user_command
from reknit.core.testing.detect import MANIFESTS
from reknit.core.testing.projects import OWN_FILE, choose, find_projects

MOST_PROJECTS = 30
"""In one run: each is run several times, one after the other."""


def projects_to_test(
    repository: UserRepository, config: Config, *,
    folder: Path | None = None, named: Sequence[str] = (), changed: Sequence[str] = (), rules: Path | None = None,
) -> tuple[TestCommand, ...]:  # fmt: skip
    """`folder`: where the user is; `named`: tests the user named, from the top of the repository.

    `rules`: where the files of the projects are read, if it is not the working tree.
    """
    here = _below(folder, repository) if folder else ""
    chosen = choose(every_project(repository, config, rules), here, named, changed)
    if not chosen:
        what = "no tests were found in this repository"
        raise UsageProblem("no-tests", what, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    if len(chosen) > MOST_PROJECTS:
        what = f"{len(chosen)} projects have tests, and one run looks at {MOST_PROJECTS} at most"
        hint = "name tests, go to the folder of a project, or set `projects`"
        raise UsageProblem("too-many-projects", what, help=hint)
    return chosen


def every_project(repository: UserRepository, config: Config, rules: Path | None = None) -> tuple[TestCommand, ...]:
    if config.checks.tests.run:
        return (_as_written(config.checks.tests, "", "checks.tests.run"),)
    found = [_preferred(commands) for commands in detected(repository)]
    if not config.projects:
        return tuple(_with_own_files(repository, found, rules or Path(repository.root)))
    return tuple(command for project in config.projects for command in _declared(project.folder, project.tests, found))


def detected(repository: UserRepository) -> tuple[tuple[TestCommand, ...], ...]:
    tracked = repository.tracked()
    texts = repository.texts([path for path in tracked if posixpath.basename(path) in MANIFESTS])
    return find_projects({path: texts.get(path) for path in tracked})


def _preferred(commands: Sequence[TestCommand]) -> TestCommand:
    return commands[0]


def own_files(repository: UserRepository) -> tuple[str, ...]:
    """The files of the projects, also those that git does not track yet."""
    return tuple(path for path in (*repository.tracked(), *repository.untracked()) if path.endswith(f"/{OWN_FILE}"))


def _with_own_files(repository: UserRepository, found: Sequence[TestCommand], rules: Path) -> Iterator[TestCommand]:
    """A `reknit.toml` in a folder makes it a project, and its command replaces what was detected there."""
    own = map(posixpath.dirname, own_files(repository))
    written = {folder: tests for folder in own if (tests := project_tests(rules, folder)).run}
    yield from (command for command in found if command.folder not in written)
    for folder, tests in sorted(written.items()):
        yield _as_written(tests, folder, OWN_FILE)


def _declared(folder: str, tests: TestsSection, found: Sequence[TestCommand]) -> tuple[TestCommand, ...]:
    if tests.run:
        return (_as_written(tests, folder, "projects"),)
    there = tuple(command for command in found if command.folder == folder)
    if not there:
        what = f"projects: no tests were found in {folder or 'the top folder'!r}"
        raise UsageProblem("config", what, help='give the project a command: tests = { run = "pytest -q" }')
    return there


def _as_written(tests: TestsSection, folder: str, origin: str) -> TestCommand:
    try:
        command = parse_user_command(tests.run, tests.report)
    except ValueError as problem:
        raise UsageProblem("config", f"{posixpath.join(folder, origin)}: {problem}") from None
    return replace(command, folder=posixpath.join(folder, command.folder).rstrip("/"), origin=origin)


def _below(folder: Path, repository: UserRepository) -> str:
    here = folder.resolve()
    root = Path(repository.root).resolve()
    return "" if here == root or not here.is_relative_to(root) else here.relative_to(root).as_posix()
