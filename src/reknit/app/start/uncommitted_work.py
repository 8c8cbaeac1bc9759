"""Commits uncommitted work to a private repository, for a run to repair. It only reads the user's own repository."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.staged_files import StagedRepository
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.core.errors import UsageError
from reknit.core.hook.exports import is_export
from reknit.core.repository.uncommitted import plan_carry
from reknit.core.runs.spec import name_uncommitted_ref


@dataclass(frozen=True)
class WorkingTreeCommit:
    """A private commit of the working tree."""

    commit: str
    """Commit on top of the last one; the last commit itself if nothing differs from it."""
    paths: tuple[str, ...]
    secrets: tuple[str, ...]
    """New files that look like secrets: not in the commit, since an agent could read them."""


def commit_uncommitted(gitdir: Path, repository: UserRepository, run_id: str) -> WorkingTreeCommit:
    """Commit the working tree as it is. `gitdir`: our own repository, which gets the commit."""
    new = [path for path in repository.untracked() if not is_export(path)]
    secrets = plan_carry(new).secrets
    edited = (path for path in repository.dirty() if not path.endswith("/") and not is_export(path))
    paths = sorted({*edited, *new} - {*secrets})
    trusted, head = TrustedGit.open(str(gitdir)), repository.head()
    trusted.fetch(repository.root, head)
    if not paths:
        return WorkingTreeCommit(head, (), secrets)
    with temporary_folder("reknit-uncommitted-") as folder:  # only what differs: a tree may have 100,000 files
        _copy_files(Path(repository.root), Path(folder), paths)
        change = trusted.snapshot(folder, head, name_uncommitted_ref(run_id), only=paths, at=time.time())
    if change.unsafe:
        path, why = change.unsafe[0]
        raise UsageError("uncommitted", f"{path} cannot be part of the run: {why}", help="commit or remove it")
    return WorkingTreeCommit(trusted.resolve(name_uncommitted_ref(run_id)), change.paths, secrets)


def commit_staged(installation: Installation, repository: UserRepository, run_id: str) -> str:
    """Commit the staged changes on top of the last commit, without other changes of the working tree."""
    trusted, head = TrustedGit.open(str(installation.runs / run_id / "trusted.git")), repository.head()
    trusted.fetch(repository.root, head)
    staged = repository.staged()
    if not staged:
        raise UsageError("nothing-staged", "nothing is staged", help="`git add` what should be reviewed")
    with temporary_folder("reknit-staged-") as folder:
        trusted.write_tree_to(head, folder)
        _remove_files(Path(folder), staged)
        StagedRepository(repository.root).write(staged, folder)
        change = trusted.snapshot(folder, head, name_uncommitted_ref(run_id), at=time.time())
    if change.unsafe:
        path, why = change.unsafe[0]
        raise UsageError("staged", f"{path} cannot be part of the run: {why}", help="unstage it")
    return trusted.resolve(name_uncommitted_ref(run_id))


def _remove_files(root: Path, paths: Sequence[str]) -> None:
    """Remove the files, and the folders that this leaves empty: a file may replace such a folder."""
    for path in paths:
        old = root / path
        if old.is_symlink() or old.is_file():
            old.unlink()
        for folder in old.relative_to(root).parents[:-1]:
            if (root / folder).is_dir() and not any((root / folder).iterdir()):
                (root / folder).rmdir()


def _copy_files(source: Path, target: Path, paths: Sequence[str]) -> None:
    for path in paths:
        old, new = source / path, target / path
        if old.is_symlink() or old.is_file():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new, follow_symlinks=False)
