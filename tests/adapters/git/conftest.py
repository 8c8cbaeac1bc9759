"""A user's repository, a trusted gitdir that has its commit, that commit written out; and a repository on a forge."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.git.trusted_repository import TrustedGit
from tests.adapters.git.forge_scene import ForgeScene
from tests.adapters.git.git_server import git_server
from tests.adapters.git.users_git import FILES, head, repository


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


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[ForgeScene]:
    (tmp_path / "forge").mkdir()
    with git_server(tmp_path / "forge") as server:
        yield ForgeScene.make(server, tmp_path)
