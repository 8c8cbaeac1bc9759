"""The projects of a repository and how their tests are run, as configured or as detected."""

import contextlib
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.errors import combined
from reknit.app.config.load import Config
from reknit.app.config.project_file import project_settings
from reknit.app.config.project_sections import TestsSection
from reknit.app.config.service_section import ServiceSection
from reknit.app.config.setups import all_setups, has_own_python, is_set_up, setups_for
from reknit.app.installation import Installation
from reknit.app.start.missing import missing, missing_servers
from reknit.app.start.pythons.environment import python_of
from reknit.app.start.pythons.own_copy import SOURCES, own_copy
from reknit.core.causes.left_out import LeftOut, left_out_text
from reknit.core.errors import UsageProblem
from reknit.core.repository.prerequisites import Missing
from reknit.core.setup.offers import as_setting, nearest, settings_file
from reknit.core.setup.values import Setup
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import as_typed, parse_user_command
from reknit.core.testing.detect import MANIFESTS, Files
from reknit.core.testing.projects.browser_tests import browser_tests, with_named
from reknit.core.testing.projects.find import OWN_FILE, choose, find_projects, may_be_project
from reknit.core.testing.runners.javascript import PLAYWRIGHT_CONFIGS
from reknit.core.text.format import first_few, one_line

MOST_PROJECTS = 30
"""In one run: each is run several times, one after the other."""


