import json
import os
import socket

import pytest

from reknit.adapters.box.services.channel import ServiceChannel
from reknit.core.services.failure import LOG_CHARS, ServiceFailure
from reknit.core.services.service import Service

SERVICES = (Service("redis-server"), Service("npm start", 3000))


def heard(*messages: bytes) -> object:
    channel = ServiceChannel(SERVICES, needed=True)
    with socket.socket(fileno=channel.box_fd) as box_end:
        for message in messages:
            box_end.sendall(message)
    found = channel.outcome()
    channel.close()
    return found


def test_the_plan_for_the_box() -> None:
    channel = ServiceChannel(SERVICES, needed=True)
    python, *options, source, fd, plan = channel.command("/usr/bin/python3")
    assert (python, options, fd) == ("/usr/bin/python3", ["-I", "-S", "-c"], str(channel.box_fd))
    compile(source, "starter", "exec")
    told = json.loads(plan)
    assert told["needed"]
    assert [(each["script"], each["ready"]) for each in told["services"]] == [
        ("redis-server", 6379),
        ("npm start", 3000),
    ]
    channel.close()
    os.close(channel.box_fd)


def test_all_are_ready() -> None:
    assert heard(b"{}") == "ready"


def test_which_is_not() -> None:
    said = json.dumps({"number": 1, "exit_code": 1, "log": f"{'x' * 9000}\n"}).encode()
    assert heard(said[:5], said[5:]) == ServiceFailure(SERVICES[1], 1, "x" * (LOG_CHARS - 1))


@pytest.mark.parametrize(
    "message",
    [
        *(b"", b"{", b"nonsense", b"[]", b"1"),
        *(b'{"number": 2, "exit_code": 1, "log": ""}', b'{"number": -1, "exit_code": 1, "log": ""}'),
        *(b'{"number": 1, "exit_code": 1}', b'{"number": "1", "exit_code": null, "log": ""}'),
    ],
)
def test_without_a_message_that_makes_sense_nothing_is_known(message: bytes) -> None:
    assert heard(message) == "unknown"


def test_a_box_that_was_never_started_is_not_waited_for() -> None:
    channel = ServiceChannel(SERVICES, needed=True)
    assert channel.outcome() == "unknown"
    channel.close()
    os.close(channel.box_fd)
