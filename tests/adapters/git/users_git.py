"""Plain git as a user runs it, to build the repositories of these tests."""

import os
from pathlib import Path

from reknit.adapters import process
from reknit.core.repository.change import Change

FILES = {"app.py": "one\n", "lib/deep/x.py": "x\n", "keep.txt": "k\n", ".gitignore": "*.log\n"}
AT = 1_700_000_000.0


def git(folder: Path, *args: str, check: bool = True) -> str:
    env = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "user", "GIT_AUTHOR_EMAIL": "user@example.test", "GIT_COMMITTER_NAME": "user",
        "GIT_COMMITTER_EMAIL": "user@example.test", "GIT_ALLOW_PROTOCOL": "file",
        "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    }  # fmt: skip
    done = process.run(["git", *args], env=env, cwd=str(folder))
    assert not check or done.exit_code == 0, (args, done.stderr.decode())
    return done.stdout.decode().strip()


def repository(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=start")
    return folder


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD")


def files_of(change: Change) -> dict[str, bytes | None]:
    return {file.path: file.after for file in change.files}
