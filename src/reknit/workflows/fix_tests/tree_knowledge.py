"""Reads from the trusted repository what is needed to tell the environment's faults from the code's."""

import posixpath
from collections.abc import Iterable, Sequence

from reknit.core.causes.manifests import is_manifest
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.fix_tests.findings import TreeKnowledge
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

MOST_FILES = 60
"""Of each kind; more would not change what is known."""
MOST_CHARS = 100_000
PASSING_FILES = 20
RECENT_COMMITS = 10


def knowledge_of(services: Services, spec: RunSpec, seen: TestReport, red: Sequence[str]) -> TreeKnowledge:
    repository, paths = services.workspace(spec).repository, services.workspace(spec).repository.paths(spec.base)
    tracked = frozenset(paths)
    red_files = sorted({seen.files.get(test, "") for test in red} & tracked)
    passing = {file for test, file in seen.files.items() if seen.results.get(test) == "passed"}
    manifests = sorted(filter(is_manifest, paths), key=lambda path: (path.count("/"), path))
    texts = _texts(repository, spec.base, [*manifests[:MOST_FILES], *red_files[:MOST_FILES]])
    green_files = sorted((passing & tracked).difference(red_files))[:PASSING_FILES]
    recent = frozenset(repository.recently_changed(spec.base, RECENT_COMMITS))
    facts = TreeFacts(
        tracked,
        texts,
        tuple(_texts(repository, spec.base, green_files).values()),
        # In a box the tree is at the path of the repository; on the host it is beside the trusted gitdir.
        roots=(spec.repository, posixpath.dirname(repository.gitdir)),
        former=recent - tracked,
        shared_network=spec.box == "host",
    )
    return TreeKnowledge(facts, recent, tuple(project.folder for project in spec.projects))


def _texts(repository: TrustedRepository, rev: str, paths: Iterable[str]) -> dict[str, str]:
    return {path: repository.read(rev, path)[:MOST_CHARS] for path in paths}
