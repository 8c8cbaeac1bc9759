"""The folders of one run: a trusted gitdir, fresh trees for boxes, and what is kept for people to read."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from reknit.adapters.files.folders import discard, make_fresh
from reknit.adapters.git.carried_copies import copy_small
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.box import BoxView
from reknit.core.errors import UsageProblem
from reknit.core.repository.toolchains import MANIFESTS, programs_for
from reknit.core.runs.spec import RunSpec
from reknit.core.services.service import program_of


class RunWorkspace:
    def __init__(self, spec: RunSpec, folder: Path) -> None:
        self._spec, self._folder = spec, folder
        self.repository = TrustedGit.open(str(folder / "trusted.git"))

    def ready(self, *revs: str) -> None:
        # The head of a pull request may not be in the user's repository.
        of_pull = self._spec.review is not None and bool(self._spec.review.pull)
        if self._spec.pull is None and self._spec.vote is None and not of_pull:
            self.repository.fetch(self._spec.repository, self._spec.on_top_of or self._spec.base)
        lost = [rev for rev in (*revs, *self._private()) if not self.repository.resolve(rev)]
        if lost:
            what = f"the work of {self._spec.run_id} ({lost[0][:7]}) is not on this machine"
            raise UsageProblem("elsewhere", what, help="workers that share a database must share REKNIT_STATE too")

    def _private(self) -> tuple[str, ...]:
        """Commits that only this machine has."""
        return (self._spec.base,) if self._spec.on_top_of else ()

    def open_tree(self, name: str, rev: str, *, only_tracked: bool = False) -> BoxView:
        tree = str(self._folder / "rooms" / name)
        self.repository.bring_submodules(self._spec.repository, rev)
        self.repository.write_tree_to(rev, tree)
        spec = self._spec
        if only_tracked:
            shown = spec.workspace.show
            return BoxView(repository=spec.repository, tree=tree, show=shown, gitdir=self.repository.gitdir)
        reports = [PurePosixPath(tests.folder, tests.report) for tests in spec.projects if tests.report]
        carry = [entry for entry in spec.workspace.carry if not _has_a_report(entry, reports)]
        carry += _chosen_environments(spec, tree, carry)
        return BoxView(
            repository=spec.repository,
            tree=tree,
            carry=tuple(carry),
            copied=copy_small(spec.repository, tree, carry),
            show=spec.workspace.show,
            gitdir=self.repository.gitdir,
            programs=_programs(spec, tree),
        )

    def folder(self, name: str) -> str:
        path = self._folder / "rooms" / name
        make_fresh(path)
        return str(path)

    def kept(self, name: str) -> str:
        path = self._folder / name
        path.mkdir(parents=True, exist_ok=True)
        return str(path)

    def keep_patch(self, name: str, base: str, head: str) -> str:
        path = self._folder / name
        path.write_bytes(self.repository.patch(base, head))
        return str(path)

    def close(self, name: str) -> None:
        discard(self._folder / "rooms" / name)


def _programs(spec: RunSpec, tree: str) -> tuple[str, ...]:
    places = {Path(tree, folder) for tests in spec.projects for folder in ("", tests.folder)}
    manifests = {name for name in MANIFESTS for place in places if Path(place, name).is_file()}
    beside = (program_of(service.run) for tests in spec.projects for service in tests.services)
    first = (tests.argv[0] for tests in spec.projects)
    return tuple(dict.fromkeys((*first, *filter(None, beside), *programs_for(manifests))))


def _has_a_report(entry: str, reports: Sequence[PurePosixPath]) -> bool:
    """Then it is not carried: what a box writes to a carried folder cannot be seen from outside."""
    return any(report.is_relative_to(entry) for report in reports)


def _chosen_environments(spec: RunSpec, tree: str, carry: Sequence[str]) -> list[str]:
    """The environments of the test commands' interpreters, such as `.tox/py312`, unless they are carried anyway."""
    found = []
    for program in dict.fromkeys(PurePosixPath(tests.argv[0]) for tests in spec.projects):
        if program.is_relative_to(spec.repository) and program.parent.name == "bin":
            entry = program.relative_to(spec.repository).parent.parent
            is_there = any(entry.is_relative_to(carried) for carried in carry) or Path(tree, entry).exists()
            if not is_there and Path(spec.repository, entry, "pyvenv.cfg").is_file():
                found.append(str(entry))
    return found
