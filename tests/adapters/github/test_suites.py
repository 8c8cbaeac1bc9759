"""Work that GitHub has announced and that has no check run yet: it is not green, and nobody waits for idle Apps."""

import pytest

from reknit.adapters.github.api.rest_models import CheckRun, CheckSuite, SuiteOf, Writer
from reknit.adapters.github.forge import GitHubForge
from reknit.adapters.github.suites import announced
from reknit.core.forge.values import CheckReport, CiCheck
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub

ACTIONS = Writer(slug="github-actions", name="GitHub Actions")


def states(forge: GitHubForge, pull: Opened) -> list[tuple[str, str, str]]:
    return [(check.name, check.state, check.word) for check in forge.checks(pull.sha)]


def test_jobs_that_are_to_come_are_pending(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.more_jobs(SLUG, pull.sha)
    url = f"{hub.url}/{SLUG}/commit/{pull.sha}/checks"
    assert forge.checks(pull.sha) == (CiCheck("GitHub Actions", "pending", "queued", url),)

    hub.check(SLUG, pull.sha, "build", "success")
    assert states(forge, pull) == [("build", "pass", "success"), ("GitHub Actions", "pending", "in_progress")]

    hub.check(SLUG, pull.sha, "test")
    assert states(forge, pull) == [("build", "pass", "success"), ("test", "pending", "in_progress")]

    hub.check(SLUG, pull.sha, "test", "failure")
    hub.more_jobs(SLUG, pull.sha, coming=False)
    assert states(forge, pull) == [("build", "pass", "success"), ("test", "fail", "failure")]


def test_an_app_that_never_reports_is_not_waited_for(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.more_jobs(SLUG, pull.sha, app="idle")
    hub.check(SLUG, pull.sha, "ci", "success")

    assert states(forge, pull) == [("ci", "pass", "success")]


def test_another_app_that_reported_is_waited_for(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.more_jobs(SLUG, pull.sha, app="some-ci")
    assert states(forge, pull) == []

    hub.check(SLUG, pull.sha, "scan", "success", job=False)
    assert states(forge, pull) == [("scan", "pass", "success"), ("some-ci", "pending", "in_progress")]


def test_reknits_own_suite_is_not_waited_for(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, CheckReport("reknit", "run-1", "", "working", ""))
    assert states(app, pull) == []

    app.set_check(pull.sha, CheckReport("reknit", "run-1", "success", "done", ""))
    hub.more_jobs(SLUG, pull.sha, app=hub.app.slug)
    assert states(app, pull) == []


def test_a_job_with_the_name_of_the_app_does_not_hide_its_suite(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "GitHub Actions", "success")
    hub.more_jobs(SLUG, pull.sha)

    assert [check.state for check in forge.checks(pull.sha)] == ["pass", "pending"]


def test_more_than_a_page(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(100):
        hub.more_jobs(SLUG, pull.sha, app=f"a-{number}")
    hub.more_jobs(SLUG, pull.sha)

    assert states(forge, pull) == [("GitHub Actions", "pending", "queued")]


def test_the_suites_are_read_before_the_runs(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    forge.checks(pull.sha)
    forge.checks(pull.sha)

    looks = [(call.path.rpartition("/")[2], call.status) for call in hub.calls]
    assert looks == [(what, status) for status in (200, 304) for what in ("check-suites", "check-runs", "status")]


def test_a_suite_that_is_waited_for_is_looked_at_in_turn(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    hub.more_jobs(SLUG, pull.sha)
    forge.checks(pull.sha)
    hub.calls.clear()

    assert [forge.has_news(pull.sha) for _ in range(4)] == [False] * 4
    assert [call.path.rpartition("/")[2] for call in hub.calls] == ["check-runs", "check-suites"] * 2
    assert {call.status for call in hub.calls} == {304}

    hub.more_jobs(SLUG, pull.sha, app="idle")
    assert [forge.has_news(pull.sha) for _ in range(2)] == [False, False], "of an App that does not count"

    hub.more_jobs(SLUG, pull.sha, coming=False)
    assert [forge.has_news(pull.sha) for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    ("status", "conclusion", "suite", "is_awaited"),
    [
        pytest.param("in_progress", None, 1, False, id="its-own-run-is-going"),
        pytest.param("in_progress", None, 2, True, id="a-run-of-another-workflow-is-going"),
        pytest.param("completed", "success", 1, True, id="its-own-run-has-ended"),
    ],
)
def test_each_workflow_has_a_suite_of_its_own(
    status: str, conclusion: str | None, suite: int, is_awaited: bool
) -> None:
    run = CheckRun(id=9, name="ci", head_sha="a", status=status, conclusion=conclusion, check_suite=SuiteOf(id=suite))
    going = CheckSuite(id=1, head_sha="a", status="in_progress", app=ACTIONS)

    assert bool(announced([going], [run])) is is_awaited


def test_a_suite_whose_state_nobody_tells_has_not_ended() -> None:
    (found,) = announced([CheckSuite(id=1, head_sha="a", app=Writer(slug="some-ci", name="Some CI"))], [])

    assert found[1] == CiCheck("Some CI", "pending", "queued")
