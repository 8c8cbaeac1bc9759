"""Finds the other projects of the repository that a project depends on: a fix for its tests may belong there."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from reknit.core.projects.declared import READERS, Declarations, read_declarations
from reknit.core.repository.paths import walk_up

MAX_PROJECTS = 300
"""Maximum number of projects whose manifests are read."""
_GRADLE = ("build.gradle", "build.gradle.kts")


def choose_manifests(root: str, changed: Iterable[str], tracked: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return folder -> its manifests. If there are too many, prefer changed projects and those near `root`.

    `changed`: folders of the changed projects.
    """
    manifests: dict[str, list[str]] = {}
    for path in tracked:
        folder, name = posixpath.split(path)
        if name in READERS:
            manifests.setdefault(folder, []).append(name)
    first = {root, *changed}
    order = sorted(
        manifests,
        key=lambda folder: (folder not in first, -_count_shared_folders(folder, root), folder.count("/"), folder),
    )
    return {folder: tuple(manifests[folder]) for folder in order[:MAX_PROJECTS]}


def find_dependencies(root: str, projects: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Return the folders of every project that the one at `root` needs, directly or through others.

    `projects`: folder -> texts of its manifests. A name means the nearest project of this repository with that name:
    workspaces resolve names like this, and projects are installed next to each other like this.
    """
    declarations = {folder: read_declarations(texts) for folder, texts in projects.items()}
    by_name: dict[str, list[str]] = {}
    for folder, texts in projects.items():
        of_gradle = [f"gradle:{posixpath.basename(folder)}"] if any(name in texts for name in _GRADLE) else []
        for name in (*declarations[folder].names, *of_gradle):
            by_name.setdefault(name, []).append(folder)
    reached, waiting = {root}, [root]
    while waiting:
        folder = waiting.pop()
        for other in {
            *_follow_paths(folder, declarations),
            *_follow_names(folder, declarations, by_name),
        } & declarations.keys():
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return frozenset(reached - {root})


def _follow_paths(folder: str, declarations: Mapping[str, Declarations]) -> Iterator[str]:
    own = declarations.get(folder, Declarations())
    yield from (_join_path(folder, path) for path in own.paths)
    for above in walk_up(folder):  # a workspace above may give a path to a name
        for name, path in declarations.get(above, Declarations()).members:
            if name in own.needs:
                yield _join_path(above, path)


def _follow_names(
    folder: str, declarations: Mapping[str, Declarations], by_name: Mapping[str, list[str]]
) -> Iterator[str]:
    for name in declarations.get(folder, Declarations()).needs:
        places = by_name.get(name, [])
        nearest = max((_count_shared_folders(place, folder) for place in places), default=0)
        yield from (place for place in places if _count_shared_folders(place, folder) == nearest)


def _join_path(folder: str, path: str) -> str:
    """Join the paths, relative to the repository's top folder, which is "". Paths outside match no project."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _count_shared_folders(one: str, other: str) -> int:
    """Return how many folders the two have in common, from the top."""
    parts = list(zip(one.split("/"), other.split("/"), strict=False))
    return next((depth for depth, (here, there) in enumerate(parts) if here != there), len(parts))
