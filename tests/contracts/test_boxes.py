"""What every box promises, tried on each of them."""

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.host import HostBox
from reknit.core.agents.call import Usage
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.gateway.access import GatewayObservation
from reknit.ports.box import Box
from tests.adapters.box.lifeline import DAEMON, Lifeline

BOXES: dict[str, Callable[[], Box]] = {"bubblewrap": Bubblewrap, "host": HostBox}
USUAL = CommandLimits()
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable


@pytest.fixture(params=sorted(BOXES))
def box(request: pytest.FixtureRequest) -> Box:
    return BOXES[request.param]()


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for name in ("repository", "tree", "outbox"):
        (tmp_path / name).mkdir()
    return BoxView(repository=str(tmp_path / "repository"), tree=str(tmp_path / "tree"), programs=(PYTHON,))


def shell(script: str, *, limits: CommandLimits = USUAL, outbox: str = "", transcript: str = "") -> Command:
    return Command(argv=("sh", "-c", script), limits=limits, outbox=outbox, transcript=transcript)


def run(box: Box, view: BoxView, command: Command) -> CommandResult:
    async def awaited() -> CommandResult:
        return await box.run(view, command)

    return asyncio.run(awaited())


def test_exit_code_and_both_outputs_are_kept(box: Box, view: BoxView) -> None:
    ended = run(box, view, shell("echo out; echo err >&2; exit 7"))
    assert (ended.reason, ended.exit_code, ended.stdout, ended.stderr) == ("exit", 7, b"out\n", b"err\n")


def test_a_big_stdin_is_fed_whole(box: Box, view: BoxView) -> None:
    ended = run(box, view, Command(argv=("cat",), stdin=b"0123456789" * 100_000))
    assert ended.stdout == b"0123456789" * 100_000


def test_a_command_that_does_not_read_its_stdin_ends_as_usual(box: Box, view: BoxView) -> None:
    assert run(box, view, Command(argv=("true",), stdin=b"x" * 1_000_000)).exit_code == 0


def test_it_runs_in_the_tree_and_may_write_there(box: Box, view: BoxView) -> None:
    assert run(box, view, shell("echo new > made")).exit_code == 0
    assert Path(view.tree, "made").read_text() == "new\n"
    assert not Path(view.repository, "made").exists()


@pytest.mark.parametrize(
    ("script", "limits", "reason"),
    [
        pytest.param("sleep 60", CommandLimits(wall_s=0.3), "wall", id="the-wall-limit-ends-a-hang"),
        pytest.param("exec >&- 2>&-; sleep 60", CommandLimits(wall_s=0.3), "wall", id="closed-pipes-are-no-way-out"),
        pytest.param("echo hi; sleep 60", CommandLimits(idle_s=0.3), "idle", id="silence-ends-it"),
        pytest.param("yes", CommandLimits(output_bytes=100_000), "output", id="a-flood-ends-it"),
        pytest.param("yes >&2", CommandLimits(output_bytes=100_000), "output", id="a-flood-of-errors-too"),
    ],
)
def test_limits_end_a_command(box: Box, view: BoxView, script: str, limits: CommandLimits, reason: str) -> None:
    ended = run(box, view, shell(script, limits=limits))
    assert ended.reason == reason
    assert ended.seconds < 30
    assert len(ended.stdout) <= limits.output_bytes


def test_noise_on_stderr_is_no_silence(box: Box, view: BoxView) -> None:
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 0.5; echo . >&2; done"
    assert run(box, view, shell(script, limits=CommandLimits(idle_s=3))).reason == "exit"


def test_output_that_was_cut_is_never_called_an_ordinary_exit(box: Box, view: BoxView) -> None:
    ended = run(box, view, shell("printf 1234567890", limits=CommandLimits(output_bytes=4)))
    assert (ended.reason, ended.stdout) == ("output", b"1234")


