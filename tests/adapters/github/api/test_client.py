"""githubkit as transport: imported late, and never a token to another host."""

import subprocess
import sys

import httpx
import pytest
from githubkit.exception import RequestError, RequestTimeout

from reknit.adapters.github.api.client import _to_failure
from reknit.adapters.github.forge import GitHubForge
from reknit.core.forge.values import CiCheck, ForgeError, ForgeFailure
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub


def test_githubkit_is_imported_only_when_it_is_needed() -> None:
    code = """
import sys
import reknit.adapters.github.webhook
from reknit.adapters.github.forge import open_forge
from reknit.core.forge.values import ForgePlace
open_forge(ForgePlace("github", "https://api.github.com", "a/b"), {"GH_TOKEN": "x"})
print([name for name in ("githubkit", "httpx", "jwt") if name in sys.modules])
"""

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said == "[]\n"


def test_a_log_is_fetched_where_the_redirect_leads_without_the_token(
    hub: GitHub, forge: GitHubForge, pull: Opened
) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", log="E  assert 3 == 2\n")
    (check,) = forge.checks(pull.sha)
    hub.calls.clear()

    assert forge.log(check) == "E  assert 3 == 2\n"
    assert [(call.status, call.token) for call in hub.calls] == [(302, hub.token), (200, "")]


def test_only_the_end_of_a_long_log(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", log="é" + "x" * 5_000_000 + "\nthe end")
    (check,) = forge.checks(pull.sha)

    log = forge.log(check)

    assert len(log) == 1 << 20
    assert log.endswith("x\nthe end")


def test_a_log_cut_inside_a_letter_is_still_text(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", log="é" * (1 << 19) + "!")
    (check,) = forge.checks(pull.sha)

    assert forge.log(check).startswith("\ufffdé")


def test_where_there_is_no_log(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    hub.check(SLUG, pull.sha, "scan", "failure", job=False)
    checks = forge.checks(pull.sha)
    gone = CiCheck("gone", "fail", "failure", id=99, is_job=True)
    hub.calls.clear()

    assert [forge.log(check) for check in (*checks, gone)] == ["", "", ""]
    assert len(hub.calls) == 2, "what is no job is not asked for"


@pytest.mark.parametrize("fault", ["log_forbidden", "log_gone"])
def test_a_log_that_is_kept_back_or_gone_is_no_log(hub: GitHub, forge: GitHubForge, pull: Opened, fault: str) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", log="boom")
    (check,) = forge.checks(pull.sha)
    setattr(hub.faults, fault, 1)

    assert [forge.log(check), forge.log(check)] == ["", "boom"]


@pytest.mark.parametrize(
    ("fault", "kind"), [("secondary_limit", "limited"), ("server_error", "unreachable"), ("revoke_next", "login")]
)
def test_a_log_that_could_be_had_otherwise_is_not_taken_for_none(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str, kind: str
) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", log="boom")
    (check,) = forge.checks(pull.sha)
    setattr(hub.faults, fault, 1)

    with pytest.raises(ForgeError) as raised:
        forge.log(check)

    assert raised.value.failure.kind == kind


def test_an_answer_that_takes_too_long() -> None:
    late = RequestTimeout(httpx.ReadTimeout("no answer"))

    assert _to_failure(late, "GET /x") == ForgeFailure("unreachable", "GET /x: ReadTimeout")


def test_without_the_part_that_signs_for_an_app() -> None:
    found = _to_failure(RequestError(RuntimeError("JWT support")), "POST /x")

    assert found == ForgeFailure("login", "POST /x: signing as the App: needs `reknit[app]` installed")
