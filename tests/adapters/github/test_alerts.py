"""Code-scanning alerts: what is open on the default branch, all of it or a reason."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from reknit.adapters.github import alerts as github_alerts
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.finding import Weight
from reknit.core.forge.values import ForgeError, ForgeFailure, ForgePlace
from reknit.core.issues.model import ReportResult
from tests.adapters.github.conftest import SLUG
from tests.tools.github import GitHub

PATH = f"/repos/{SLUG}/code-scanning/alerts"


@pytest.fixture(autouse=True)
def repository(hub: GitHub) -> None:
    hub.make_repository(SLUG, {"a.py": "x = 1\ny = 2\n"})


def raise_alert(hub: GitHub, line: int = 2, **more: Any) -> int:
    about = {"rule": "py/sql-injection", "path": "a.py", "message": "This query depends on user input."}
    return hub.alert(SLUG, line=line, **{**about, **more})


def failure(forge: GitHubForge) -> ForgeFailure:
    with pytest.raises(ForgeError) as raised:
        list(forge.alerts())
    return raised.value.failure


def test_an_alert_is_a_result_of_its_tool(hub: GitHub, forge: GitHubForge) -> None:
    number = raise_alert(hub, tool="Semgrep OSS", column=5, security="high")

    assert list(forge.alerts()) == [
        ReportResult(
            tool="Semgrep OSS",
            rule="py/sql-injection",
            path="a.py",
            line=2,
            column=5,
            message="This query depends on user input.",
            weight="critical",
            url=f"{hub.url}/{SLUG}/security/code-scanning/{number}",
        )
    ]


def test_only_what_is_open(hub: GitHub, forge: GitHubForge) -> None:
    numbers = [raise_alert(hub, line) for line in (1, 2, 3)]
    hub.close_alert(SLUG, numbers[0])
    hub.close_alert(SLUG, numbers[2], "dismissed")

    assert [found.line for found in forge.alerts()] == [2]


def test_after_an_analysis_that_found_nothing_there_is_nothing(hub: GitHub, forge: GitHubForge) -> None:
    hub.scanning(SLUG, "on")

    assert list(forge.alerts()) == []


@pytest.mark.parametrize(
    ("security", "severity", "weight"),
    [
        pytest.param("critical", "warning", "critical", id="critical-for-security"),
        pytest.param("high", "note", "critical", id="high-for-security"),
        pytest.param(None, "error", "critical", id="an-error"),
        pytest.param("low", "error", "critical", id="an-error-that-is-hardly-one-for-security"),
        pytest.param("medium", "note", "important", id="medium-for-security"),
        pytest.param("low", "warning", "important", id="a-warning"),
        pytest.param("low", "note", "minor", id="low-for-security"),
        pytest.param(None, "none", "minor", id="none"),
        pytest.param(None, None, "important", id="not-said"),
    ],
)
def test_weight(hub: GitHub, forge: GitHubForge, security: str | None, severity: str | None, weight: Weight) -> None:
    raise_alert(hub, security=security, severity=severity)

    assert [found.weight for found in forge.alerts()] == [weight]


def test_links_to_related_places_are_only_their_words(hub: GitHub, forge: GitHubForge) -> None:
    raise_alert(hub, message="depends on a [user-provided value](1), x[0](y) and [another](12).")

    assert [found.message for found in forge.alerts()] == ["depends on a user-provided value, x[0](y) and another."]


def test_many_pages_and_nothing_is_kept(hub: GitHub, forge: GitHubForge) -> None:
    for line in range(1, 252):
        raise_alert(hub, line)

    for _ in range(2):
        assert [found.line for found in forge.alerts()] == list(range(1, 252))
    assert [call.status for call in hub.calls] == [200] * 6


def test_the_first_are_told_before_the_last_are_asked_for(hub: GitHub, forge: GitHubForge) -> None:
    for line in range(1, 102):
        raise_alert(hub, line)

    assert next(forge.alerts()).line == 1
    assert len(hub.calls) == 1


def test_a_list_without_end_is_not_taken_for_the_whole(
    hub: GitHub, forge: GitHubForge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(github_alerts, "_MAX_PAGES", 1)
    for line in range(1, 101):
        raise_alert(hub, line)
    assert len(list(forge.alerts())) == 100

    raise_alert(hub, 101)
    assert failure(forge) == ForgeFailure("forbidden", f"GET {PATH}: more than 1 pages")


@pytest.mark.parametrize(
    ("state", "kind", "said"),
    [
        pytest.param("never ran", "missing", "404 no analysis found (", id="never-ran"),
        pytest.param("off", "forbidden", "403 Code scanning is not enabled for this repository.", id="off"),
        pytest.param("not bought", "forbidden", "403 Advanced Security must be enabled", id="not-bought"),
    ],
)
def test_where_code_scanning_tells_nothing_that_is_not_clean(
    hub: GitHub, forge: GitHubForge, state: str, kind: str, said: str
) -> None:
    hub.scanning(SLUG, state)

    found = failure(forge)

    assert found.kind == kind
    assert found.detail.startswith(f"GET {PATH}: {said}")
    assert found.detail.endswith(
        " (alerts need code scanning enabled, an analysis of the default branch, and a token that may read them)"
    )


def test_not_everybody_may_know(hub: GitHub) -> None:
    raise_alert(hub)

    with open_forge(ForgePlace("github", hub.url, SLUG), {"GH_TOKEN": hub.give_token("ann")}) as stranger:
        found = failure(stranger)
    assert (found.kind, "403 You are not authorized to read" in found.detail) == ("forbidden", True)


def test_an_app_may_know(hub: GitHub, app: GitHubForge) -> None:
    raise_alert(hub)

    assert len(list(app.alerts())) == 1


@pytest.mark.parametrize("fault", ["secondary_limit", "primary_limit", "server_error", "dropped", "revoked"])
@pytest.mark.parametrize("after", [0, 1])
def test_a_bad_moment_on_any_page_is_told(hub: GitHub, forge: GitHubForge, fault: str, after: int) -> None:
    for line in range(1, 102):
        raise_alert(hub, line)
    hub.faults.retry_after = 90
    hub.faults.switch(fault, after=after)

    read: list[ReportResult] = []
    with pytest.raises(ForgeError) as raised:
        read.extend(forge.alerts())
    found = raised.value.failure
    limited = fault.endswith("limit")
    assert found.kind == ("limited" if limited else "login" if fault == "revoked" else "unreachable")
    assert not limited or 85 < (found.until or 0) - time.time() < 95
    assert "code scanning enabled" not in found.detail
    hub.faults.lift()
    assert len(list(forge.alerts())) == 101


@contextmanager
def answering(pages: dict[str, tuple[list[Any], str]], asked: list[str]) -> Iterator[str]:
    """A GitHub whose answer to each query is (alerts, `Link` header)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            alerts, link = pages[urlsplit(self.path).query.rpartition("&")[2]]
            body = json.dumps(alerts).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.send_header("link", link)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_cursor_is_followed_but_to_no_other_address() -> None:
    """What an alert may lack is left out here; one that has moved to the next page is told once."""
    one = {"number": 1, "html_url": "u1", "rule": {"name": "r"}, "tool": {}}
    two = {**one, "number": 2, "rule": {"id": None, "description": "bad"}, "most_recent_instance": {"location": None}}
    pages = {
        "per_page=100": ([one], '<https://elsewhere.invalid/x?state=open&after=c2>; rel="next", <y>; rel="prev"'),
        "after=c2": ([one, two], '<https://elsewhere.invalid/x?state=open&after=c1>; rel="prev"'),
    }
    asked: list[str] = []
    with answering(pages, asked) as url, open_forge(ForgePlace("github", url, SLUG), {"GH_TOKEN": "x"}) as forge:
        found = list(forge.alerts())

    assert found == [
        ReportResult(tool="code scanning", rule="r", path="", url="u1"),
        ReportResult(tool="code scanning", rule="unnamed", path="", message="bad", url="u1"),
    ]
    assert asked == [f"{PATH}?state=open&sort=created&direction=asc&per_page=100", f"{PATH}?state=open&after=c2"]
