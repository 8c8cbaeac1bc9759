"""Noise by its name, and caches by their mark."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git.left_by_tools import CACHE_MARK, OPEN_FOLDER, has_file, is_empty, is_noise


@pytest.mark.parametrize(
    ("path", "is_folder", "expected"),
    [
        (b"a/__pycache__", True, True),
        (b"__pycache__", False, False),
        (b"node_modules/.vite", True, True),
        (b"web/test-results", True, True),
        (b"web/.vite", True, False),
        (b"src/target", True, False),
        (b"a/x.pyc", False, True),
        (b".coverage", False, True),
        (b"x.py", False, False),
    ],
)
def test_what_is_noise(path: bytes, *, is_folder: bool, expected: bool) -> None:
    assert is_noise(path, is_folder=is_folder) is expected


def test_a_mark_is_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / CACHE_MARK).symlink_to("/etc/hostname")
    handle = os.open(tmp_path, OPEN_FOLDER)
    try:
        assert is_empty(handle, "cache")
        assert not has_file(handle, "cache", CACHE_MARK)
        (tmp_path / "cache" / CACHE_MARK).touch()
        assert has_file(handle, "cache", CACHE_MARK)
        assert not has_file(handle, "linked", CACHE_MARK)
        assert not is_empty(handle, "cache")
    finally:
        os.close(handle)
