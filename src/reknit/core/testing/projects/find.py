"""The projects of a repository: every folder with its own manifest, and how its tests are run there."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reknit.core.repository.paths import is_below, is_foreign, is_in_test_folder
from reknit.core.testing.command import TestCommand
from reknit.core.testing.detect import MANIFESTS, PYTHON_MANIFESTS, Files, detect

OWN_FILE = "reknit.toml"
"""In the folder of a project: how its tests are run."""

_PYTHON = ("pytest", "unittest", "django")
_JAVASCRIPT = ("vitest", "jest", "mocha", "node", "playwright", "npm")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_NOT_PROJECTS = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "doc", "docs", "template", "templates", "testdata"}
)
"""Their tests need a separate set-up and say little about the code of the repository."""
_WORKSPACE = {
    "cargo": ("Cargo.toml", re.compile(r"^\[workspace", re.M)),
    "maven": ("pom.xml", re.compile(r"<modules>")),
}
_GRADLE_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_NPM_WORKSPACE = ("pnpm-workspace.yaml", "lerna.json", "turbo.json", "nx.json")


def find_projects(files: Files) -> tuple[tuple[TestCommand, ...], ...]:
    """Each project as the commands that could run its tests, the best first. `files`: as for `detect`.

    The commands of one project are alternatives; projects in the same folder use different languages.
    """
    folders = _folders(files)
    found = [project for folder in folders for project in _in_folder(folder, folders, files)]
    kept = [project for project in found if not any(_covers(other[0], project[0], files) for other in found)]
    return tuple(tuple(_without(command, kept) for command in project) for project in kept)


def choose(
    projects: Sequence[TestCommand], folder: str, named: Sequence[str] = (), changed: Sequence[str] = ()
) -> tuple[TestCommand, ...]:
    """Those that the named tests point at, or else the current folder, or else the changed files; otherwise all."""
    chosen = {project for name in named for project in _of_name(name, projects) or projects}
    chosen = chosen or (_of_folder(folder, projects) if folder else set())
    if not chosen:
        chosen = {project for path in changed for project in _of_folder(posixpath.dirname(path), projects) or projects}
    return tuple(project for project in projects if not chosen or project in chosen)


def _of_name(name: str, projects: Sequence[TestCommand]) -> Collection[TestCommand]:
    """A name is that of a test, or of a folder with one or more projects."""
    below = [project for project in projects if is_below(f"{project.folder}/", name)]
    return below or _of_test(name, projects)


def _of_folder(folder: str, projects: Sequence[TestCommand]) -> set[TestCommand]:
    """The projects below the folder, or else the nearest one around it; none if that is the top of the repository."""
    inside = {project for project in projects if folder and is_below(f"{project.folder}/", folder)}
    around = [project for project in projects if project.folder and is_below(f"{folder}/", project.folder)]
    deepest = max((len(project.folder) for project in around), default=0)
    return inside or {project for project in around if len(project.folder) == deepest}


def project_of(test: str, projects: Sequence[TestCommand]) -> TestCommand | None:
    """The project whose test this is."""
    return next(iter(_of_test(test, projects)), None)


def _of_test(test: str, projects: Sequence[TestCommand]) -> list[TestCommand]:
    around = [project for project in projects if is_below(test, project.folder) and _fits(project, test)]
    deepest = max((_depth(project, test) for project in around), default=0)
    return [project for project in around if _depth(project, test) == deepest]


def _depth(project: TestCommand, test: str) -> int:
    """How closely the place of its tests surrounds this one; 0: it is elsewhere."""
    file = test.partition("::")[0]
    places = [posixpath.join(project.folder, each) for each in project.within] or [project.folder]
    return max((1 + len(place) for place in places if is_below(f"{file}/", place)), default=0)


def _fits(project: TestCommand, test: str) -> bool:
    """Two projects in one folder use different languages, which the names of their files show."""
    file = test.partition("::")[0]
    if file.endswith(".py"):
        return project.runner in _PYTHON or project.runner == "command"
    if _SCRIPT.search(file):
        return project.runner in _JAVASCRIPT or project.runner == "command"
    return True


def may_be_project(manifest: str) -> bool:
    """Not in a folder for examples, documentation, templates, test data or the code of others."""
    folders = posixpath.dirname(manifest).lower().split("/")
    return not is_foreign(manifest) and not is_in_test_folder(manifest) and _NOT_PROJECTS.isdisjoint(folders)


def _folders(files: Iterable[str]) -> list[str]:
    """The outermost first."""
    manifests = {path for path in files if posixpath.basename(path) in (*MANIFESTS, OWN_FILE)}
    own = {posixpath.dirname(path) for path in manifests if may_be_project(path)}
    return sorted({"", *own}, key=lambda folder: (folder.count("/") + bool(folder), folder))


def _in_folder(folder: str, folders: Sequence[str], files: Files) -> Iterator[tuple[TestCommand, ...]]:
    inner = tuple(f"{other}/" for other in folders if other != folder and is_below(f"{other}/", folder))
    start = f"{folder}/" if folder else ""
    own = {
        path.removeprefix(start): text
        for path, text in files.items()
        if path.startswith(start) and not path.startswith(inner)
    }
    by_family: dict[str, list[TestCommand]] = {}
    for command in detect(own):
        by_family.setdefault(_family(command), []).append(replace(command, folder=folder))
    for family, found in by_family.items():
        is_side_script = found[0].origin.endswith(".py") and PYTHON_MANIFESTS.isdisjoint(own)
        if len(by_family) == 1 or (family != "make" and not (family == "python" and is_side_script)):
            yield tuple(found)


def _family(command: TestCommand) -> str:
    if command.runner in _PYTHON:
        return "python"
    return "javascript" if command.runner in _JAVASCRIPT else command.runner


def _covers(outer: TestCommand, inner: TestCommand, files: Files) -> bool:
    """Whether the tests of `inner` run with those of `outer`, or `inner` runs nothing that other projects do not."""
    if inner.runner in ("make", "npm") and _delegates(inner, outer, files):
        return True
    if outer.folder == inner.folder or not is_below(f"{inner.folder}/", outer.folder):
        return False
    if inner.runner == outer.runner == "pytest":
        return _is_configured(outer) and not _is_configured(inner)
    if inner.runner in _WORKSPACE and inner.runner == outer.runner:
        name, words = _WORKSPACE[inner.runner]
        return bool(words.search(_text(files, outer.folder, name)))
    if inner.runner == outer.runner == "gradle":
        return any(posixpath.join(outer.folder, name) in files for name in _GRADLE_SETTINGS)
    return inner.runner == outer.runner and inner.runner in (*_JAVASCRIPT, "make") and inner.runner != "npm"


def _delegates(script: TestCommand, other: TestCommand, files: Files) -> bool:
    """A Makefile or script of a workspace usually starts the tests of the projects below it."""
    is_other_below = other.folder != script.folder and is_below(f"{other.folder}/", script.folder)
    if script.runner == "make":
        return is_other_below and other.runner != "make"
    is_workspace = '"workspaces"' in _text(files, script.folder, "package.json") or any(
        posixpath.join(script.folder, name) in files for name in _NPM_WORKSPACE
    )
    return is_other_below and is_workspace and other.runner in _JAVASCRIPT


def _is_configured(command: TestCommand) -> bool:
    return posixpath.basename(command.origin) in MANIFESTS


def _without(command: TestCommand, projects: Iterable[tuple[TestCommand, ...]]) -> TestCommand:
    """pytest enters every folder, also those of Python projects that are run on their own."""
    if command.runner != "pytest":
        return command
    inner = sorted({first.folder for first, *_ in projects if _family(first) == "python"})
    below = [folder for folder in inner if folder != command.folder and is_below(f"{folder}/", command.folder)]
    ignored = (f"--ignore={posixpath.relpath(folder, command.folder or '.')}" for folder in below)
    return replace(command, argv=(*command.argv, *ignored))


def _text(files: Mapping[str, str | None], folder: str, name: str) -> str:
    return files.get(posixpath.join(folder, name)) or ""
