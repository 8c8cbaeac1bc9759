"""What becomes of GitHub's bad days: every one of them is a `ForgeError` that says what kind it is."""

import socket
import ssl
import threading
import time
from collections.abc import Callable

import httpx
import pytest

from reknit.adapters.github.api.credentials import UserToken
from reknit.adapters.github.api.graphql_models import Viewer
from reknit.adapters.github.api.identity import make_identity
from reknit.adapters.github.api.requests import CachedResponse, CacheKey, EtagStore, GitHubApi
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.forge.values import ForgeError, ForgeFailure, ForgePlace
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub

REST, GRAPHQL = GitHubForge.pull, GitHubForge.remarks
ASK = pytest.mark.parametrize("ask", [REST, GRAPHQL], ids=["rest", "graphql"])


def failure(forge: GitHubForge, number: int, ask: Callable[[GitHubForge, int], object] = REST) -> ForgeFailure:
    with pytest.raises(ForgeError) as raised:
        ask(forge, number)
    return raised.value.failure


@ASK
@pytest.mark.parametrize("fault", ["secondary_limit", "primary_limit"])
def test_a_limit_names_its_time(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str, ask: Callable[[GitHubForge, int], object]
) -> None:
    hub.faults.retry_after = 90
    setattr(hub.faults, fault, 1)

    found = failure(forge, pull.number, ask)

    assert found.kind == "limited"
    assert found.until is not None
    assert 85 < found.until - time.time() < 95
    assert len(hub.calls) == 1, "a limit is not tried again here"
    ask(forge, pull.number)


@ASK
@pytest.mark.parametrize("fault", ["server_error", "dropped"])
def test_a_bad_moment_passes(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str, ask: Callable[[GitHubForge, int], object]
) -> None:
    setattr(hub.faults, fault, 1)

    assert failure(forge, pull.number, ask).kind == "unreachable"
    ask(forge, pull.number)


@ASK
def test_a_revoked_token(
    hub: GitHub, forge: GitHubForge, pull: Opened, ask: Callable[[GitHubForge, int], object]
) -> None:
    hub.faults.revoked.add(hub.token)

    found = failure(forge, pull.number, ask)

    assert found.kind == "login"
    assert hub.token not in found.detail
    assert len(hub.calls) == 1


@ASK
def test_what_is_not_there(
    hub: GitHub, forge: GitHubForge, pull: Opened, ask: Callable[[GitHubForge, int], object]
) -> None:
    assert failure(forge, 999, ask).kind == "missing"


def test_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with open_forge(ForgePlace("github", f"http://127.0.0.1:{port}", SLUG), {"GH_TOKEN": "x"}) as forge:
        assert failure(forge, 1) == ForgeFailure("unreachable", f"GET /repos/{SLUG}/pulls/1: ConnectError")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}",
        b"HTTP/1.1 429 Slow\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n",
        b"what?\r\n\r\n",
    ],
    ids=["a-page", "another-shape", "cut-off", "a-time-nobody-can-read", "not-http"],
)
def test_an_answer_that_is_not_githubs(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        place = ForgePlace("github", f"http://127.0.0.1:{listener.getsockname()[1]}", SLUG)
        with open_forge(place, {"GH_TOKEN": "x"}) as forge:
            assert failure(forge, 1).kind == "unreachable"
        thread.join()


def test_what_has_not_changed_is_asked_for_cheaply(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    seen = [forge.pull(pull.number).labels for _ in range(3)]
    hub.label(SLUG, pull.number, "ready")
    seen += [forge.pull(pull.number).labels for _ in range(2)]

    assert seen == [(), (), (), ("ready",), ("ready",)]
    assert [call.status for call in hub.calls] == [200, 304, 304, 200, 304]


def test_threads_share_the_certificates(forge: GitHubForge, pull: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all of them takes longer than the request."""
    read: list[object] = []
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *given, **_read_token: read.append(given))
    for _ in range(2):
        thread = threading.Thread(target=forge.pull, args=(pull.number,))
        thread.start()
        thread.join()
    assert not read
    httpx.create_ssl_context()
    assert read


def test_an_enterprise_has_its_graphql_beside_rest() -> None:
    identity = make_identity("https://git.example.org/api/v3", UserToken("x"))

    assert GitHubApi("https://git.example.org/api/v3/", identity)._graphql_address() == (
        "https://git.example.org/api/graphql"
    )
    assert GitHubApi("https://api.github.com", identity)._graphql_address() == "https://api.github.com/graphql"


def test_the_answer_of_graphql_is_read_by_its_model(hub: GitHub) -> None:
    api = GitHubApi(hub.url, make_identity(hub.url, UserToken(hub.token)))

    assert api.graphql(Viewer, "query { viewer { login } }", {}).viewer.login == "dev"
    with pytest.raises(ForgeError) as raised:
        api.graphql(Viewer, "query { nobody }", {})
    assert raised.value.failure.kind == "unreachable"
    assert "nobody" in hub.violations.pop()
    api.close()


ONE, TWO, THREE = (CacheKey(f"/x?page={number}", "json", "me") for number in (1, 2, 3))
KEPT = CachedResponse('W/"1"', b"{}", more=False)


def test_an_answer_is_found_by_address_form_and_identity() -> None:
    store = EtagStore()
    store.keep(ONE, KEPT)

    assert store.find(ONE) == KEPT
    assert store.find(TWO) is None
    assert store.find(CacheKey(ONE.url, "diff", "me")) is None
    assert store.find(CacheKey(ONE.url, "json", "you")) is None


def test_what_was_used_longest_ago_goes_first() -> None:
    store = EtagStore(most=2)
    store.keep(ONE, KEPT)
    store.keep(TWO, KEPT)
    store.find(ONE)
    store.keep(THREE, KEPT)

    assert [store.find(asked) is not None for asked in (ONE, TWO, THREE)] == [True, False, True]


def test_it_holds_256_by_default() -> None:
    store = EtagStore()
    for number in range(300):
        store.keep(CacheKey(f"/{number}", "json", "me"), KEPT)

    assert [store.find(CacheKey(f"/{number}", "json", "me")) is not None for number in (43, 44)] == [False, True]