@dataclass(frozen=True)
class ProjectsToTest:
    tests: tuple[TestCommand, ...]
    """At least one."""
    notes: tuple[str, ...] = ()
    unready: tuple[LeftOut, ...] = ()
    """Projects that are left out because something is missing, each with the command that gets it."""
    setups: tuple[Setup, ...] = ()


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
    own, root = own_files(repository), rules or Path(repository.root)
    known = _every_project(place, repository, config, own, root, selection.named)
    setups = all_setups(config, own, root)
    chosen = choose(known, here, selection.named, selection.changed)
    if not chosen:
        what = "no tests were found in this repository"
        raise UsageProblem("no-tests", what, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    if len(chosen) > MOST_PROJECTS:
        what = f"{len(chosen)} projects have tests, and one run looks at {MOST_PROJECTS} at most"
        hint = "name tests, go to the folder of a project, or set `projects`"
        raise UsageProblem("too-many-projects", what, help=hint)
    ready = _ready(place, repository, chosen, setups)
    if len(chosen) == len(known) or selection.named:
        return ready
    only = first_few(sorted({tests.folder or "." for tests in chosen}))
    return replace(ready, notes=(f"only {only}, of {len(known)} projects; from the top folder: all", *ready.notes))


def _ready(
    place: Installation, repository: UserRepository, chosen: Sequence[TestCommand], setups: Sequence[Setup]
) -> ProjectsToTest:
    tracked = repository.tracked()
    lacking = [
        (
            *missing(repository, tests.folder, tests.runner, tracked, place.environment),
            *missing_servers(tests.services, place.environment),
        )
        for tests in chosen
    ]
    blocking = [
        [one for one in found if one.kind == "program" or (one.kind != "submodule" and not is_set_up(setups, tests))]
        for tests, found in zip(chosen, lacking, strict=True)
    ]
    ready = tuple(tests for tests, found in zip(chosen, blocking, strict=True) if not found)
    if not ready:
        first = blocking[0][0]
        where = f"{chosen[0].folder}: " if chosen[0].folder else ""
        raise UsageProblem("not-installed", f"{where}{first.what}", help=_help(first, chosen[0], tracked))
    unready: tuple[LeftOut, ...] = tuple(
        ((), f"`{as_typed(tests)}` was not run: {found[0].what}", f"`{found[0].command}`")
        for tests, found in zip(chosen, blocking, strict=True)
        if found
    )
    empty = [f"{one.what}: `{one.command}`" for found in lacking for one in found if one.kind == "submodule"]
    left_out = [f"left out: {left_out_text([each])}" for each in unready]
    return ProjectsToTest(ready, (*left_out, *dict.fromkeys(empty)), unready, setups_for(setups, ready))


def _help(lacking: Missing, tests: TestCommand, tracked: Sequence[str]) -> str:
    offer = nearest(tests.folder, frozenset(tracked)) if lacking.kind in ("packages", "python") else None
    if offer is None:
        return lacking.command
    return f"{lacking.command}; or, in {one_line(settings_file(offer))}, let reknit do it: {as_setting(offer)}"


def every_project(place: Installation, repository: UserRepository, config: Config) -> tuple[TestCommand, ...]:
    return _every_project(place, repository, config, own_files(repository), Path(repository.root))


def _every_project(
    place: Installation, repository: UserRepository, config: Config, own_files: Sequence[str], root: Path,
    named: Sequence[str] = (),
) -> tuple[TestCommand, ...]:  # fmt: skip
    """`root`: where the files of the projects are read."""
    setups = all_setups(config, own_files, root)
    if config.checks.tests.run:
        found = [_as_written(config.checks.tests, "", "checks.tests.run")]
    else:
        files = _manifests(repository)
        known = [_preferred(place, repository, setups, commands) for commands in find_projects(files)]
        known = with_named(known, browser_tests(files, known), _texts(repository, named)) if named else known
        own = _with_own_files(known, own_files, root)
        found = list(_declared(repository, config, known) if config.projects else own)
    beside = [_beside(tests, config.services) for tests in found]
    return tuple(
        tests if has_own_python(setups, tests) else _with_interpreter(place, repository, tests) for tests in beside
    )


def _manifests(repository: UserRepository) -> Files:
    tracked = repository.tracked()
    texts = repository.texts(
        [path for path in tracked if posixpath.basename(path) in (*MANIFESTS, *PLAYWRIGHT_CONFIGS)]
    )
    return {path: texts.get(path) for path in tracked}


def _texts(repository: UserRepository, named: Sequence[str]) -> dict[str, str]:
    """Of the files of named tests, which may be new; empty for a folder, or what is no file."""
    texts = dict.fromkeys(named, "")
    for name in named:
        with contextlib.suppress(OSError, UsageProblem):
            texts[name] = read_plain_text(Path(repository.root, name.partition("::")[0]), errors="replace")
    return texts


def _preferred(
    place: Installation, repository: UserRepository, setups: Sequence[Setup], commands: Sequence[TestCommand]
) -> TestCommand:
    """unittest, if the tests need no more than that and the project's Python has no pytest."""
    first, *others = commands
    plain = next((tests for tests in others if tests.runner == "unittest"), None)
    if first.runner != "pytest" or plain is None or has_own_python(setups, first):
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


def check_projects(
    place: Installation, repository: UserRepository, config: Config, rules: Path | None = None
) -> tuple[TestCommand, ...]:
    """Every project, or all that is wrong in their files, at once."""
    own, root, problems = own_files(repository), rules or Path(repository.root), []
    for path in own:
        try:
            project_settings(root, posixpath.dirname(path))
        except UsageProblem as problem:
            problems.append(problem)
    if problems:
        raise combined(problems)
    return _every_project(place, repository, config, own, root)


def _with_own_files(found: Sequence[TestCommand], own_files: Sequence[str], root: Path) -> Iterator[TestCommand]:
    """A `reknit.toml` in a folder makes it a project, and its command replaces what was detected there."""
    own = {folder: project_settings(root, folder) for folder in map(posixpath.dirname, own_files)}
    for command in found:
        if command.folder not in own:
            yield command
        elif not own[command.folder].tests.run:
            yield _beside(command, own[command.folder].services)
    for folder, project in sorted(own.items()):
        if project.tests.run:
            yield _beside(_as_written(project.tests, folder, OWN_FILE), project.services)


def _declared(repository: UserRepository, config: Config, found: Sequence[TestCommand]) -> Iterator[TestCommand]:
    for project in config.projects:
        folder, tests = project.folder, project.tests
        there = [command for command in found if command.folder == folder]
        if folder and not any(path.startswith(f"{folder}/") for path in repository.tracked()):
            raise UsageProblem("config", f"projects: git tracks no files in the folder {folder!r}")
        if not tests.run and not there:
            what = f"projects: no tests were found in {folder or 'the top folder'!r}"
            raise UsageProblem("config", what, help='give the project a command: tests = { run = "pytest -q" }')
        commands = [_as_written(tests, folder, "projects")] if tests.run else there
        yield from (_beside(command, project.services) for command in commands)


def _as_written(tests: TestsSection, folder: str, origin: str) -> TestCommand:
    command = parse_user_command(tests.run, tests.report)
    return replace(command, folder=posixpath.join(folder, command.folder).rstrip("/"), origin=origin)


def _beside(tests: TestCommand, services: Sequence[ServiceSection]) -> TestCommand:
    """Those of the whole repository are given last, and are started first."""
    return replace(tests, services=(*(section.service() for section in services), *tests.services))


def _below(folder: Path, repository: UserRepository) -> str:
    here = folder.resolve()
    root = Path(repository.root).resolve()
    return "" if here == root or not here.is_relative_to(root) else here.relative_to(root).as_posix()
