"""A repository on a forge with a branch to push to, and a trusted gitdir that has fetched it."""

import base64
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.forge.values import Remote
from reknit.core.repository.change import REGULAR, Change, FileChange
from tests.adapters.git.git_server import GitServer
from tests.adapters.git.users_git import AT, FILES, git, head, repository

TOKEN = "ghs_t0k3n-that-opens-it"
HEADER = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
BRANCH = "refs/heads/topic"


@dataclass
class ForgeScene:
    server: GitServer
    person: Path
    """A clone in which somebody else works; `origin` is the bare repository itself."""
    trusted: TrustedGit
    remote: Remote

    @classmethod
    def make(cls, server: GitServer, tmp_path: Path) -> "ForgeScene":
        person = repository(tmp_path / "person", FILES)
        git(person, "checkout", "--quiet", "-b", "topic")
        git(tmp_path, "clone", "--quiet", "--bare", "person", str(server.folder / "shop.git"))
        git(person, "remote", "add", "origin", str(server.folder / "shop.git"))
        trusted = TrustedGit.open(str(tmp_path / "data" / "trusted.git"))
        return cls(server, person, trusted, Remote(f"{server.url}/shop.git", HEADER))

    @property
    def bare(self) -> Path:
        return self.server.folder / "shop.git"

    def fetched(self) -> str:
        return self.trusted.fetch_from(self.remote, [BRANCH])[BRANCH]

    def fix(self, base: str, text: str = "fixed\n") -> str:
        """Our commit on top of base."""
        before = self.trusted.read(base, "app.py").encode()
        file = FileChange("app.py", before, text.encode(), REGULAR, REGULAR)
        return self.trusted.commit(base, Change((file,)), "fix: it\n\nRun: r1\n", at=AT)

    def tip(self) -> str:
        return git(self.bare, "rev-parse", BRANCH)

    def commit(self, **files: str) -> str:
        """A person's commit, not yet pushed."""
        for name, text in files.items():
            (self.person / name).write_text(text)
        git(self.person, "add", "--all")
        git(self.person, "commit", "--quiet", "--message=by a person")
        return head(self.person)

    def push(self, **files: str) -> str:
        made = self.commit(**files)
        git(self.person, "push", "--quiet", "origin", "topic")
        return made
