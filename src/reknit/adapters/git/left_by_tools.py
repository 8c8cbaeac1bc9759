"""What tools leave in a folder that an agent worked in, by name and mark; no link is followed to look."""

import os
import stat

from reknit.adapters.git.plumbing.objects import shown

NOISE_FOLDERS = frozenset(
    ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", ".tox", ".nox", ".gradle",
     ".eggs", ".nyc_output", "htmlcov", "test-results", "playwright-report", "blob-report",
     "node_modules/.cache", "node_modules/.vite", "node_modules/.vitest")
)  # fmt: skip
"""Left by tools that an agent may run. Noise is in no snapshot, so it can never land."""
NOISE_FILES = frozenset((".coverage", ".DS_Store"))
NOISE_SUFFIXES = (".pyc", ".pyo")

CACHE_MARK = "CACHEDIR.TAG"
"""In a folder that a tool declares to be a cache, such as cargo's `target`."""
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
OPEN_FOLDER = OPEN | os.O_DIRECTORY


def is_noise(path: bytes, *, is_folder: bool) -> bool:
    """For a path that is not tracked at base."""
    parts = shown(path).split("/")
    if is_folder:
        return parts[-1] in NOISE_FOLDERS or "/".join(parts[-2:]) in NOISE_FOLDERS
    return parts[-1] in NOISE_FILES or parts[-1].endswith(NOISE_SUFFIXES)


def is_empty(handle: int, name: str) -> bool:
    inner = os.open(name, OPEN_FOLDER, dir_fd=handle)
    try:
        with os.scandir(inner) as listing:
            return next(listing, None) is None
    finally:
        os.close(inner)


def has_file(handle: int, folder: str, name: str) -> bool:
    inner = os.open(folder, OPEN_FOLDER, dir_fd=handle)
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=inner, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False
    finally:
        os.close(inner)
