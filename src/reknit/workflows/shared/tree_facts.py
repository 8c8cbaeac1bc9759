"""Reads from the trusted repository what is needed to tell the environment's faults from the code's."""

import posixpath
from collections.abc import Iterable, Sequence

from reknit.core.causes.manifests import is_manifest
from reknit.core.causes.tree_facts import LFS_POINTER, TreeFacts
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

MOST_FILES = 60
"""Of each kind; more would not change what is known."""
MOST_CHARS = 100_000
PASSING_FILES = 20
RECENT_COMMITS = 10


def facts_of(services: Services, spec: RunSpec, commit: str, seen: TestReport, red: Sequence[str]) -> TreeFacts:
    """`seen`: the tests of that commit."""
    return facts_in(services.workspace(spec).repository, spec, commit, seen, red)


def facts_in(
    repository: TrustedRepository, spec: RunSpec, commit: str, seen: TestReport, red: Sequence[str]
) -> TreeFacts:
    paths = repository.paths(commit)
    tracked = frozenset(paths)
    red_files = sorted({seen.files.get(test, "") for test in red} & tracked)
    passing = {file for test, file in seen.files.items() if seen.results.get(test) == "passed"}
    manifests = sorted(filter(is_manifest, paths), key=lambda path: (path.count("/"), path))
    green_files = sorted((passing & tracked).difference(red_files))[:PASSING_FILES]
    return TreeFacts(
        tracked,
        _texts(repository, commit, [*manifests[:MOST_FILES], *red_files[:MOST_FILES]]),
        tuple(_texts(repository, commit, green_files).values()),
        # In a box the tree is at the path of the repository; on the host it is beside the trusted gitdir.
        roots=(spec.repository, posixpath.dirname(repository.gitdir)),
        former=frozenset(repository.recently_changed(commit, RECENT_COMMITS)) - tracked,
        shared_network=spec.box == "host",
        services=() if spec.box == "host" else spec.services,
        pointers=_pointers(repository, commit) if red else frozenset(),
    )


def recently_changed(services: Services, spec: RunSpec, commit: str) -> frozenset[str]:
    return frozenset(services.workspace(spec).repository.recently_changed(commit, RECENT_COMMITS))


def _pointers(repository: TrustedRepository, rev: str) -> frozenset[str]:
    paths = (repository.mentions(rev, [LFS_POINTER]) or {}).get(LFS_POINTER, ())[:MOST_FILES]
    return frozenset(path for path in paths if repository.read(rev, path).startswith(LFS_POINTER))


def _texts(repository: TrustedRepository, rev: str, paths: Iterable[str]) -> dict[str, str]:
    return {path: repository.read(rev, path)[:MOST_CHARS] for path in paths}
