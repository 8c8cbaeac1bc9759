"""Facts read from the trusted repository: for the causes of red tests, and for prompts."""

import posixpath
from collections.abc import Iterable, Sequence

from reknit.core.agents.strategy import ESCALATION
from reknit.core.causes.manifests import is_manifest
from reknit.core.causes.tree_facts import LFS_POINTER, TreeFacts
from reknit.core.forge.permission import PullSnapshot
from reknit.core.repository.prompt_excerpts import CONVENTIONS, cut_diff, render_conventions
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services

MAX_FILES = 60
"""Maximum number of files of each kind; more would not change the result."""
MAX_FILE_CHARS = 100_000
PASSING_FILES = 20
RECENT_COMMITS = 10
ADVICE_FOLDER = ".reknit/strategies"
"""The project's own advice, as 1.md to 3.md."""


def collect_tree_facts(
    services: Services, spec: RunSpec, commit: str, report: TestReport, red: Sequence[str]
) -> TreeFacts:
    """Return the facts about the tree of a commit. `report`: the results of its tests."""
    return read_tree_facts(services.workspace(spec).repository, spec, commit, report, red)


def read_tree_facts(
    repository: TrustedRepository, spec: RunSpec, commit: str, report: TestReport, red: Sequence[str]
) -> TreeFacts:
    """Return the facts about the tree of a commit, from any repository."""
    paths = repository.paths(commit)
    tracked = frozenset(paths)
    red_files = sorted({report.files.get(test, "") for test in red} & tracked)
    passing = {file for test, file in report.files.items() if report.results.get(test) == "passed"}
    manifests = sorted(filter(is_manifest, paths), key=lambda path: (path.count("/"), path))
    green_files = sorted((passing & tracked).difference(red_files))[:PASSING_FILES]
    return TreeFacts(
        tracked,
        _texts(repository, commit, [*manifests[:MAX_FILES], *red_files[:MAX_FILES]]),
        tuple(_texts(repository, commit, green_files).values()),
        # In a box the tree is at the path of the repository; on the host it is beside the trusted gitdir.
        roots=(spec.repository, posixpath.dirname(repository.gitdir)),
        removed_paths=frozenset(repository.recently_changed(commit, RECENT_COMMITS)) - tracked,
        shared_network=spec.box == "host",
        services=() if spec.box == "host" else spec.services,
        lfs_pointers=_pointers(repository, commit) if red else frozenset(),
    )


def list_recently_changed(services: Services, spec: RunSpec, commit: str) -> frozenset[str]:
    """Return the files that the last commits changed."""
    return frozenset(services.workspace(spec).repository.recently_changed(commit, RECENT_COMMITS))


def _pointers(repository: TrustedRepository, rev: str) -> frozenset[str]:
    paths = (repository.mentions(rev, [LFS_POINTER]) or {}).get(LFS_POINTER, ())[:MAX_FILES]
    return frozenset(path for path in paths if repository.read(rev, path).startswith(LFS_POINTER))


def _texts(repository: TrustedRepository, rev: str, paths: Iterable[str]) -> dict[str, str]:
    return {path: repository.read(rev, path)[:MAX_FILE_CHARS] for path in paths}


DIFF_BYTES = 60_000
"""Limit on the diff in the prompt; a reader can open every file."""


def read_conventions(repository: TrustedRepository, base: str) -> str:
    """Read the conventions from the base, never from the head: a pull request must not write its own rules."""
    return render_conventions([(name, repository.read(base, name)) for name in CONVENTIONS])


def read_advice(repository: TrustedRepository, base: str, attempt: int) -> str:
    """Read the project's own advice for this attempt from the base; the last file is for all later attempts."""
    return repository.read(base, f"{ADVICE_FOLDER}/{min(attempt, len(ESCALATION))}.md").strip()


def collect_change_facts(repository: TrustedRepository, title: str, snapshot: PullSnapshot) -> dict[str, object]:
    """Return the facts about a pull request that every reader's prompt shows."""
    return {
        "title": title,
        "base_ref": snapshot.base_ref,
        "diff": cut_diff(repository.diff(snapshot.base, snapshot.head), DIFF_BYTES),
        "conventions": read_conventions(repository, snapshot.base),
        "files": repository.change(snapshot.base, snapshot.head).paths,
    }
