"""The order of mounts, and the files that go with them."""

import os

from reknit.adapters.boxes.mounts import Mounts


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


def test_content_is_handed_over_in_an_open_file_from_its_start() -> None:
    mounts = Mounts()
    fd = int(mounts.data(b"x" * 100_000))
    assert os.read(fd, 200_000) == b"x" * 100_000
    assert mounts.fds == [fd]
    mounts.close()
    assert mounts.fds == []
