"""The projects of a repository and how their tests are run, as configured or as detected."""

import contextlib
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.errors import combine_problems
from reknit.app.config.load import Config
from reknit.app.config.project_file import has_own_python, is_set_up, list_setups, read_project_settings, select_setups
from reknit.app.config.project_sections import ServiceSection, TestsSection
from reknit.app.installation import Installation
from reknit.app.start.missing import check_prerequisites, find_missing_servers
from reknit.app.start.pythons.environment import find_python
from reknit.app.start.pythons.installed import SOURCES, find_own_copy
from reknit.core.causes.cause import LeftOut, render_left_out
from reknit.core.errors import UsageError
from reknit.core.languages.javascript.project import add_requested_suites, find_browser_suites
from reknit.core.languages.javascript.runners import PLAYWRIGHT_CONFIGS
from reknit.core.projects.detect import list_manifests, parse_user_command
from reknit.core.projects.find import OWN_FILE, choose_projects, find_projects, may_be_project
from reknit.core.repository.prerequisites import Missing
from reknit.core.setup.layers import Setup
from reknit.core.setup.offers import find_nearest, settings_path, to_setting
from reknit.core.testing.command import Files, TestCommand, to_command_line
from reknit.core.text.format import join_few, to_one_line

MAX_PROJECTS = 30
"""Maximum projects per run: each is tested several times, one after the other."""


@dataclass(frozen=True)
class ProjectsToTest:
    """The projects that a run tests, and those that are not ready."""

    tests: tuple[TestCommand, ...]
    """Test commands; at least one."""
    notes: tuple[str, ...] = ()
    unready: tuple[LeftOut, ...] = ()
    """Projects that are left out because something is missing, each with the command that installs it."""
    setups: tuple[Setup, ...] = ()


@dataclass(frozen=True)
class ProjectSelection:
    """The choice of a run's projects; nothing given: every project."""

    folder: Path | None = None
    """Current folder of the user."""
    test_paths: Sequence[str] = ()
    """Paths of named tests, from the top of the repository."""
    changed: Sequence[str] = ()


EVERYTHING = ProjectSelection()


def projects_to_test(
    installation: Installation, repository: UserRepository, config: Config,
    selection: ProjectSelection = EVERYTHING, *, rules: Path | None = None,
) -> ProjectsToTest:  # fmt: skip
    """Choose the projects of a run, and check that they can be tested.

    `rules`: the folder with the files of the projects, if it is not the working tree.
    """
    here = _relative_folder(selection.folder, repository) if selection.folder else ""
    own, root = list_own_files(repository), rules or Path(repository.root)
    projects = _list_projects(installation, repository, config, own, root, selection.test_paths)
    setups = list_setups(config, own, root)
    selected = choose_projects(projects, here, selection.test_paths, selection.changed)
    if not selected:
        message = "no tests were found in this repository"
        raise UsageError("no-tests", message, help='in reknit.toml: [checks.tests] run = "pytest -q"')
    if len(selected) > MAX_PROJECTS:
        message = f"{len(selected)} projects have tests, and one run looks at {MAX_PROJECTS} at most"
        hint = "name tests, go to the folder of a project, or set `projects`"
        raise UsageError("too-many-projects", message, help=hint)
    ready = _split_ready(installation, repository, selected, setups)
    if len(selected) == len(projects) or selection.test_paths:
        return ready
    only = join_few(sorted({tests.folder or "." for tests in selected}))
    return replace(ready, notes=(f"only {only}, of {len(projects)} projects; from the top folder: all", *ready.notes))


