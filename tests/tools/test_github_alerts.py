"""The stand-in's code scanning, through githubkit as the transport."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub as Client
from githubkit.exception import RequestFailed

from tests.tools.github import GitHub

APP = "dev/app"
ALERTS = f"/repos/{APP}/code-scanning/alerts"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        yield hub
        assert hub.violations == []


@pytest.fixture
def gh(hub: GitHub) -> Iterator[Any]:
    with Client(hub.token, base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False) as client:
        yield client


def refusal(gh: Any) -> tuple[int, str]:
    with pytest.raises(RequestFailed) as raised:
        gh.request("GET", ALERTS)
    return raised.value.response.status_code, raised.value.response.json()["message"]


def test_an_alert_says_where_and_how_bad(hub: GitHub, gh: Any) -> None:
    number = hub.alert(APP, rule="py/x", tool="CodeQL", path="a.py", line=1, column=5, message="bad", security="high")
    (alert,) = gh.request("GET", ALERTS).json()
    seen = alert["most_recent_instance"]
    assert (alert["number"], alert["state"], alert["tool"]["name"]) == (number, "open", "CodeQL")
    assert (alert["rule"]["id"], alert["rule"]["severity"]) == ("py/x", "error")
    assert alert["rule"]["security_severity_level"] == "high"
    assert (seen["location"]["path"], seen["location"]["start_line"], seen["location"]["start_column"]) == (
        "a.py",
        1,
        5,
    )
    assert (seen["message"]["text"], seen["commit_sha"]) == ("bad", hub.head(APP, "main"))
    assert alert["html_url"] == f"{hub.url}/{APP}/security/code-scanning/{number}"


def test_they_are_chosen_ordered_and_paged(hub: GitHub, gh: Any) -> None:
    for line in range(1, 6):
        hub.alert(APP, rule="r", tool="CodeQL" if line % 2 else "Trivy", path="a.py", line=line, message="m")
    hub.close_alert(APP, 1)
    hub.close_alert(APP, 3, "dismissed")

    def numbers(query: str) -> list[int]:
        return [alert["number"] for alert in gh.request("GET", f"{ALERTS}?{query}").json()]

    assert numbers("") == [5, 4, 3, 2, 1]
    assert numbers("state=open&direction=asc") == [2, 4, 5]
    assert (numbers("state=fixed"), numbers("state=dismissed"), numbers("tool_name=Trivy")) == ([1], [3], [4, 2])
    first = gh.request("GET", f"{ALERTS}?state=open&per_page=2")
    assert f'<{hub.url}{ALERTS}?per_page=2&state=open&page=2>; rel="next"' in first.headers["link"]
    assert numbers("state=open&per_page=2&page=2") == [2]


@pytest.mark.parametrize(
    ("state", "status", "message"),
    [
        pytest.param("never ran", 404, "no analysis found", id="never-ran"),
        pytest.param("off", 403, "Code scanning is not enabled for this repository. Please enable", id="off"),
        pytest.param("not bought", 403, "Advanced Security must be enabled for this repository", id="not-bought"),
    ],
)
def test_where_it_tells_nothing(hub: GitHub, gh: Any, state: str, status: int, message: str) -> None:
    assert refusal(gh) == (404, "no analysis found"), "before anything was scanned"
    hub.scanning(APP, state)
    found = refusal(gh)
    assert (found[0], found[1].startswith(message)) == (status, True)


def test_only_those_who_may_push_see_them(hub: GitHub) -> None:
    hub.alert(APP, rule="r", path="a.py", line=1, message="m")
    with Client(hub.give_token("ann"), base_url=hub.url, auto_retry=False, ssl_verify=False) as stranger:
        assert refusal(stranger) == (403, "You are not authorized to read code scanning alerts.")
