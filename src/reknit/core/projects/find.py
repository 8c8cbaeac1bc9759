"""Finds the projects of a repository: every folder with its own manifest, and its test commands."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reknit.core.languages.java import LANGUAGE as JAVA
from reknit.core.languages.javascript import LANGUAGE as JAVASCRIPT
from reknit.core.languages.python import LANGUAGE as PYTHON
from reknit.core.languages.registry import find_language, find_language_of_file
from reknit.core.projects.detect import PYTHON_MANIFESTS, detect, list_manifests
from reknit.core.repository.paths import is_below, is_foreign, is_in_test_folder
from reknit.core.testing.command import Files, TestCommand

OWN_FILE = "reknit.toml"
"""File in the folder of a project that sets how its tests are run."""

_NOT_PROJECTS = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "doc", "docs", "template", "templates", "testdata"}
)
"""Folders whose tests need a separate set-up and say little about the code of the repository."""
_WORKSPACE = {
    "cargo": ("Cargo.toml", re.compile(r"^\[workspace", re.M)),
    "maven": ("pom.xml", re.compile(r"<modules>")),
}
_GRADLE_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_NPM_WORKSPACE = ("pnpm-workspace.yaml", "lerna.json", "turbo.json", "nx.json")


def find_projects(files: Files) -> tuple[tuple[TestCommand, ...], ...]:
    """Return each project as its possible commands, the best first. `files`: as for `detect`.

    The commands of one project are alternatives; projects in the same folder use different languages.
    """
    folders = _list_folders(files)
    projects = [project for folder in folders for project in _find_in_folder(folder, folders, files)]
    independent = [
        project for project in projects if not any(_is_covered(other[0], project[0], files) for other in projects)
    ]
    return tuple(tuple(_ignore_inner_projects(command, independent) for command in project) for project in independent)


def choose_projects(
    projects: Sequence[TestCommand], folder: str, test_names: Sequence[str] = (), changed: Sequence[str] = ()
) -> tuple[TestCommand, ...]:
    """Return the projects of the named tests, else of the current folder, else of the changed files, else all."""
    selection = {project for name in test_names for project in _find_by_name(name, projects) or projects}
    selection = selection or (_find_by_folder(folder, projects) if folder else set())
    if not selection:
        selection = {
            project for path in changed for project in _find_by_folder(posixpath.dirname(path), projects) or projects
        }
    return tuple(project for project in projects if not selection or project in selection)


def _find_by_name(name: str, projects: Sequence[TestCommand]) -> Collection[TestCommand]:
    """Return the projects of a test, or of a folder with one or more projects."""
    below = [project for project in projects if is_below(f"{project.folder}/", name)]
    return below or _find_by_test(name, projects)


def _find_by_folder(folder: str, projects: Sequence[TestCommand]) -> set[TestCommand]:
    """Return the projects below the folder, or else the nearest one around it, except at the top."""
    inside = {project for project in projects if folder and is_below(f"{project.folder}/", folder)}
    around = [project for project in projects if project.folder and is_below(f"{folder}/", project.folder)]
    deepest = max((len(project.folder) for project in around), default=0)
    return inside or {project for project in around if len(project.folder) == deepest}


def find_project(test: str, projects: Sequence[TestCommand]) -> TestCommand | None:
    """Return the project that has this test; None if there is none."""
    return next(iter(_find_by_test(test, projects)), None)


def _find_by_test(test: str, projects: Sequence[TestCommand]) -> list[TestCommand]:
    around = [project for project in projects if is_below(test, project.folder) and _may_run(project, test)]
    deepest = max((_measure_depth(project, test) for project in around), default=0)
    return [project for project in around if _measure_depth(project, test) == deepest]


def _measure_depth(project: TestCommand, test: str) -> int:
    """Return how closely the folder of its tests surrounds this one; 0: it is elsewhere."""
    file = test.partition("::")[0]
    places = [posixpath.join(project.folder, folder) for folder in project.within] or [project.folder]
    return max((1 + len(place) for place in places if is_below(f"{file}/", place)), default=0)


def _may_run(project: TestCommand, test: str) -> bool:
    """Return True if the test may be one of the project's, by its language: two projects in one folder differ in it."""
    file = test.partition("::")[0]
    language = find_language_of_file(file)
    return language not in (PYTHON, JAVASCRIPT) or project.runner in (*language.runners, "command")


