"""The projects of a repository and how their tests are run, as configured or as detected."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.errors import combined
from reknit.app.config.load import Config
from reknit.app.config.project_file import project_tests
from reknit.app.config.project_sections import TestsSection
from reknit.app.installation import Installation
from reknit.app.start.missing import missing
from reknit.app.start.pythons.environment import python_of
from reknit.app.start.pythons.own_copy import SOURCES, own_copy
from reknit.core.causes.left_out import LeftOut, left_out_text
from reknit.core.errors import UsageProblem
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import as_typed, parse_user_command
from reknit.core.testing.detect import MANIFESTS
from reknit.core.testing.projects.find import OWN_FILE, choose, find_projects, may_be_project
from reknit.core.text.format import first_few

MOST_PROJECTS = 30
"""In one run: each is run several times, one after the other."""


@dataclass(frozen=True)
class ProjectsToTest:
    tests: tuple[TestCommand, ...]
    """At least one."""
    notes: tuple[str, ...] = ()
    unready: tuple[LeftOut, ...] = ()
    """Projects that are left out because something is missing, each with the command that gets it."""


@dataclass(frozen=True)
class ProjectSelection:
    """What chooses the projects of a run; nothing given: every project."""

    folder: Path | None = None
    """Where the user is."""
    named: Sequence[str] = ()
    """Tests, from the top of the repository."""
    changed: Sequence[str] = ()


EVERYTHING = ProjectSelection()


def projects_to_test(
    place: Installation, repository: UserRepository, config: Config,
    selection: ProjectSelection = EVERYTHING, *, rules: Path | None = None,
) -> ProjectsToTest:  # fmt: skip
    """`rules`: where the files of the projects are read, if it is not the working tree."""
    here = _below(selection.folder, repository) if selection.folder else ""
    known = every_project(place, repository, config, rules)
    chosen = choose(known, here, selection.named, selection.changed)
    if not chosen:
        what = "no tests were found in this repository"
        raise UsageProblem("no-tests", what, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    if len(chosen) > MOST_PROJECTS:
        what = f"{len(chosen)} projects have tests, and one run looks at {MOST_PROJECTS} at most"
        hint = "name tests, go to the folder of a project, or set `projects`"
        raise UsageProblem("too-many-projects", what, help=hint)
    ready = _ready(place, repository, chosen)
    if len(chosen) == len(known) or selection.named:
        return ready
    only = first_few(sorted({tests.folder or "." for tests in chosen}))
    return replace(ready, notes=(f"only {only}, of {len(known)} projects; from the top folder: all", *ready.notes))


def _ready(place: Installation, repository: UserRepository, chosen: Sequence[TestCommand]) -> ProjectsToTest:
    tracked = repository.tracked()
    lacking = [missing(repository, tests.folder, tests.runner, tracked, place.environment) for tests in chosen]
    blocking = [[one for one in found if one.kind != "submodule"] for found in lacking]
    ready = tuple(tests for tests, found in zip(chosen, blocking, strict=True) if not found)
    if not ready:
        first = blocking[0][0]
        where = f"{chosen[0].folder}: " if chosen[0].folder else ""
        raise UsageProblem("not-installed", f"{where}{first.what}", help=first.command)
    unready: tuple[LeftOut, ...] = tuple(
        ((), f"`{as_typed(tests)}` was not run: {found[0].what}", f"`{found[0].command}`")
        for tests, found in zip(chosen, blocking, strict=True)
        if found
    )
    empty = [f"{one.what}: `{one.command}`" for found in lacking for one in found if one.kind == "submodule"]
    left_out = [f"left out: {left_out_text([each])}" for each in unready]
    return ProjectsToTest(ready, (*left_out, *dict.fromkeys(empty)), unready)


def every_project(
    place: Installation, repository: UserRepository, config: Config, rules: Path | None = None
) -> tuple[TestCommand, ...]:
    if config.checks.tests.run:
        found = [_as_written(config.checks.tests, "", "checks.tests.run")]
    else:
        known = [_preferred(place, repository, commands) for commands in detected(repository)]
        own = _with_own_files(repository, known, rules or Path(repository.root))
        found = list(_declared(repository, config, known) if config.projects else own)
    return tuple(_with_interpreter(place, repository, tests) for tests in found)


def detected(repository: UserRepository) -> tuple[tuple[TestCommand, ...], ...]:
    tracked = repository.tracked()
    texts = repository.texts([path for path in tracked if posixpath.basename(path) in MANIFESTS])
    return find_projects({path: texts.get(path) for path in tracked})


def _preferred(place: Installation, repository: UserRepository, commands: Sequence[TestCommand]) -> TestCommand:
    """unittest, if the tests need no more than that and the project's Python has no pytest."""
    first, *others = commands
    plain = next((tests for tests in others if tests.runner == "unittest"), None)
    if first.runner != "pytest" or plain is None:
        return first
    return first if python_of(Path(repository.root), first.folder, place.environment).has_pytest else plain


