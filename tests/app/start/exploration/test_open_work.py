"""What is open on the forge of a clone: read in few requests, and never a reason to fail."""

import socket
import threading
import time
from typing import Any

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import load
from reknit.app.start.exploration import explore
from reknit.app.start.exploration.explore import fetch_open_work
from reknit.core.forge.values import OpenWork
from tests.tools.github import GitHub
from tests.tools.pull_plans import find_scene_installation, git
from tests.tools.pull_scene import BRANCH, SLUG, TITLE, PullScene


def read(scene: PullScene, *, forge: dict[str, Any] | None = None, **environment: str) -> tuple[OpenWork, bool, str]:
    config = load(scene.clone, {"forge": {"api": scene.hub.url} if forge is None else forge}, {})
    return fetch_open_work(find_scene_installation(scene, **environment), UserRepository.find(str(scene.clone)), config)


def test_what_is_open_is_read_in_few_requests(scene: PullScene, hub: GitHub) -> None:
    scene.ci(SLUG, BRANCH, hub.head(SLUG, BRANCH))
    issue = hub.open_issue(SLUG, "slow")
    hub.calls.clear()

    work, has_login, why = read(scene)

    assert [(pull.number, pull.title, pull.red_checks) for pull in work.pulls] == [(scene.number, TITLE, ("lint",))]
    assert [found.number for found in work.issues] == [issue]
    assert (has_login, why, len(hub.calls)) == (True, "", 2)


def test_an_app_with_very_much_open_needs_four_requests(scene: PullScene, hub: GitHub) -> None:
    scene.become_app()
    hub.check(SLUG, hub.head(SLUG, BRANCH), "lint", "failure")
    for number in range(230):
        hub.open_issue(SLUG, f"i{number}")
    hub.calls.clear()

    work, has_login, why = read(scene)

    assert (len(work.issues), work.unlisted_count, has_login, why) == (200, 30, True, "")
    assert work.pulls[0].red_checks == ("lint",)
    assert len(hub.calls) == 4


def test_a_repository_that_is_on_no_forge_has_no_reason(scene: PullScene, hub: GitHub) -> None:
    git(scene, "remote", "remove", "origin")
    hub.calls.clear()

    assert read(scene) == (OpenWork(), False, "")
    assert hub.calls == []


@pytest.mark.parametrize(
    ("url", "forge", "why"),
    [
        pytest.param("https://gitlab.com/acme/shop.git", {}, "only GitHub is supported", id="another forge"),
        pytest.param("/srv/git/shop", {"remote": "origin"}, "no remote", id="a remote that is named and on none"),
        pytest.param(
            "https://git.corp.example/acme/shop",
            {"api": "http://git.corp.example/api/v3"},
            "not an https address",
            id="an address that no token is sent to",
        ),
        pytest.param("https://github.com/acme/shop", {"kind": "forgejo"}, "no forge named", id="an unknown kind"),
    ],
)
def test_a_place_that_cannot_be_asked(scene: PullScene, hub: GitHub, url: str, forge: dict[str, Any], why: str) -> None:
    git(scene, "remote", "set-url", "origin", url)
    hub.calls.clear()

    work, has_login, told = read(scene, forge=forge)

    assert (work, has_login, why in told) == (OpenWork(), False, True), told
    assert hub.calls == []


def test_without_a_login_nobody_is_asked(scene: PullScene, hub: GitHub) -> None:
    hub.calls.clear()

    work, has_login, why = read(scene, GH_TOKEN="", PATH="/nonexistent")

    assert (work, has_login, "no login" in why) == (OpenWork(), False, True), why
    assert hub.calls == []


@pytest.mark.parametrize(
    ("fault", "has_login", "why"),
    [
        pytest.param("revoke_next", False, "rejected the login", id="a refused login"),
        pytest.param("issues_forbidden", True, "is not accessible", id="a login without the permission"),
        pytest.param("primary_limit", True, "(limited)", id="a limit"),
        pytest.param("secondary_limit", False, "(limited)", id="a limit that any login gets"),
        pytest.param("server_error", False, "(unreachable)", id="a bad gateway"),
        pytest.param("dropped", False, "(unreachable)", id="a dropped connection"),
    ],
)
def test_a_forge_that_refuses(scene: PullScene, hub: GitHub, fault: str, has_login: bool, why: str) -> None:
    setattr(hub.faults, fault, 1)
    hub.calls.clear()

    work, worked, told = read(scene)

    assert (work, worked, why in told) == (OpenWork(), has_login, True), told
    assert len(hub.calls) <= 1


def test_a_repository_that_is_not_there(scene: PullScene, hub: GitHub) -> None:
    hub.delete_repository(SLUG)

    work, has_login, why = read(scene)

    assert (work, has_login) == (OpenWork(), True)
    assert f"{SLUG} is not accessible" in why


def test_a_forge_that_hangs_is_left(scene: PullScene, hub: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "_MAX_WAIT_S", 0.3)
    hub.faults.slow, hub.faults.slow_s = 1, 600.0
    began = time.monotonic()

    assert read(scene) == (OpenWork(), False, f"{hub.url} did not answer within 0 s")
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html>", id="a page"),
        pytest.param(b'{"data": null}', id="no data"),
        pytest.param(b'{"errors": "all of them"}', id="errors of another shape"),
        pytest.param(b'{"errors": [{"message": "\\u0000\\ud800"}]}', id="a message that is no text"),
        pytest.param(b'{"data": {"repository": {"pullRequests": 7, "issues": []}}}', id="numbers for lists"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(b'{"data": \xff}', id="not text"),
    ],
)
def test_a_forge_that_answers_garbage(scene: PullScene, body: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 20)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        thread = threading.Thread(target=serve)
        thread.start()
        work, has_login, why = read(scene, forge={"api": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        thread.join()
    assert (work, has_login, "(unreachable)" in why, why.isprintable()) == (OpenWork(), False, True, True), why
