"""A repository to explore: an origin with documents, plans, settings and a branch, and clones of it."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from reknit.app.installation import Installation, find_installation
from reknit.app.start.exploration.explore import explore
from reknit.core.planning.context import RepoContext
from reknit.core.planning.exploration.document import to_document

TODAY = date(2026, 11, 17)
FILES: dict[str, str | bytes] = {
    "README.md": "---\nstatus: current\nupdated: 2026-11-01\n---\n# Shop\n",
    "STATE.md": "---\nupdated: 2026-10-01\n---\n",
    "docs/ARCHITECTURE.md": "---\ntitle: Größe\ntags: [a, b]\nstatus: stale\n---\n",
    "docs/guides/use.md": "# Use\n",
    "docs/picture.png": b"\x89PNG\xff",
    "CHANGELOG.md": "# Changes\n",
    "LICENSE": "free\n",
    "AGENTS.md": "Be kind.\n",
    ".github/workflows/ci.yml": "on: push\n",
    ".github/CODEOWNERS": "* @ann\n",
    ".mcp.json": '{"mcpServers": {"db": {}}}',
    ".codex/config.toml": "[mcp_servers.web]\nurl = 'x'\n",
    "reknit.toml": '[checks.tests]\nrun = "python3 -m unittest"\n',
    ".reknit/plans/index.md": "---\ntitle: Plans\n---\n- [One](one-advisor.md)\n- gone.md\n",
    ".reknit/plans/one-advisor.md": "---\nstatus: current\n---\n",
    "src/a.py": "A = 1\n",
    "src/b.py": "B = 1\n",
    "web/c.ts": "export {}\n",
}


def git(folder: Path, *arguments: str, at: int = 1_790_000_000) -> str:
    environment = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.test", "GIT_AUTHOR_DATE": f"{at} +0900",
        "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.test", "GIT_COMMITTER_DATE": f"{at} +0900",
    }  # fmt: skip
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write(folder: Path, files: Mapping[str, str | bytes], order: Iterable[str] | None = None) -> None:
    for name in order or files:
        content = files[name]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def committed(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A repository with these files in one commit, and without an origin."""
    folder.mkdir(parents=True)
    write(folder, files)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=feat: first")
    return folder


def cloned(origin: Path, folder: Path, *, branch: str = "main") -> Path:
    git(origin, "clone", "--quiet", "--branch", branch, str(origin), str(folder))
    return folder


def place_in(folder: Path, **more: str) -> Installation:
    """With no agent on PATH but those in `folder/bin`, and nothing of the machine's user."""
    environment = {"PATH": str(folder / "bin"), "HOME": str(folder), "REKNIT_STATE": str(folder / "state"), **more}
    return find_installation(environment)


def explored(folder: Path, place: Path | None = None) -> RepoContext:
    return explore(place_in(place or folder.parent), folder, TODAY)


def as_json(context: RepoContext) -> str:
    return json.dumps(to_document(context), ensure_ascii=False, indent=1)
