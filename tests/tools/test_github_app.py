"""The stand-in's App: a signed JWT becomes a token for an hour, and only an App writes check runs."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from githubkit import AppInstallationAuthStrategy
from githubkit import GitHub as Client
from githubkit.cache import MemCacheStrategy

from tests.tools.github import GitHub

APP = "dev/app"
R = ("dev", "app")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        hub.commit(APP, "feat", {"a.py": "x = 2\n"})
        hub.open_pull(APP, head="feat")
        yield hub
        assert hub.violations == []


@pytest.fixture
def gh(hub: GitHub) -> Iterator[Any]:
    strategy = AppInstallationAuthStrategy(hub.app.id, hub.app.private_key, hub.app.installation_id)
    options: dict[str, Any] = {"auto_retry": False, "http_cache": False, "ssl_verify": False}
    with Client(strategy, base_url=hub.url, cache_strategy=MemCacheStrategy(), **options) as client:
        yield client


def test_one_exchange_serves_many_calls(hub: GitHub, gh: Any) -> None:
    for _ in range(3):
        assert gh.rest.pulls.get(*R, 1).json()["number"] == 1
    assert hub.app.exchanges == 1
    assert hub.calls[0].path == f"/app/installations/{hub.app.installation_id}/access_tokens"


def test_a_token_that_is_over_is_refused(hub: GitHub) -> None:
    def ask(token: str) -> httpx.Response:
        return httpx.get(f"{hub.url}/repos/{APP}", headers={"Authorization": f"token {token}"})

    token, _ = hub.app.exchange()
    assert ask(token).json()["permissions"]["push"]
    hub.app.expire()
    assert ask(token).status_code == 401
    hub.app.lifetime_s = -1
    assert ask(hub.app.exchange()[0]).status_code == 401


def claims(hub: GitHub, **other: Any) -> dict[str, Any]:
    now = int(time.time())
    return {"iss": str(hub.app.id), "iat": now - 60, "exp": now + 500, **other}


@pytest.mark.parametrize(
    ("other", "status"),
    [
        pytest.param({}, 200, id="right"),
        pytest.param({"iss": "1"}, 401, id="another App's"),
        pytest.param({"exp": 10}, 401, id="over"),
        pytest.param({"exp": 99999999999}, 401, id="good for too long"),
        pytest.param({"iat": 99999999999}, 401, id="from the future"),
    ],
)
def test_a_jwt_is_verified(hub: GitHub, other: dict[str, Any], status: int) -> None:
    proof = jwt.encode(claims(hub, **other), hub.app.private_key, "RS256")
    answer = httpx.get(f"{hub.url}/app", headers={"Authorization": f"Bearer {proof}"})
    assert answer.status_code == status
    assert status != 200 or answer.json()["slug"] == "reknit"


def test_a_jwt_of_another_key_is_refused(hub: GitHub) -> None:
    proof = jwt.encode(claims(hub), "a secret that is not the App's private key", "HS256")
    assert httpx.get(f"{hub.url}/app", headers={"Authorization": f"Bearer {proof}"}).status_code == 401


def test_an_app_writes_check_runs_and_adds_annotations(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    note = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "no"}
    output = {"title": "t", "summary": "s", "annotations": [note]}
    made = gh.request(
        "POST",
        f"/repos/{APP}/check-runs",
        json={"name": "reknit", "head_sha": sha, "status": "in_progress", "external_id": "k1", "output": output},
    ).json()
    assert (made["status"], made["conclusion"], made["app"]["slug"]) == ("in_progress", None, "reknit")
    place = f"/repos/{APP}/check-runs/{made['id']}"
    ended = gh.request("PATCH", place, json={"conclusion": "failure", "output": output}).json()
    assert (ended["status"], ended["conclusion"], ended["external_id"]) == ("completed", "failure", "k1")
    assert [row["message"] for row in gh.rest.checks.list_annotations(*R, made["id"]).json()] == ["no", "no"]
    assert [run["name"] for run in hub.check_runs(APP, sha)] == ["reknit"]


def test_a_person_writes_no_check_run(hub: GitHub) -> None:
    body = {"name": "ci", "head_sha": hub.head(APP, "feat")}
    headers = {"Authorization": f"Bearer {hub.token}"}
    assert httpx.post(f"{hub.url}/repos/{APP}/check-runs", json=body, headers=headers).status_code == 403
    assert hub.check_runs(APP, hub.head(APP, "feat")) == []


def test_an_app_leaves_the_check_runs_of_others_alone(hub: GitHub, gh: Any) -> None:
    theirs = hub.check(APP, hub.head(APP, "feat"), "ci", "failure")
    body = {"conclusion": "success"}
    headers = {"Authorization": f"token {hub.app.exchange()[0]}"}
    answer = httpx.patch(f"{hub.url}/repos/{APP}/check-runs/{theirs}", json=body, headers=headers)
    assert answer.status_code == 403


def test_an_app_has_one_name_in_rest_and_another_in_graphql(hub: GitHub, gh: Any) -> None:
    made = gh.rest.issues.create_comment(*R, 1, body="hello").json()
    assert (made["user"]["login"], made["user"]["type"]) == ("reknit[bot]", "Bot")
    query = """{ viewer { login } repository(owner: "dev", name: "app") { pullRequest(number: 1) {
      comments(first: 1) { nodes { author { login __typename } viewerDidAuthor } } } } }"""
    answer = gh.graphql(query)
    assert answer["viewer"]["login"] == "reknit[bot]"
    comment = answer["repository"]["pullRequest"]["comments"]["nodes"][0]
    assert comment == {"author": {"login": "reknit", "__typename": "Bot"}, "viewerDidAuthor": True}
    headers = {"Authorization": f"token {hub.app.exchange()[0]}"}
    assert httpx.get(f"{hub.url}/user", headers=headers).status_code == 403
