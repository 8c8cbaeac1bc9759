"""The folders of one run: its trusted gitdir, fresh trees for boxes, and stored results."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reknit.adapters.files.folders import NO_SPACE, discard, make_fresh
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.box import BoxView
from reknit.core.errors import DiskFullError, UsageError
from reknit.core.repository.prerequisites import MANIFESTS, list_toolchain_programs
from reknit.core.runs.spec import RunSpec
from reknit.core.services.service import parse_program


@dataclass(frozen=True)
class CopyLimit:
    """Maximum number and total size of files that are copied."""

    files: int
    bytes: int


FOLDER = CopyLimit(500, 10_000_000)
"""Limit for one folder. A box lays an overlay over a larger one, which takes the same time for any size."""
TOTAL = CopyLimit(20_000, 200_000_000)
"""Limit for all entries together."""


class _NotCopiedError(Exception):
    """The entry is too large, or contains something other than files, folders and links."""


def copy_small(repository: str, tree: str, entries: Sequence[str]) -> tuple[str, ...]:
    """Copy small carried entries into a tree, so that tests can change them there. Return the copied ones.

    Nothing that the tree already has is replaced, and no link is followed.
    """
    here = [entry for entry in entries if _is_reached_plainly(repository, entry)]
    free = [entry for entry in here if _is_reached_plainly(tree, entry) and not os.path.lexists(Path(tree, entry))]
    copied: list[str] = []
    files = size = 0
    for entry in sorted(free, key=lambda entry: Path(repository, entry).is_dir()):
        limit = CopyLimit(TOTAL.files - files, TOTAL.bytes - size)
        if Path(repository, entry).is_dir():
            limit = CopyLimit(min(FOLDER.files, limit.files), min(FOLDER.bytes, limit.bytes))
        try:
            used = _measure(Path(repository, entry), limit)
            _copy(Path(repository, entry), Path(tree, entry))
        except (_NotCopiedError, OSError) as problem:
            discard(Path(tree, entry))
            if isinstance(problem, OSError) and problem.errno in NO_SPACE:
                raise DiskFullError(tree) from problem
            continue
        copied.append(entry)
        files, size = files + used.files, size + used.bytes
    return tuple(copied)


def _is_reached_plainly(top: str, entry: str) -> bool:
    """Return True if every part of the path but the last is a folder or missing, and none is a link."""
    parts = Path(entry).parts
    if not parts or entry.startswith("/") or ".." in parts:
        return False
    steps = [Path(top, *parts[:count]) for count in range(1, len(parts))]
    return all(not step.is_symlink() and (step.is_dir() or not step.exists()) for step in steps)


def _measure(top: Path, limit: CopyLimit) -> CopyLimit:
    files = size = 0
    for facts in _read_facts(top):
        kind = stat.S_IFMT(facts.st_mode)
        files, size = files + 1, size + (facts.st_size if kind == stat.S_IFREG else 0)
        if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) or files > limit.files or size > limit.bytes:
            raise _NotCopiedError
    return CopyLimit(files, size)


def _read_facts(top: Path) -> Iterator[os.stat_result]:
    facts = top.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise _NotCopiedError  # links inside a carried folder are copied, but a link is never carried itself
    yield facts
    waiting = [top] if stat.S_ISDIR(facts.st_mode) else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))


def _copy(source: Path, place: Path) -> None:
    """Copy with the modification times, which `make` compares."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True)
    else:
        shutil.copy2(source, place, follow_symlinks=False)


class RunWorkspace:
    """Implements `ports.Workspace`."""

    def __init__(self, spec: RunSpec, folder: Path) -> None:
        self._spec, self._folder = spec, folder
        self.repository = TrustedGit.open(str(folder / "trusted.git"))

    def ensure_commits(self, *revs: str) -> None:
        # The head of a pull request may not be in the user's repository.
        if not self._spec.task.is_on_forge:
            self.repository.fetch(self._spec.repository, self._spec.uncommitted.on_top_of or self._spec.base)
        lost = [rev for rev in (*revs, *self._list_private_commits()) if not self.repository.resolve(rev)]
        if lost:
            message = f"the work of {self._spec.run_id} ({lost[0][:7]}) is not on this machine"
            raise UsageError("elsewhere", message, help="workers that share a database must share REKNIT_STATE too")

    def _list_private_commits(self) -> tuple[str, ...]:
        """List the commits that only this machine has."""
        return (self._spec.base,) if self._spec.uncommitted.on_top_of else ()

    def open_tree(self, name: str, rev: str, *, only_tracked: bool = False) -> BoxView:
        tree = str(self._folder / "rooms" / name)
        self.repository.bring_submodules(self._spec.repository, rev)
        self.repository.write_tree_to(rev, tree)
        spec = self._spec
        if only_tracked:
            show = spec.workspace.show
            return BoxView(repository=spec.repository, tree=tree, show=show, gitdir=self.repository.gitdir)
        reports = [PurePosixPath(tests.folder, tests.report) for tests in spec.projects if tests.report]
        carry = [entry for entry in spec.workspace.carry if not _has_a_report(entry, reports)]
        carry += _list_environments(spec, tree, carry)
        return BoxView(
            repository=spec.repository,
            tree=tree,
            carry=tuple(carry),
            copied=copy_small(spec.repository, tree, carry),
            show=spec.workspace.show,
            gitdir=self.repository.gitdir,
            programs=_list_programs(spec, tree),
        )

    def folder(self, name: str) -> str:
        path = self._folder / "rooms" / name
        make_fresh(path)
        return str(path)

    def kept_folder(self, name: str) -> str:
        path = self._folder / name
        path.mkdir(parents=True, exist_ok=True)
        return str(path)

    def keep_patch(self, name: str, base: str, head: str) -> str:
        path = self._folder / name
        path.write_bytes(self.repository.patch(base, head))
        return str(path)

    def close(self, name: str) -> None:
        discard(self._folder / "rooms" / name)


def _list_programs(spec: RunSpec, tree: str) -> tuple[str, ...]:
    places = {Path(tree, folder) for tests in spec.projects for folder in ("", tests.folder)}
    manifests = {name for name in MANIFESTS for place in places if Path(place, name).is_file()}
    beside = (parse_program(service.run) for tests in spec.projects for service in tests.services)
    first = (tests.argv[0] for tests in spec.projects)
    return tuple(dict.fromkeys((*first, *filter(None, beside), *list_toolchain_programs(manifests))))


def _has_a_report(entry: str, reports: Sequence[PurePosixPath]) -> bool:
    """Return True if the entry has a test report. It is then not carried: writes to carried entries stay in the box."""
    return any(report.is_relative_to(entry) for report in reports)


def _list_environments(spec: RunSpec, tree: str, carry: Sequence[str]) -> list[str]:
    """List virtual environments of the test commands, such as `.tox/py312`, that are not in `carry`."""
    entries = []
    for program in dict.fromkeys(PurePosixPath(tests.argv[0]) for tests in spec.projects):
        if program.is_relative_to(spec.repository) and program.parent.name == "bin":
            entry = program.relative_to(spec.repository).parent.parent
            is_there = any(entry.is_relative_to(carried) for carried in carry) or Path(tree, entry).exists()
            if not is_there and Path(spec.repository, entry, "pyvenv.cfg").is_file():
                entries.append(str(entry))
    return entries