def _with_interpreter(place: Installation, repository: UserRepository, tests: TestCommand) -> TestCommand:
    """`python` as the interpreter of the project's own environment."""
    if tests.argv[0] != "python":
        return tests
    found = python_of(Path(repository.root), tests.folder, place.environment)
    if not found.path:
        return tests
    return replace(tests, argv=(found.path, *tests.argv[1:]), env=(*tests.env, *_path(repository, tests, found.path)))


def _path(repository: UserRepository, tests: TestCommand, python: str) -> tuple[tuple[str, str], ...]:
    """The source before a copy of it in the environment: otherwise no change to the source could be seen."""
    project = Path(repository.root, tests.folder)
    is_hidden = own_copy(python, project, repository.tracked(), tests.folder) == "plain"
    is_set = any(name == "PYTHONPATH" for name, _ in tests.env)
    return (("PYTHONPATH", SOURCES),) if is_hidden and not is_set else ()


def own_files(repository: UserRepository) -> tuple[str, ...]:
    """The files of the projects, also those that git does not track yet."""
    known = (*repository.tracked(), *repository.untracked())
    return tuple(path for path in known if path.endswith(f"/{OWN_FILE}") and may_be_project(path))


def check_own_files(repository: UserRepository) -> None:
    """All that is wrong in them, at once."""
    problems = []
    for path in own_files(repository):
        try:
            project_tests(Path(repository.root), posixpath.dirname(path))
        except UsageProblem as problem:
            problems.append(problem)
    if problems:
        raise combined(problems)


def _with_own_files(repository: UserRepository, found: Sequence[TestCommand], rules: Path) -> Iterator[TestCommand]:
    """A `reknit.toml` in a folder makes it a project, and its command replaces what was detected there."""
    own = map(posixpath.dirname, own_files(repository))
    written = {folder: tests for folder in own if (tests := project_tests(rules, folder)).run}
    yield from (command for command in found if command.folder not in written)
    for folder, tests in sorted(written.items()):
        yield _as_written(tests, folder, OWN_FILE)


def _declared(repository: UserRepository, config: Config, found: Sequence[TestCommand]) -> Iterator[TestCommand]:
    for folder, tests in ((project.folder, project.tests) for project in config.projects):
        there = [command for command in found if command.folder == folder]
        if folder and not any(path.startswith(f"{folder}/") for path in repository.tracked()):
            raise UsageProblem("config", f"projects: git tracks no files in the folder {folder!r}")
        if not tests.run and not there:
            what = f"projects: no tests were found in {folder or 'the top folder'!r}"
            raise UsageProblem("config", what, help='give the project a command: tests = { run = "pytest -q" }')
        yield from [_as_written(tests, folder, "projects")] if tests.run else there


def _as_written(tests: TestsSection, folder: str, origin: str) -> TestCommand:
    command = parse_user_command(tests.run, tests.report)
    return replace(command, folder=posixpath.join(folder, command.folder).rstrip("/"), origin=origin)


def _below(folder: Path, repository: UserRepository) -> str:
    here = folder.resolve()
    root = Path(repository.root).resolve()
    return "" if here == root or not here.is_relative_to(root) else here.relative_to(root).as_posix()
