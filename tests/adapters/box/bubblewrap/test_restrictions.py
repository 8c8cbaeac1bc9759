"""The filter itself; that it bites is seen by the self-test inside a box."""

import asyncio
import os
import socket
from dataclasses import replace

import pytest

from reknit.adapters.box.bubblewrap import restrictions
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.bubblewrap.restrictions import ADDRESS, PORT
from reknit.adapters.box.process.supervisor import NOT_STARTED
from reknit.core.agents.call import Usage
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.errors import ToolMissingError
from reknit.core.gateway.access import GatewayObservation


def test_a_machine_without_a_table_gets_no_box() -> None:
    with pytest.raises(ToolMissingError, match="'aarch64'"):
        restrictions.make_filter("aarch64")


def test_the_program_is_whole_instructions_and_ends_with_allow() -> None:
    program = restrictions.make_filter("x86_64")
    assert len(program) % 8 == 0
    assert len(program) // 8 < 4096, "the kernel's limit"
    assert program[-8:] == bytes([0x06, 0, 0, 0]) + (0x7FFF0000).to_bytes(4, "little")


def test_every_jump_stays_inside_the_program() -> None:
    program = restrictions.make_filter("x86_64")
    steps = [program[at : at + 8] for at in range(0, len(program), 8)]
    jumps = [(at, step[2], step[3]) for at, step in enumerate(steps) if step[0] in (0x15, 0x35, 0x45)]
    assert jumps
    assert all(at + 1 + max(yes, no) < len(steps) for at, yes, no in jumps)


class Noting:
    """A gateway that keeps what it is given and never answers."""

    token = "run-token"
    seen = GatewayObservation()

    def __init__(self) -> None:
        self.served: list[socket.socket] = []

    def serve(self, listener: socket.socket) -> None:
        self.served.append(listener)

    def close(self) -> Usage:
        for listener in self.served:
            listener.close()
        return Usage()


def run(view: BoxView, command: Command, gateway: Noting) -> CommandResult:
    ended = asyncio.run(Bubblewrap().run(view, command, gateway))
    gateway.close()
    return ended


def test_the_gateway_gets_a_socket_that_listens_inside_the_box(view: BoxView) -> None:
    gateway = Noting()
    connect = f"import socket; socket.create_connection(('127.0.0.1', {PORT}), 5); print('in')"
    ended = asyncio.run(Bubblewrap().run(view, Command(argv=("/usr/bin/python3", "-c", connect)), gateway))
    assert ended.stdout == b"in\n", ended.stderr
    assert [listener.getsockname() for listener in gateway.served] == [("127.0.0.1", PORT)]
    assert not os.get_inheritable(gateway.served[0].fileno())
    gateway.close()


def test_the_address_is_filled_into_environment_and_files(view: BoxView) -> None:
    command = Command(
        argv=("sh", "-c", "echo $MODEL; cat $HOME/config"),
        env={"MODEL": "{gateway}/v1"},
        files={"config": b"url = {gateway}/mcp"},
    )
    assert run(view, command, Noting()).stdout.decode() == f"{ADDRESS}/v1\nurl = {ADDRESS}/mcp"


def test_nothing_of_the_door_stays_in_the_box(view: BoxView) -> None:
    script = "for fd in /proc/$$/fd/*; do basename $fd; done; ls /proc | grep -c '^[0-9]'"
    assert run(view, Command(argv=("sh", "-c", script)), Noting()).stdout.split()[:3] == [b"0", b"1", b"2"]


def test_a_box_that_dies_before_its_door_opens_says_why_and_does_not_hang(view: BoxView) -> None:
    gateway = Noting()
    ended = run(replace(view, tree=view.tree + "-gone"), Command(argv=("true",)), gateway)
    assert (ended.exit_code, gateway.served) == (NOT_STARTED, [])
    assert b"Can't find source path" in ended.stderr


def test_an_unknown_program_behind_the_door_is_named(view: BoxView) -> None:
    ended = run(view, Command(argv=("no-such-program",)), Noting())
    assert ended.exit_code == 127
    assert b"no-such-program: No such file" in ended.stderr


def test_the_limits_hold_behind_the_door(view: BoxView) -> None:
    command = Command(argv=("sleep", "60"), limits=CommandLimits(wall_s=0.5))
    assert run(view, command, Noting()).reason == "wall"