def _split_ready(
    installation: Installation, repository: UserRepository, selected: Sequence[TestCommand], setups: Sequence[Setup]
) -> ProjectsToTest:
    tracked = repository.tracked()
    lacking = [
        (
            *check_prerequisites(repository, tests.folder, tests.runner, tracked, installation.environment),
            *find_missing_servers(tests.services, installation.environment),
        )
        for tests in selected
    ]
    blocking = [
        [
            one
            for one in lacking_parts
            if one.kind == "program" or (one.kind != "submodule" and not is_set_up(setups, tests))
        ]
        for tests, lacking_parts in zip(selected, lacking, strict=True)
    ]
    ready = tuple(tests for tests, lacking_parts in zip(selected, blocking, strict=True) if not lacking_parts)
    if not ready:
        first = blocking[0][0]
        location = f"{selected[0].folder}: " if selected[0].folder else ""
        raise UsageError("not-installed", f"{location}{first.problem}", help=_make_help(first, selected[0], tracked))
    unready: tuple[LeftOut, ...] = tuple(
        ((), f"`{to_command_line(tests)}` was not run: {lacking_parts[0].problem}", f"`{lacking_parts[0].command}`")
        for tests, lacking_parts in zip(selected, blocking, strict=True)
        if lacking_parts
    )
    empty = [
        f"{one.problem}: `{one.command}`"
        for lacking_parts in lacking
        for one in lacking_parts
        if one.kind == "submodule"
    ]
    left_out = [f"left out: {render_left_out([part])}" for part in unready]
    return ProjectsToTest(ready, (*left_out, *dict.fromkeys(empty)), unready, select_setups(setups, ready))


def _make_help(lacking: Missing, tests: TestCommand, tracked: Sequence[str]) -> str:
    offer = find_nearest(tests.folder, frozenset(tracked)) if lacking.kind in ("packages", "python") else None
    if offer is None:
        return lacking.command
    return f"{lacking.command}; or, in {to_one_line(settings_path(offer))}, let reknit do it: {to_setting(offer)}"


def list_projects(installation: Installation, repository: UserRepository, config: Config) -> tuple[TestCommand, ...]:
    """List every project of the repository with its test command."""
    return _list_projects(installation, repository, config, list_own_files(repository), Path(repository.root))


def _list_projects(
    installation: Installation, repository: UserRepository, config: Config, own_files: Sequence[str], root: Path,
    test_paths: Sequence[str] = (),
) -> tuple[TestCommand, ...]:  # fmt: skip
    """List every project. `root`: the folder with the files of the projects."""
    setups = list_setups(config, own_files, root)
    if config.checks.tests.run:
        projects = [_command_from_section(config.checks.tests, "", "checks.tests.run")]
    else:
        files = _read_manifests(repository)
        detected = [_choose_runner(installation, repository, setups, commands) for commands in find_projects(files)]
        detected = (
            add_requested_suites(
                detected, find_browser_suites(files, detected), _read_test_files(repository, test_paths)
            )
            if test_paths
            else detected
        )
        own = _merge_own_files(detected, own_files, root)
        projects = list(_select_declared(repository, config, detected) if config.projects else own)
    beside = [_add_services(tests, config.services) for tests in projects]
    return tuple(
        tests if has_own_python(setups, tests) else _set_interpreter(installation, repository, tests)
        for tests in beside
    )


def _read_manifests(repository: UserRepository) -> Files:
    tracked = repository.tracked()
    texts = repository.texts(
        [path for path in tracked if posixpath.basename(path) in (*list_manifests(), *PLAYWRIGHT_CONFIGS)]
    )
    return {path: texts.get(path) for path in tracked}


def _read_test_files(repository: UserRepository, test_paths: Sequence[str]) -> dict[str, str]:
    """Read the files of named tests, which may be new. The text is empty for a folder or a missing file."""
    texts = dict.fromkeys(test_paths, "")
    for name in test_paths:
        with contextlib.suppress(OSError, UsageError):
            texts[name] = read_plain_text(Path(repository.root, name.partition("::")[0]), errors="replace")
    return texts


def _choose_runner(
    installation: Installation, repository: UserRepository, setups: Sequence[Setup], commands: Sequence[TestCommand]
) -> TestCommand:
    """Choose unittest, if the tests need no more than that and the project's Python has no pytest."""
    first, *others = commands
    plain = next((tests for tests in others if tests.runner == "unittest"), None)
    if first.runner != "pytest" or plain is None or has_own_python(setups, first):
        return first
    return first if find_python(Path(repository.root), first.folder, installation.environment).has_pytest else plain