def test_the_transcript_has_what_was_kept(box: Box, view: BoxView, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript"
    run(box, view, shell("echo one; echo two", transcript=str(transcript)))
    assert transcript.read_text() == "one\ntwo\n"


def test_nothing_of_our_environment_gets_in(box: Box, view: BoxView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_CANARY", "canary")
    ended = run(box, view, Command(argv=("env",), env={"GIVEN": "given"}))
    names = {line.partition("=")[0] for line in ended.stdout.decode().splitlines()}
    ours = {"PATH", "HOME", "TMPDIR", "LANG", "TERM", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "GIVEN"}
    assert ours <= names
    assert names - ours <= {"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "PWD", "SHLVL", "OLDPWD", "_"}


def test_files_are_put_into_a_private_home(box: Box, view: BoxView) -> None:
    ended = run(box, view, replace(shell("cat $HOME/.tool/config; ls -A $HOME"), files={".tool/config": b"set = 1\n"}))
    assert ended.stdout == b"set = 1\n.tool\n"


def test_the_outbox_is_writable_under_its_one_name(box: Box, view: BoxView, tmp_path: Path) -> None:
    command = Command(
        argv=("sh", "-c", 'echo "$0" > "$REPORT"; echo b > "$1/b"', "--out={outbox}/a", "{outbox}"),
        env={"REPORT": "{outbox}/a"},
        outbox=str(tmp_path / "outbox"),
    )
    assert run(box, view, command).exit_code == 0
    assert (tmp_path / "outbox" / "b").read_text() == "b\n"
    assert (tmp_path / "outbox" / "a").read_text().startswith("--out=/")


class OneAnswer:
    """A gateway that answers every connection with the same few bytes."""

    token = "run-token"
    seen = GatewayObservation()

    def __init__(self) -> None:
        self._listener: socket.socket | None = None

    def serve(self, listener: socket.socket) -> None:
        self._listener = listener
        threading.Thread(target=self._answer, args=(listener,), daemon=True).start()

    def _answer(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nfrom the gateway")

    def close(self) -> Usage:
        if self._listener is not None:
            self._listener.close()
        return Usage()


FETCH = "import os, urllib.request as web; print(web.urlopen(os.environ['MODEL'], timeout=9).read().decode())"


def test_the_gateway_is_reached_at_the_address_in_the_environment(box: Box, view: BoxView) -> None:
    gateway = OneAnswer()

    async def call() -> CommandResult:
        return await box.run(view, Command(argv=(PYTHON, "-c", FETCH), env={"MODEL": "{gateway}/v1"}), gateway)

    ended = asyncio.run(call())
    gateway.close()
    assert ended.stdout == b"from the gateway\n", ended.stderr


@pytest.mark.parametrize("times", [1, 3], ids=["cancelled-once", "cancelled-again-while-it-dies"])
def test_when_a_cancelled_run_returns_nothing_of_it_is_left(
    box: Box, view: BoxView, tmp_path: Path, times: int
) -> None:
    lifeline = Lifeline(tmp_path / "outbox" / "pipe")
    leaves = "1" if box.name == "bubblewrap" else "0"  # on the host, one that leaves its group survives
    command = Command(argv=(PYTHON, "-c", DAEMON, "{outbox}/pipe", leaves), outbox=str(tmp_path / "outbox"))

    async def cancel_it() -> None:
        task = asyncio.create_task(box.run(view, command))
        await asyncio.to_thread(lifeline.wait_until_up)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert lifeline.is_cut()

    asyncio.run(cancel_it())
    lifeline.close()


def test_when_a_command_exits_its_background_processes_are_gone(box: Box, view: BoxView, tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "outbox" / "pipe")
    ended = run(
        box, view, shell("exec 3>{outbox}/pipe; sleep 60 & printf u >&3; echo up", outbox=str(tmp_path / "outbox"))
    )
    assert (ended.reason, ended.stdout) == ("exit", b"up\n")
    lifeline.wait_until_up(1)
    assert lifeline.is_cut()
    lifeline.close()
