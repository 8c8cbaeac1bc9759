"""Pipes that never block: what is kept, what is counted."""

import asyncio
import os
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.host import HostBox
from reknit.adapters.box.process import streams
from reknit.adapters.box.process.streams import Feed, Head, Tail
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.ports.box import Box


def test_of_a_head_the_beginning_is_kept_and_copied_and_all_is_counted(tmp_path: Path) -> None:
    read_fd, write_fd = os.pipe()
    os.write(write_fd, b"0123456789")
    with os.fdopen(read_fd, "rb", 0) as pipe, (tmp_path / "copy").open("wb", buffering=0) as copy:
        head = Head(pipe, 4, copy)
        assert head.read() == 10
        assert head.read() is None
        os.close(write_fd)
        assert head.read() == 0
    assert (bytes(head.data), head.total_bytes, (tmp_path / "copy").read_bytes()) == (b"0123", 10, b"0123")


def test_of_a_tail_the_end_is_kept() -> None:
    read_fd, write_fd = os.pipe()
    with os.fdopen(read_fd, "rb", 0) as pipe:
        tail = Tail(pipe, 4)
        for part in (b"01234", b"56"):
            os.write(write_fd, part)
            tail.drain()
        os.close(write_fd)
    assert (bytes(tail.data), tail.total_bytes) == (b"3456", 7)


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


PYTHON = "/usr/bin/python3"
REPORTER = """\
import os, sys
stream = {stream}
key = os.read(stream, 64)
for word in sys.argv[1:]:
    os.write(stream, key.strip() + b" " + word.encode() + b"\\n")
"""


@pytest.fixture(params=[Bubblewrap, HostBox])
def box(request: pytest.FixtureRequest) -> Box:
    made: Box = request.param()
    return made


def run(box: Box, view: BoxView, script: str, *words: str, key: str = "k" * 32) -> CommandResult:
    command = Command(
        (PYTHON, "<box-home>/made/r.py", *words),
        files={"made/r.py": script.encode()},
        stream_key=key,
        limits=CommandLimits(wall_s=60, idle_s=60),
    )
    return asyncio.run(box.run(view, command))


def test_what_is_reported_arrives_and_only_there(box: Box, view: BoxView) -> None:
    ended = run(box, view, REPORTER, "one", "two")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, b"", b"")
    assert ended.stream == b"k" * 32 + b" one\n" + b"k" * 32 + b" two\n"


def test_a_command_that_reports_nothing_and_reads_no_key(box: Box, view: BoxView) -> None:
    ended = run(box, view, "print({stream} > 2)")
    assert (ended.stdout, ended.stream) == (b"True\n", b"")


def test_without_a_key_there_is_no_stream(box: Box, view: BoxView) -> None:
    ended = run(box, view, "import os; print([n for n in os.listdir('/proc/self/fd') if int(n) > 3])", key="")
    assert (ended.stdout, ended.stream) == (b"[]\n", b"")


def test_another_process_cannot_open_it_by_a_path(box: Box, view: BoxView) -> None:
    script = """
import os, sys
if os.fork() == 0:
    os.close({stream})
    for flags in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.open(f"/proc/{os.getppid()}/fd/{stream}", flags)
        except OSError as refused:
            print(refused.errno, flush=True)
    os._exit(0)
os.wait()
"""
    assert run(box, view, script).stdout == b"6\n6\n", "ENXIO"


def test_it_is_bounded(view: BoxView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_KEPT_BYTES", 40)
    ended = run(HostBox(), view, REPORTER, "a" * 100_000, "b" * 100_000)
    assert (ended.exit_code, len(ended.stream)) == (0, 40)


def test_a_process_that_outlives_its_command_does_not_keep_it_open(view: BoxView) -> None:
    script = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(2)\nos.write({stream}, b'x')\n"
    assert run(HostBox(), view, script).stream == b"x"
