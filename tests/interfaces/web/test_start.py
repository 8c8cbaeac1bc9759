"""`reknit serve --dashboard`: the process, its address, and a person who stops and resumes a real run there."""

import contextlib
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.interfaces.web.visiting import Person
from tests.tools.command_line import Answer, CommandLine, until

Here = Callable[..., Answer]
MEND = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}


@contextlib.contextmanager
def serving(reknit: CommandLine) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process and the printed address."""
    child = reknit.start("serve", "--dashboard", "--port", "0", cwd=reknit.folder)
    assert child.stderr is not None
    address = re.fullmatch(r"the dashboard is at (\S+) \(works once\)\n", line := child.stderr.readline())
    assert address, line + child.stderr.read()
    try:
        yield child, address[1]
    finally:
        child.kill()
        child.communicate()


def enter(address: str) -> Person:
    port, token = re.findall(r":(\d+)/enter\?token=(.+)", address)[0]
    person = Person(int(port))
    assert person.get(f"/enter?token={token}").status == 303
    return person


def test_ctrl_c_ends_it_quietly_even_while_a_page_is_live(reknit: CommandLine) -> None:
    with serving(reknit) as (child, address):
        person = enter(address)
        with subprocess.Popen(
            ["curl", "-sN", "-b", f"reknit_session={person.cookie}", f"{person.origin}/live"], stdout=subprocess.PIPE
        ) as live:
            assert live.stdout is not None
            assert live.stdout.readline().startswith(b"data: ")
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=30)
        assert (child.returncode, out, err) == (0, "", "")


def test_without_a_secret_it_takes_no_webhooks(reknit: CommandLine) -> None:
    with serving(reknit) as (_, address):
        assert enter(address).ask("POST", "/webhooks/github").status == 404


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "shop.example", "::"])
def test_the_dashboard_listens_on_this_machine_only(here: Here, tmp_path: Path, host: str) -> None:
    answer = here("serve", "--dashboard", "--host", host, cwd=tmp_path)
    assert (answer.exit_code, answer.err.partition(":")[0]) == (2, "error[address]")


@pytest.mark.parametrize(
    ("serve", "secret"),
    [
        pytest.param({"public_url": "http://reknit.example", "client_id": "x"}, "y", id="without TLS"),
        pytest.param({"public_url": "https://reknit.example"}, "y", id="without the id of the app"),
        pytest.param({"public_url": "https://reknit.example", "client_id": "x"}, "", id="without its secret"),
    ],
)
def test_a_public_dashboard_needs_tls_and_a_login(tmp_path: Path, serve: dict[str, str], secret: str) -> None:
    command = CommandLine(tmp_path, {"REKNIT_SERVE_CLIENT_SECRET": secret})
    command.configure(serve=serve)
    answer = command.run("serve", "--dashboard", "--port", "0")
    assert (answer.exit_code, answer.err.partition(":")[0]) == (2, "error[config]")


def test_a_public_dashboard_sends_people_to_the_forge(tmp_path: Path) -> None:
    command = CommandLine(tmp_path, {"REKNIT_SERVE_CLIENT_SECRET": "y"})
    command.configure(serve={"public_url": "https://reknit.example", "client_id": "x"})
    child = command.start("serve", "--dashboard", "--port", "0", cwd=tmp_path)
    assert child.stderr is not None
    try:
        line = child.stderr.readline()
        port = re.fullmatch(
            r"the dashboard of https://reknit.example is at http://127.0.0.1:(\d+); ctrl-c stops it\n", line
        )
        assert port, line + child.stderr.read()
        person = Person(int(port[1]), host="reknit.example")
        answer = person.get("/login")
        assert answer.headers["location"].startswith("https://github.com/login/oauth/authorize?client_id=x&")
        assert "secure" in answer.headers["set-cookie"].lower()
        assert person.get("/").status == 401
    finally:
        child.kill()
        child.communicate()


@pytest.mark.slow
def test_a_run_is_stopped_and_resumed_over_the_web(here: Here, reknit: CommandLine, shop: Path, tmp_path: Path) -> None:
    go = tmp_path / "shown" / "go"
    go.parent.mkdir()
    wait = ["sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done"]
    reknit.tell_story({"replace": MEND, "run": wait}, workspace={"show": [str(go.parent)]})
    child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
    with contextlib.ExitStack() as closing:
        closing.callback(child.kill)
        run = until(child, "attempt")["run"]
        _, address = closing.enter_context(serving(reknit))
        person = enter(address)
        token = re.findall(r'name="form_token" value="([^"]+)"', person.get(f"/runs/{run}").text)[0]
        assert person.post(f"/runs/{run}/stop", token).status == 303
        child.communicate(timeout=60)
        assert f"reknit resume {run}" in person.get(f"/runs/{run}").text
        go.touch()
        assert person.post(f"/runs/{run}/resume", token).status == 303
        assert here("watch", run, "--format", "json", cwd=shop).ending["ending"] == "FIXED"
        assert "FIXED" in person.get(f"/runs/{run}").text