def _set_interpreter(installation: Installation, repository: UserRepository, tests: TestCommand) -> TestCommand:
    """Replace `python` by the interpreter of the project's own environment."""
    if tests.argv[0] != "python":
        return tests
    python = find_python(Path(repository.root), tests.folder, installation.environment)
    if not python.path:
        return tests
    return replace(
        tests, argv=(python.path, *tests.argv[1:]), env=(*tests.env, *_source_path_env(repository, tests, python.path))
    )


def _source_path_env(repository: UserRepository, tests: TestCommand, python: str) -> tuple[tuple[str, str], ...]:
    """Put the source before a copy of it in the environment.

    Otherwise the tests could not see a change to the source.
    """
    project = Path(repository.root, tests.folder)
    is_hidden = find_own_copy(python, project, repository.tracked(), tests.folder) == "plain"
    is_set = any(name == "PYTHONPATH" for name, _ in tests.env)
    return (("PYTHONPATH", SOURCES),) if is_hidden and not is_set else ()


def list_own_files(repository: UserRepository) -> tuple[str, ...]:
    """List the `reknit.toml` files of the projects, also those that git does not track yet."""
    paths = (*repository.tracked(), *repository.untracked())
    return tuple(path for path in paths if path.endswith(f"/{OWN_FILE}") and may_be_project(path))


def check_projects(
    installation: Installation, repository: UserRepository, config: Config, rules: Path | None = None
) -> tuple[TestCommand, ...]:
    """List every project. Raise one error with all problems in their files."""
    own, root, problems = list_own_files(repository), rules or Path(repository.root), []
    for path in own:
        try:
            read_project_settings(root, posixpath.dirname(path))
        except UsageError as problem:
            problems.append(problem)
    if problems:
        raise combine_problems(problems)
    return _list_projects(installation, repository, config, own, root)


def _merge_own_files(detected: Sequence[TestCommand], own_files: Sequence[str], root: Path) -> Iterator[TestCommand]:
    """Merge own files: a `reknit.toml` makes its folder a project, and its command replaces the detected one."""
    own = {folder: read_project_settings(root, folder) for folder in map(posixpath.dirname, own_files)}
    for command in detected:
        if command.folder not in own:
            yield command
        elif not own[command.folder].tests.run:
            yield _add_services(command, own[command.folder].services)
    for folder, project in sorted(own.items()):
        if project.tests.run:
            yield _add_services(_command_from_section(project.tests, folder, OWN_FILE), project.services)


def _select_declared(
    repository: UserRepository, config: Config, detected: Sequence[TestCommand]
) -> Iterator[TestCommand]:
    for project in config.projects:
        folder, tests = project.folder, project.tests
        detected_here = [command for command in detected if command.folder == folder]
        if folder and not any(path.startswith(f"{folder}/") for path in repository.tracked()):
            raise UsageError("config", f"projects: git tracks no files in the folder {folder!r}")
        if not tests.run and not detected_here:
            message = f"projects: no tests were found in {folder or 'the top folder'!r}"
            raise UsageError("config", message, help='give the project a command: tests = { run = "pytest -q" }')
        commands = [_command_from_section(tests, folder, "projects")] if tests.run else detected_here
        yield from (_add_services(command, project.services) for command in commands)


def _command_from_section(tests: TestsSection, folder: str, origin: str) -> TestCommand:
    command = parse_user_command(tests.run, tests.report)
    return replace(command, folder=posixpath.join(folder, command.folder).rstrip("/"), origin=origin)


def _add_services(tests: TestCommand, services: Sequence[ServiceSection]) -> TestCommand:
    """Add services. Those of the whole repository come first, so call it for them last."""
    return replace(tests, services=(*(section.to_service() for section in services), *tests.services))


def _relative_folder(folder: Path, repository: UserRepository) -> str:
    here = folder.resolve()
    root = Path(repository.root).resolve()
    return "" if here == root or not here.is_relative_to(root) else here.relative_to(root).as_posix()
