"""The order of mounts, and the files that go with them."""

import os
from pathlib import Path

from reknit.adapters.box.bubblewrap.as_root.mounts import RootMounts
from reknit.adapters.box.bubblewrap.mounts import Mounts


def test_outer_mounts_come_first_and_seals_last() -> None:
    mounts = Mounts()
    mounts.seal("/")
    mounts.read_only("/a/b/c", "/a/b/c")
    mounts.writable("/x", "/a/b")
    mounts.empty("/a", 4096)
    assert mounts.arguments() == [
        *("--size", "4096", "--tmpfs", "/a"),
        *("--bind", "/x", "/a/b"),
        *("--ro-bind-try", "/a/b/c", "/a/b/c"),
        *("--remount-ro", "/"),
    ]


def test_what_only_root_may_reach_is_named_by_where_its_namespace_has_it() -> None:
    mounts = Mounts(RootMounts(60_999))
    mounts.read_only("/usr", "/usr")
    mounts.read_only("/proc/sys", "/proc/sys")
    mounts.read_only("/usr/lib/closed", "/x")
    mounts.writable("/srv/tree", "/y")
    assert mounts.arguments() == [
        *("--ro-bind-try", "/usr", "/usr"),
        *("--ro-bind-try", "/tmp/0", "/x"),
        *("--bind", "/tmp/1", "/y"),
        *("--ro-bind-try", "/proc/sys", "/proc/sys"),
    ]


def test_a_hidden_folder_is_empty_and_a_hidden_file_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    mounts = Mounts()
    mounts.hide(str(tmp_path))
    mounts.hide(str(tmp_path / "file"))
    assert mounts.arguments() == [
        *("--size", "4096", "--tmpfs", str(tmp_path)),
        *("--ro-bind-try", "/dev/null", str(tmp_path / "file")),
        *("--remount-ro", str(tmp_path)),
    ]


def test_content_is_handed_over_in_an_open_file_from_its_start() -> None:
    mounts = Mounts()
    fd = int(mounts.data(b"x" * 100_000))
    assert os.read(fd, 200_000) == b"x" * 100_000
    assert mounts.fds == [fd]
    mounts.close()
    assert mounts.fds == []
