"""Messages on real channels: a loopback server, a program on PATH, a terminal. No failure names the address."""

import json
import os
import pty
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from reknit.adapters.notifier import Notifier
from reknit.core.notify.channels import Channels
from reknit.core.notify.message import Notification
from tests.tools.gateway_client import upstream_that

MESSAGE = Notification("reknit fix tests: FIXED in shop", "1 fixed", {"event": "run_ended"})


class Receiver(ThreadingHTTPServer):
    """Keeps what it is sent, and answers with `status`."""

    daemon_threads, status = True, 200

    def __init__(self) -> None:
        self.bodies: dict[str, object] = {}
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies[self.path] = json.loads(body)
        self.send_response(self.server.status)
        self.send_header("location", f"{self.server.url}/redirected")
        self.send_header("content-length", "0")
        self.end_headers()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_webhook_and_slack_get_their_own_form(receiver: Receiver) -> None:
    channels = Channels(webhook=f"{receiver.url}/hook?key=secret", slack=f"{receiver.url}/slack")
    assert Notifier(channels, {}).send(MESSAGE) == {}
    assert receiver.bodies == {
        "/hook?key=secret": {"event": "run_ended"}, "/slack": {"text": "reknit fix tests: FIXED in shop\n1 fixed"},
    }  # fmt: skip


@pytest.mark.parametrize("status", [302, 404, 500])
def test_another_answer_is_a_failure_and_no_redirect_is_followed(receiver: Receiver, status: int) -> None:
    receiver.status = status
    channels = Channels(webhook=f"{receiver.url}/secret")
    assert Notifier(channels, {}).send(MESSAGE) == {"webhook": f"it answered {status}"}
    assert list(receiver.bodies) == ["/secret"]


def test_an_address_where_nobody_listens_is_not_told_to_anybody() -> None:
    problems = Notifier(Channels(slack="http://127.0.0.1:9/secret"), {}).send(MESSAGE)
    assert problems == {"slack": "it could not be reached (ConnectionRefusedError)"}


def test_a_server_that_never_answers_is_left_alone_in_time() -> None:
    release = threading.Event()

    def wait(_: BaseHTTPRequestHandler) -> None:
        release.wait(20)

    with upstream_that(wait) as url:
        problems = Notifier(Channels(webhook=f"{url}/secret"), {}, total_s=0.2).send(MESSAGE)
        release.set()
    assert problems == {"webhook": "no answer within 0.2 s"}


@pytest.mark.parametrize(("code", "problems"), [(0, {}), (1, {"desktop": "notify-send failed"})])
def test_the_desktop_shows_title_and_text(tmp_path: Path, code: int, problems: dict[str, str]) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/shown\nexit {code}\n')
    program.chmod(0o755)
    assert Notifier(Channels(desktop=True), {"PATH": f"{tmp_path}:/usr/bin:/bin"}).send(MESSAGE) == problems
    assert (tmp_path / "shown").read_text() == f"--app-name=reknit|--|{MESSAGE.title}|{MESSAGE.text}|"


def test_a_desktop_without_the_program_is_told(tmp_path: Path) -> None:
    problems = Notifier(Channels(desktop=True), {"PATH": str(tmp_path)}).send(MESSAGE)
    assert problems == {"desktop": "notify-send is not installed"}


def test_the_bell_rings_only_in_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert Notifier(Channels(bell=True), {}).send(MESSAGE) == {}
    assert capsys.readouterr().err == ""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert Notifier(Channels(bell=True), {}).send(MESSAGE) == {}
        assert os.read(ours, 10) == b"\a"
    os.close(ours)