def may_be_project(manifest: str) -> bool:
    """Return True if the manifest is not among examples, documentation, templates, test data or foreign code."""
    folders = posixpath.dirname(manifest).lower().split("/")
    return not is_foreign(manifest) and not is_in_test_folder(manifest) and _NOT_PROJECTS.isdisjoint(folders)


def _list_folders(files: Iterable[str]) -> list[str]:
    """Return the folders that have a project, the outermost first."""
    manifest_names = {*list_manifests(), OWN_FILE}
    manifests = {path for path in files if posixpath.basename(path) in manifest_names}
    own = {posixpath.dirname(path) for path in manifests if may_be_project(path)}
    return sorted({"", *own}, key=lambda folder: (folder.count("/") + bool(folder), folder))


def _find_in_folder(folder: str, folders: Sequence[str], files: Files) -> Iterator[tuple[TestCommand, ...]]:
    inner = tuple(f"{other}/" for other in folders if other != folder and is_below(f"{other}/", folder))
    start = f"{folder}/" if folder else ""
    own = {
        path.removeprefix(start): text
        for path, text in files.items()
        if path.startswith(start) and not path.startswith(inner)
    }
    by_family: dict[str, list[TestCommand]] = {}
    for command in detect(own):
        by_family.setdefault(_name_family(command), []).append(replace(command, folder=folder))
    for family, commands in by_family.items():
        is_side_script = commands[0].origin.endswith(".py") and PYTHON_MANIFESTS.isdisjoint(own)
        if len(by_family) == 1 or (family != "make" and not (family == "python" and is_side_script)):
            yield tuple(commands)


def _name_family(command: TestCommand) -> str:
    """Return the language; the runners of Java are not alternatives, so Maven and Gradle are two projects."""
    language = find_language(command.runner)
    return language.name if language and language is not JAVA else command.runner


def _is_covered(outer: TestCommand, inner: TestCommand, files: Files) -> bool:
    if inner.runner in ("make", "npm") and _may_delegate(inner, outer, files):
        return True
    if outer.folder == inner.folder or not is_below(f"{inner.folder}/", outer.folder):
        return False
    if inner.runner == outer.runner == "pytest":
        return _is_configured(outer) and not _is_configured(inner)
    if inner.runner in _WORKSPACE and inner.runner == outer.runner:
        name, words = _WORKSPACE[inner.runner]
        return bool(words.search(_read_text(files, outer.folder, name)))
    if inner.runner == outer.runner == "gradle":
        return any(posixpath.join(outer.folder, name) in files for name in _GRADLE_SETTINGS)
    return inner.runner == outer.runner and inner.runner in (*JAVASCRIPT.runners, "make") and inner.runner != "npm"


def _may_delegate(script: TestCommand, other: TestCommand, files: Files) -> bool:
    """Return True if a Makefile or script of a workspace starts the tests of the projects below it."""
    is_other_below = other.folder != script.folder and is_below(f"{other.folder}/", script.folder)
    if script.runner == "make":
        return is_other_below and other.runner != "make"
    is_workspace = '"workspaces"' in _read_text(files, script.folder, "package.json") or any(
        posixpath.join(script.folder, name) in files for name in _NPM_WORKSPACE
    )
    return is_other_below and is_workspace and other.runner in JAVASCRIPT.runners


def _is_configured(command: TestCommand) -> bool:
    return posixpath.basename(command.origin) in list_manifests()


def _ignore_inner_projects(command: TestCommand, projects: Iterable[tuple[TestCommand, ...]]) -> TestCommand:
    """Let pytest skip folders of other Python projects, which are run on their own."""
    if command.runner != "pytest":
        return command
    inner = sorted({first.folder for first, *_ in projects if _name_family(first) == "python"})
    below = [folder for folder in inner if folder != command.folder and is_below(f"{folder}/", command.folder)]
    ignored = (f"--ignore={posixpath.relpath(folder, command.folder or '.')}" for folder in below)
    return replace(command, argv=(*command.argv, *ignored))


def _read_text(files: Mapping[str, str | None], folder: str, name: str) -> str:
    return files.get(posixpath.join(folder, name)) or ""
