"""Repositories of cases: made of files, and read back at a commit."""

import io
import subprocess
import tarfile
from pathlib import Path

from gauntlet.case import Files

_IDENTITY = ("-c", "user.name=Dana", "-c", "user.email=dana@example.org", "-c", "commit.gpgsign=false")


def write_files(folder: Path, files: Files) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)


def commit_files(repository: Path, files: Files) -> None:
    write_files(repository, files)
    git(repository, "init", "-q", ".")
    git(repository, "add", "-A", "--force")
    git(repository, "commit", "-q", "-m", "The shop")


def extract(repository: Path, commit: str, folder: Path) -> None:
    """Writes the files of a commit into the folder."""
    with tarfile.open(fileobj=io.BytesIO(git(repository, "archive", commit))) as archive:
        archive.extractall(folder, filter="data")


def git(repository: Path, *argv: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *_IDENTITY, *argv], check=True, capture_output=True).stdout
