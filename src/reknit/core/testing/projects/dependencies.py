"""Which other projects of the repository a project depends on: a fix for its tests may belong there."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from reknit.core.testing.projects.declared import READERS, Declared, declared

MOST_PROJECTS = 300
"""Whose manifests are read."""
_GRADLE = ("build.gradle", "build.gradle.kts")


def manifests_to_read(root: str, changed: Iterable[str], tracked: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Folder -> its manifests. If there are too many: those of the changed projects and nearest to `root` first.

    `changed`: folders of the changed projects.
    """
    found: dict[str, list[str]] = {}
    for path in tracked:
        folder, name = posixpath.split(path)
        if name in READERS:
            found.setdefault(folder, []).append(name)
    first = {root, *changed}
    order = sorted(found, key=lambda folder: (folder not in first, -_shared(folder, root), folder.count("/"), folder))
    return {folder: tuple(found[folder]) for folder in order[:MOST_PROJECTS]}


def dependencies_of(root: str, projects: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Folders of every project that the one at `root` needs, directly or through others.

    `projects`: folder -> texts of its manifests. A name counts as the project of this repository that is called so, the
    nearest one if there are several: workspaces resolve it so, and it is how projects are installed next to each other.
    """
    known = {folder: declared(texts) for folder, texts in projects.items()}
    by_name: dict[str, list[str]] = {}
    for folder, texts in projects.items():
        of_gradle = [f"gradle:{posixpath.basename(folder)}"] if any(name in texts for name in _GRADLE) else []
        for name in (*known[folder].names, *of_gradle):
            by_name.setdefault(name, []).append(folder)
    reached, waiting = {root}, [root]
    while waiting:
        folder = waiting.pop()
        for other in {*_by_path(folder, known), *_by_name(folder, known, by_name)} & known.keys():
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return frozenset(reached - {root})


def _by_path(folder: str, known: Mapping[str, Declared]) -> Iterator[str]:
    own = known.get(folder, Declared())
    yield from (_joined(folder, path) for path in own.paths)
    for above in _and_above(folder):  # workspaces: a name that a folder above gives a path to
        for name, path in known.get(above, Declared()).members:
            if name in own.needs:
                yield _joined(above, path)


def _by_name(folder: str, known: Mapping[str, Declared], by_name: Mapping[str, list[str]]) -> Iterator[str]:
    for name in known.get(folder, Declared()).needs:
        places = by_name.get(name, [])
        nearest = max((_shared(place, folder) for place in places), default=0)
        yield from (place for place in places if _shared(place, folder) == nearest)


def _and_above(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _joined(folder: str, path: str) -> str:
    """From the top folder of the repository, which is empty; outside of it, a path that no project has."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _shared(one: str, other: str) -> int:
    """How many folders they have in common, from the top."""
    parts = list(zip(one.split("/"), other.split("/"), strict=False))
    return next((depth for depth, (here, there) in enumerate(parts) if here != there), len(parts))
