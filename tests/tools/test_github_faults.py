"""The stand-in's faults: each can be switched on by its name, does what it says, and ends."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.tools.github import Faults, GitHub
from tests.tools.work import quickly

APP = "dev/app"
PULL = f"/repos/{APP}/pulls/1"
COMMENTS = f"/repos/{APP}/issues/1/comments"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        hub.commit(APP, "feat", {"a.py": "x = 2\n"})
        hub.open_pull(APP, head="feat")
        yield hub
        assert hub.violations == []


@pytest.fixture
def http(hub: GitHub) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {hub.token}"}
    with httpx.Client(base_url=hub.url, headers=headers, verify=False) as client:
        yield client


def test_nothing_goes_wrong_by_itself(hub: GitHub) -> None:
    assert not any(hub.faults.is_armed(name) for name in Faults.NAMES)


@pytest.mark.parametrize("name", Faults.NAMES)
def test_each_is_armed_by_its_name_and_lifted(name: str) -> None:
    faults = Faults()
    faults.switch(name, after=3)
    assert faults.is_armed(name)
    faults.lift()
    assert faults == Faults()


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        Faults().switch("no_such_fault")


def test_a_fault_can_come_later(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.switch("secondary_limit", after=2)
    assert [http.get(PULL).status_code for _ in range(4)] == [200, 200, 403, 200]


def test_mergeable_is_unknown_at_first(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.mergeable_unknown = 1
    answers = [http.get(PULL).json() for _ in range(2)]
    assert [(one["mergeable"], one["mergeable_state"]) for one in answers] == [(None, "unknown"), (True, "clean")]


def test_checks_come_late(hub: GitHub, http: httpx.Client) -> None:
    sha = hub.head(APP, "feat")
    hub.check(APP, sha, "ci", "success")
    hub.faults.checks_lag = 1
    counts = [http.get(f"/repos/{APP}/commits/{sha}/check-runs").json()["total_count"] for _ in range(2)]
    assert counts == [0, 1]


def test_limits_name_a_time(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.retry_after = 7
    hub.faults.switch("secondary_limit")
    second = http.get(PULL)
    assert (second.status_code, second.headers["retry-after"]) == (403, "7")
    hub.faults.switch("primary_limit")
    first = http.get(PULL)
    assert (first.status_code, first.headers["x-ratelimit-remaining"]) == (403, "0")
    assert 5 < int(first.headers["x-ratelimit-reset"]) - time.time() < 9
    hub.faults.switch("primary_limit")
    told = http.post("/graphql", json={"query": "{ viewer { login } }"})
    assert (told.status_code, told.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert http.get(PULL).status_code == 200


@pytest.mark.parametrize(
    ("fault", "status", "written"),
    [
        pytest.param("server_error", 502, [], id="an error before the write"),
        pytest.param("lost_answer", 502, ["hello"], id="an error after the write"),
        pytest.param("permission", 403, [], id="no permission"),
    ],
)
def test_a_write_goes_wrong(hub: GitHub, http: httpx.Client, fault: str, status: int, written: list[str]) -> None:
    hub.faults.switch(fault)
    assert http.post(COMMENTS, json={"body": "hello"}).status_code == status
    assert [comment["body"] for comment in hub.comments(APP, 1)] == written
    hub.faults.lift()
    assert http.post(COMMENTS, json={"body": "again"}).status_code == 201


def test_a_mutation_is_done_though_its_answer_is_lost(hub: GitHub, http: httpx.Client) -> None:
    hub.thread(APP, 1, author="ann", file="a.py", line=1, text="hm")
    thread = f"PRRT_{hub.threads(APP, 1)[0]['id']}"
    resolve = {"query": f'mutation {{ resolveReviewThread(input: {{threadId: "{thread}"}}) {{ clientMutationId }} }}'}
    hub.faults.switch("permission")
    assert http.post("/graphql", json=resolve).json()["errors"][0]["type"] == "FORBIDDEN"
    assert not hub.threads(APP, 1)[0]["resolved"]
    hub.faults.switch("lost_answer")
    assert http.post("/graphql", json={"query": "{ viewer { login } }"}).status_code == 200
    assert http.post("/graphql", json=resolve).status_code == 502
    assert hub.threads(APP, 1)[0]["resolved"]


def test_a_token_is_revoked_midway(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.switch("revoked", after=1)
    assert [http.get(PULL).status_code for _ in range(3)] == [200, 401, 401]
    assert http.get(f"/{APP}.git/info/refs?service=git-upload-pack").status_code == 401
    hub.faults.lift()
    assert http.get(PULL).status_code == 200


def test_an_answer_is_slow(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.slow_s = 0.2
    hub.faults.switch("slow")
    begun = time.monotonic()
    assert http.get(PULL).status_code == 200
    assert time.monotonic() - begun >= 0.2


def test_a_connection_is_dropped(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.switch("dropped")
    with pytest.raises(httpx.RemoteProtocolError):
        http.post(COMMENTS, json={"body": "hello"})
    assert hub.comments(APP, 1) == []
    assert hub.calls[-1].status == 0
    assert http.get(PULL).status_code == 200


def test_a_person_closes_it_after_it_was_seen(hub: GitHub, http: httpx.Client) -> None:
    hub.faults.switch("closed_midway")
    assert [http.get(PULL).json()["state"] for _ in range(2)] == ["open", "closed"]


def test_a_fork_goes_after_it_was_seen(hub: GitHub, http: httpx.Client) -> None:
    fork = hub.fork(APP, "eve")
    hub.commit(fork, "fix", {"a.py": "x = 9\n"})
    number = hub.open_pull(APP, head="fix", head_slug=fork, author="eve", association="NONE")
    hub.faults.switch("fork_deleted")
    http.get(PULL)
    assert hub.faults.is_armed("fork_deleted"), "the head of that one is in no fork"
    seen = [http.get(f"/repos/{APP}/pulls/{number}").json()["head"]["repo"] for _ in range(2)]
    assert seen[0]["full_name"] == fork
    assert seen[1] is None


def test_closing_leaves_no_thread_and_waits_for_nobody(tmp_path: Path) -> None:
    before = threading.active_count()
    hub = GitHub(tmp_path / "hub")
    hub.make_repository(APP, {"a.py": "x = 1\n"})
    hub.hooks.append(("http://127.0.0.1:1/", "x"))
    hub.status(APP, hub.head(APP, "main"), "a", "success")
    with httpx.Client(base_url=hub.url, verify=False) as client:
        assert client.get(f"/repos/{APP}").status_code == 200
        assert hub.socket
        begun = time.monotonic()
        hub.close()
        assert time.monotonic() - begun < 10
    hub.close()
    assert threading.active_count() == before


def test_a_hub_starts_at_once(tmp_path: Path) -> None:
    with quickly():
        for number in range(10):
            with GitHub(tmp_path / str(number)):
                pass


def test_a_long_path_still_has_a_short_socket(tmp_path: Path) -> None:
    with GitHub(tmp_path / ("long" * 40)) as hub:
        path = hub.socket
        assert len(path) < 108
        assert Path(path).is_socket()
    assert not Path(path).exists()
