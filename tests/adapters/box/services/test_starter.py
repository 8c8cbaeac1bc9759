"""The program that runs first in a box with services, in a real box."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import reknit
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.box.services import starter
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import Service
from tests.adapters.box.lifeline import DAEMON, Lifeline

SERVER = "python3 -m http.server --bind 127.0.0.1 8000"
HTTP = Service(SERVER, 8000)
GET = "python3 -c 'import urllib.request as r; print(r.urlopen(\"http://127.0.0.1:8000/page\").read().decode())'"


def run(view: BoxView, service: Service | tuple[Service, ...], script: str, *, needs: bool = True) -> CommandResult:
    services = service if isinstance(service, tuple) else (service,)
    command = Command(("sh", "-c", script), needs_services=needs, limits=CommandLimits(wall_s=60.0))
    return asyncio.run(Bubblewrap().run(replace(view, services=services), command))


def failure(ended: CommandResult) -> ServiceFailure:
    assert isinstance(ended.services, ServiceFailure), ended
    return ended.services


def test_the_command_starts_when_the_service_answers_on_its_port(view: BoxView) -> None:
    Path(view.tree, "page").write_text("hello")
    ended = run(view, HTTP, GET)
    assert (ended.services, ended.exit_code, ended.stdout) == ("ready", 0, b"hello\n"), ended.stderr


def test_a_command_says_when_a_service_is_ready_and_services_start_in_order(view: BoxView) -> None:
    first = Service("sleep 0.3; touch made; sleep 60", "test -e made")
    second = Service("test -e made && touch second && sleep 60", "test -e second")
    ended = run(view, (first, second), "ls")
    assert (ended.services, ended.stdout) == ("ready", b"made\nsecond\n")


def test_a_service_starts_in_the_folder_of_its_project(view: BoxView) -> None:
    Path(view.tree, "web").mkdir()
    ended = run(view, Service("touch made; sleep 60", "test -e made", folder="web"), "ls web; pwd")
    assert (ended.services, ended.stdout) == ("ready", f"made\n{view.repository}\n".encode())


def test_a_server_in_a_private_folder_finds_files_of_the_project(view: BoxView) -> None:
    Path(view.tree, "my.conf").write_text("hello")
    Path(view.tree, "redis-server").write_text("#!/bin/sh\ncp $1 here; cp here /tmp/copy; sleep 60\n")
    Path(view.tree, "redis-server").chmod(0o755)
    server = Service('PATH="$OLDPWD:$PATH" redis-server $OLDPWD/my.conf', "test -e /tmp/copy")
    ended = run(view, server, "cat /tmp/copy; test ! -e here")
    assert (ended.services, ended.exit_code, ended.stdout) == ("ready", 0, b"hello")


def test_a_service_may_listen_on_the_other_loopback_address(view: BoxView) -> None:
    assert run(view, Service("python3 -m http.server --bind ::1 8000", 8000), "true").services == "ready"


@pytest.mark.parametrize("code", [0, 1, 96, 127])
def test_the_exit_code_is_the_commands_own(view: BoxView, code: int) -> None:
    ended = run(view, HTTP, f"echo out; echo '{{\"number\": 0}}' >&2; exit {code}")
    assert (ended.services, ended.exit_code, ended.stdout) == ("ready", code, b"out\n")


def test_a_command_that_is_killed_is_told_as_such(view: BoxView) -> None:
    ended = run(view, HTTP, "kill -9 $$")
    assert (ended.services, ended.exit_code) == ("ready", 137)


def test_the_command_has_no_foreign_children_and_nothing_of_ours_open(view: BoxView) -> None:
    script = "import os; print(sorted(os.listdir('/proc/self/fd'))[:3], len(os.listdir('/proc/self/fd')))\nos.wait()"
    ended = run(view, HTTP, f'python3 -c "{script}"')
    assert b"ChildProcessError" in ended.stderr
    assert ended.stdout == b"['0', '1', '2'] 4\n"


def test_a_service_that_ends_early_is_named_with_its_output(view: BoxView) -> None:
    ended = run(view, Service("echo one; echo two >&2; exit 3", 8000), "echo never")
    assert (ended.exit_code, ended.stdout) == (starter.NOT_READY, b"")
    assert (failure(ended).exit_code, failure(ended).log) == (3, "one\ntwo")


def test_a_service_that_leaves_a_daemon_behind_is_waited_for(view: BoxView) -> None:
    assert run(view, Service(f"({SERVER} &)", 8000), "true").services == "ready"


def test_a_service_that_fails_once_its_port_is_open_is_not_ready(view: BoxView) -> None:
    fails = "import socket, os; server = socket.create_server(('127.0.0.1', 8000)); os._exit(7)"
    assert failure(run(view, Service(f'python3 -c "{fails}"', 8000), "true")).exit_code == 7
    fails = "import os, time, socket; s = socket.create_server(('127.0.0.1', 8000)); s.accept(); os._exit(7)"
    assert failure(run(view, Service(f'python3 -c "{fails}"', 8000), "true")).exit_code == 7


@pytest.mark.parametrize("run_second", [SERVER, "exit 3"], ids=["the port is in use", "it ends at once"])
def test_another_service_on_its_port_does_not_make_it_ready(view: BoxView, run_second: str) -> None:
    ended = run(view, (HTTP, Service(run_second, 8000)), "true")
    assert failure(ended).service.run == run_second
    assert failure(ended).exit_code in (1, 3)


def test_a_service_that_is_never_ready_is_given_up_in_time(view: BoxView) -> None:
    ended = run(view, Service("echo up; sleep 60", 8000, 0.5), "echo never")
    assert (failure(ended).exit_code, failure(ended).log, ended.stdout) == (None, "up", b"")
    assert ended.seconds < 20


def test_a_readiness_command_that_hangs_is_given_up_in_time(view: BoxView) -> None:
    ended = run(view, Service("sleep 60", "sleep 60", 0.5), "echo never")
    assert failure(ended).exit_code is None
    assert ended.seconds < 20


def test_a_flood_of_output_stays_bounded(view: BoxView) -> None:
    noisy = Service(f"yes 0123456789 | head -c 5000000; {SERVER}", 8000)
    ended = run(view, noisy, "wc -c < /tmp/services/1.log; yes | head -c 100 >/dev/null")
    assert ended.services == "ready"
    assert int(ended.stdout) <= starter.LOG_BYTES


def test_output_is_read_even_if_it_cannot_be_written() -> None:
    read, write = os.pipe()
    log = starter.Log(read, "/dev/full")
    for _ in range(40):
        os.write(write, b"0123456789" * 1000)
    os.close(write)
    assert log.final_tail() == "0123456789" * (starter.TAIL_BYTES // 10)


def test_a_command_that_needs_no_services_starts_anyway_and_finds_the_log(view: BoxView) -> None:
    services = (Service("echo boom; exit 1", 8000), HTTP)
    ended = run(view, services, f"cat /tmp/services/1.log; {GET.replace('/page', '')} | head -n 1", needs=False)
    assert failure(ended).service == services[0]
    assert ended.stdout.startswith(b"boom\nthis service did not become ready\n<!DOCTYPE")


def test_a_program_that_is_missing_behind_a_service_is_named(view: BoxView) -> None:
    command = Command(("no-such-program",), needs_services=True)
    ended = asyncio.run(Bubblewrap().run(replace(view, services=(HTTP,)), command))
    assert (ended.services, ended.exit_code) == ("ready", 127)
    assert b"no-such-program: No such file" in ended.stderr


def test_variables_of_a_service_reach_the_services_and_the_command(view: BoxView) -> None:
    service = Service("echo $WHERE; exit 1", 1, env=(("WHERE", "here"), ("HOME", "/elsewhere")))
    ended = run(view, service, "echo $WHERE $HOME", needs=False)
    assert (failure(ended).log, ended.stdout.decode()) == ("here", f"here {ended.home}\n")


def test_a_limit_holds_while_a_service_is_waited_for(view: BoxView) -> None:
    command = Command(("true",), needs_services=True, limits=CommandLimits(wall_s=1.0))
    ended = asyncio.run(Bubblewrap().run(replace(view, services=(Service("sleep 60", 8000),)), command))
    assert ended.reason == "wall"


PARENT = """\
import asyncio, sys
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.box import BoxView, Command
from reknit.core.services.service import Service
folder, python, daemon = sys.argv[1:]
service = Service(f"exec {python} -c '{daemon}' $PLACE/pipe 1", "sleep 0.1")
view = BoxView(folder + "/repository", folder + "/tree", services=(service,))
command = Command(("sleep", "600"), outbox=folder + "/outbox", env={"PLACE": "{outbox}"}, needs_services=True)
asyncio.run(Bubblewrap().run(view, command))
"""


def test_kill_9_of_reknit_ends_the_services_too(view: BoxView, tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path / "outbox" / "pipe")
    env = {**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parents[1])}
    argv = [sys.executable, "-c", PARENT, str(tmp_path), "/usr/bin/python3", DAEMON]
    with subprocess.Popen(argv, env=env) as parent:
        lifeline.wait_until_up()
        assert not lifeline.is_cut()
        parent.send_signal(signal.SIGKILL)
    assert lifeline.is_cut(within_s=10)
    lifeline.close()


def test_services_end_with_the_command(view: BoxView, tmp_path: Path) -> None:
    """The command waits until they are up."""
    lifeline, go_on = Lifeline(tmp_path / "outbox" / "pipe"), tmp_path / "outbox" / "go-on"
    os.mkfifo(go_on)
    service = Service(f"exec /usr/bin/python3 -c '{DAEMON}' $PLACE/pipe 1", "true")
    outbox, env = str(tmp_path / "outbox"), {"PLACE": "{outbox}"}
    command = Command(("cat", "{outbox}/go-on"), needs_services=True, outbox=outbox, env=env)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: asyncio.run(Bubblewrap().run(replace(view, services=(service,)), command)))
        lifeline.wait_until_up()
        go_on.write_text("now\n")
    assert (running.result().services, running.result().stdout) == ("ready", b"now\n")
    assert lifeline.is_cut()
    lifeline.close()


def test_a_port_is_tried_on_both_addresses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert starter.answers(port, 0.0)
    assert not starter.answers(port, 0.0)
