"""Pipes that never block: what is kept, what is counted."""

import os
from pathlib import Path

import pytest

from reknit.adapters.box.process.streams import Feed, Head, Tail


def test_of_a_head_the_beginning_is_kept_and_copied_and_all_is_counted(tmp_path: Path) -> None:
    read_fd, write_fd = os.pipe()
    os.write(write_fd, b"0123456789")
    with os.fdopen(read_fd, "rb", 0) as pipe, (tmp_path / "copy").open("wb", buffering=0) as copy:
        head = Head(pipe, 4, copy)
        assert head.read() == 10
        assert head.read() is None
        os.close(write_fd)
        assert head.read() == 0
    assert (bytes(head.kept), head.seen, (tmp_path / "copy").read_bytes()) == (b"0123", 10, b"0123")


def test_of_a_tail_the_end_is_kept() -> None:
    read_fd, write_fd = os.pipe()
    with os.fdopen(read_fd, "rb", 0) as pipe:
        tail = Tail(pipe, 4)
        for part in (b"01234", b"56"):
            os.write(write_fd, part)
            tail.drain()
        os.close(write_fd)
    assert (bytes(tail.kept), tail.seen) == (b"3456", 7)


def test_a_feed_waits_for_a_slow_reader_and_forgives_one_that_left() -> None:
    read_fd, write_fd = os.pipe()
    feed = Feed(os.fdopen(write_fd, "wb", 0), b"x" * 1_000_000)
    assert all(feed.write() for _ in range(50)), "a full pipe is no end"
    os.close(read_fd)
    assert not feed.write()
    feed.close()


def test_a_child_without_pipes_cannot_be_watched() -> None:
    with pytest.raises(ValueError, match="without its pipes"):
        Head(None, 1, None)
