"""One watched child: feeding, greeting, stopping; the limits themselves are in tests/contracts/test_boxes.py."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from reknit.adapters.box.process.process_tree import ProcessGroup
from reknit.adapters.box.process.supervisor import NOT_STARTED, STDERR_TAIL_BYTES, ProcessStart, supervise
from reknit.core.box import CommandLimits, CommandResult
from reknit.core.errors import ToolMissingError

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
LIMITS = CommandLimits(wall_s=20, idle_s=20)


def shell(script: str, *, stdin: bytes = b"", handshake: bool = False) -> ProcessStart:
    return ProcessStart(argv=["sh", "-c", script], env=ENV, stdin=stdin, handshake=handshake)


def run(start: ProcessStart, limits: CommandLimits = LIMITS, transcript: str = "") -> CommandResult:
    return asyncio.run(supervise(lambda: start, ProcessGroup(), limits=limits, transcript=transcript))


def test_a_handshake_is_no_part_of_the_output_or_the_input(tmp_path: Path) -> None:
    transcript = tmp_path / "transcript"
    ended = run(shell("echo; read -r _; exec cat", stdin=b"data", handshake=True), transcript=str(transcript))
    assert ended.stdout == transcript.read_bytes() == b"data"


def test_a_child_that_dies_before_the_handshake_never_ran_the_command() -> None:
    ended = run(shell("echo no box >&2; exit 1", handshake=True))
    assert (ended.reason, ended.exit_code, ended.stderr) == ("exit", NOT_STARTED, b"no box\n")


def test_the_limits_hold_before_the_handshake_too() -> None:
    assert run(shell("sleep 60", handshake=True), CommandLimits(wall_s=0.2)).reason == "wall"


def test_of_stderr_the_end_is_kept() -> None:
    ended = run(shell("yes 0123456789 | head -c 300000 >&2; printf END >&2"))
    assert len(ended.stderr) == STDERR_TAIL_BYTES
    assert ended.stderr.endswith(b"END")


def test_the_transcript_is_written_as_it_comes(tmp_path: Path) -> None:
    transcript, gate = tmp_path / "transcript", tmp_path / "gate"
    os.mkfifo(gate)

    async def look_while_it_runs() -> bytes:
        start = shell(f"echo first; cat {gate}; echo second")
        task = asyncio.create_task(supervise(lambda: start, ProcessGroup(), limits=LIMITS, transcript=str(transcript)))
        while not transcript.exists() or transcript.read_bytes() == b"":
            await asyncio.sleep(0.005)
        seen = transcript.read_bytes()
        await asyncio.to_thread(gate.write_text, "")
        await task
        return seen

    assert asyncio.run(look_while_it_runs()) == b"first\n"
    assert transcript.read_bytes() == b"first\nsecond\n"


def test_passed_files_are_closed_here() -> None:
    read_fd, write_fd = os.pipe()
    ended = run(ProcessStart(argv=["sh", "-c", "ls /proc/self/fd"], env=ENV, pass_fds=[write_fd]))
    assert str(write_fd).encode() in ended.stdout.split()
    assert os.read(read_fd, 1) == b""
    os.close(read_fd)


def test_passed_files_are_closed_even_if_nothing_starts() -> None:
    read_fd, write_fd = os.pipe()
    with pytest.raises(ToolMissingError):
        run(ProcessStart(argv=["no-such-program"], env=ENV, pass_fds=[write_fd]))
    assert os.read(read_fd, 1) == b""
    os.close(read_fd)


def test_stopping_wakes_the_watcher_at_once() -> None:
    async def cancel_it() -> float:
        task = asyncio.create_task(supervise(lambda: shell("sleep 60"), ProcessGroup(), limits=LIMITS))
        await asyncio.sleep(0.1)
        asked = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - asked

    assert asyncio.run(cancel_it()) < LIMITS.wall_s / 2, "it was ended by its limit"


def test_the_event_loop_goes_on_meanwhile(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def open_it_later() -> str:
        task = asyncio.create_task(supervise(lambda: shell(f"cat {gate}"), ProcessGroup(), limits=LIMITS))
        for _ in range(5):
            await asyncio.sleep(0.01)
            assert not task.done()
        await asyncio.to_thread(gate.write_text, "")
        return (await task).reason

    assert asyncio.run(open_it_later()) == "exit"


def test_no_file_is_left_open() -> None:
    run(shell("true"))
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(5):
        run(shell("echo x; echo y >&2", stdin=b"z"))
    assert len(set(os.listdir("/proc/self/fd")) - before) == 0
