"""The files of this project, without asking git: a checkout may come without its history."""

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_IGNORED = (*(ROOT / ".gitignore").read_text().split(), ".git")


def is_ignored(name: str) -> bool:
    return any(fnmatch(name, pattern.rstrip("/")) for pattern in _IGNORED)


def top_entries() -> list[str]:
    return sorted(name for name in os.listdir(ROOT) if not is_ignored(name))


def project_files() -> Iterator[Path]:
    """Links too, which are not followed."""
    for here, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if not is_ignored(name))
        links = [name for name in folders if Path(here, name).is_symlink()]
        yield from (Path(here, name) for name in sorted((*files, *links)) if not is_ignored(name))
