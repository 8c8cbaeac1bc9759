"""Finds where the user's repository keeps its objects and branches by reading files: no git runs in it."""

from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import UsageProblem


def common_gitdir(repository: str) -> Path:
    """The gitdir that all worktrees of this repository share."""
    marker = Path(repository, ".git")
    gitdir = marker if marker.is_dir() else _pointed_at(marker)
    link = gitdir / "commondir"
    common = gitdir / read_plain_text(link).strip() if link.is_file() else gitdir
    if not (common / "objects").is_dir():
        raise UsageProblem("no-repository", f"{repository!r} is not the top of a git working tree")
    return common.resolve()


def _pointed_at(marker: Path) -> Path:
    text = read_plain_text(marker) if marker.is_file() else ""
    if not text.startswith("gitdir:"):
        raise UsageProblem("no-repository", f"{str(marker.parent)!r} is not the top of a git working tree")
    return marker.parent / text.removeprefix("gitdir:").strip()
