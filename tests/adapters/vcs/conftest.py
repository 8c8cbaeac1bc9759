"""A user's repository, a trusted gitdir that has its commit, and that commit written out."""

from pathlib import Path

import pytest

from reknit.adapters.vcs.trusted_git import TrustedGit
from tests.adapters.vcs.users_git import FILES, head, repository


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", FILES)


@pytest.fixture
def trusted(tmp_path: Path, user: Path) -> TrustedGit:
    made = TrustedGit.open(str(tmp_path / "data" / "trusted.git"))
    made.fetch(str(user), head(user))
    return made


@pytest.fixture
def tree(tmp_path: Path, user: Path, trusted: TrustedGit) -> Path:
    trusted.write_tree_to(head(user), str(tmp_path / "tree"))
    return tmp_path / "tree"
