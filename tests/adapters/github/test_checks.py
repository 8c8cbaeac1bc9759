"""Check runs and statuses in one vocabulary, and the cheap look whether they changed."""

import pytest

from reknit.adapters.github.api.rest_models import App, CheckRun, CheckSuite, SuiteLink
from reknit.adapters.github.checks import _select_newest, _to_sourced_checks, list_announced, to_check
from reknit.adapters.github.forge import GitHubForge
from reknit.core.forge.values import CheckReport, CiCheck, ForgeError
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub


def by_name(forge: GitHubForge, sha: str) -> dict[str, CiCheck]:
    return {check.name: check for check in forge.checks(sha)}


@pytest.mark.parametrize(
    ("conclusion", "state"),
    [
        ("success", "pass"),
        ("neutral", "skipped"),
        ("skipped", "skipped"),
        ("failure", "fail"),
        ("timed_out", "fail"),
        ("action_required", "fail"),
        ("cancelled", "cancelled"),
    ],
)
def test_each_conclusion_has_its_state(
    hub: GitHub, forge: GitHubForge, pull: Opened, conclusion: str, state: str
) -> None:
    number = hub.check(SLUG, pull.sha, "ci", conclusion, summary="3 <!-- hidden -->failed")

    (check,) = forge.checks(pull.sha)

    assert (check.name, check.state, check.word, check.id) == ("ci", state, conclusion, number)
    assert check.is_job
    assert check.url.startswith(hub.url)
    assert "3 failed" in check.summary


def test_words_that_githubs_description_does_not_have() -> None:
    run = CheckRun(id=1, name="ci", head_sha="a", status="completed", conclusion="splendid")

    assert (to_check(run).state, to_check(run).word) == ("fail", "splendid")
    assert to_check(run.model_copy(update={"conclusion": "startup_failure"})).state == "fail"
    assert to_check(run.model_copy(update={"conclusion": "stale"})).state == "pending"
    assert to_check(run.model_copy(update={"conclusion": None})).state == "fail"
    for status in ("queued", "in_progress", "waiting", "requested", "pending"):
        ongoing = to_check(run.model_copy(update={"status": status, "conclusion": None}))
        assert (ongoing.state, ongoing.word) == ("pending", status)


def test_runs_and_statuses_stand_side_by_side(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "unit")
    hub.check(SLUG, pull.sha, "scan", "failure", job=False)
    for context, state in (("old", "success"), ("odd", "error"), ("bad", "failure"), ("slow", "pending")):
        hub.status(SLUG, pull.sha, context, state)

    found = by_name(forge, pull.sha)

    assert {name: check.state for name, check in found.items()} == {
        "unit": "pending",
        "scan": "fail",
        "old": "pass",
        "odd": "fail",
        "bad": "fail",
        "slow": "pending",
    }
    assert (found["unit"].word, found["odd"].word) == ("in_progress", "error")
    assert (found["unit"].is_job, found["scan"].is_job, found["old"].is_job, found["old"].id) == (True, False, False, 0)


def test_the_newest_of_each_name_counts(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure")
    newest = hub.check(SLUG, pull.sha, "ci", "success")
    hub.status(SLUG, pull.sha, "old", "failure")
    hub.status(SLUG, pull.sha, "old", "success")

    assert [(check.state, check.id) for check in forge.checks(pull.sha)] == [("pass", newest), ("pass", 0)]


def test_one_app_does_not_take_back_what_another_says(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure", job=True)
    hub.check(SLUG, pull.sha, "ci", "success", job=False)

    assert [(check.state, check.is_job) for check in forge.checks(pull.sha)] == [("fail", True), ("pass", False)]


def test_the_newest_is_not_the_last_in_the_list() -> None:
    run = CheckRun(id=2, name="ci", head_sha="a", status="completed", conclusion="success", app=App(slug="x"))
    older = run.model_copy(update={"id": 1, "conclusion": "failure"})

    assert [check.id for check in _select_newest(_to_sourced_checks([run, older]))] == [2]


def test_a_status_with_the_name_of_a_run_stays(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    hub.status(SLUG, pull.sha, "ci", "failure")

    assert sorted(check.state for check in forge.checks(pull.sha)) == ["fail", "pass"]


def test_reknits_own_run_is_left_out(hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, CheckReport("reknit", "run-1", "failure", "red", "still red"))
    hub.check(SLUG, pull.sha, "ci", "success")

    assert [check.name for check in app.checks(pull.sha)] == ["ci"]
    assert [check.name for check in forge.checks(pull.sha)] == ["ci"]


def test_checks_are_of_exactly_that_commit(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    newer = hub.commit(SLUG, "feat", {"b.py": ""}, message="more")

    assert forge.checks(newer) == ()


def test_more_than_a_page(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(130):
        hub.check(SLUG, pull.sha, f"ci-{number}", "success")
    for number in range(101):
        hub.status(SLUG, pull.sha, f"old-{number}", "success")

    assert len(forge.checks(pull.sha)) == 231


def test_a_list_too_long_to_read_is_not_taken_for_the_whole(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(1001):
        hub.status(SLUG, pull.sha, f"old-{number}", "success")

    with pytest.raises(ForgeError, match="more than 1000 entries"):
        forge.checks(pull.sha)


def looks(hub: GitHub, forge: GitHubForge, sha: str) -> tuple[bool, list[tuple[str, int]]]:
    hub.calls.clear()
    return forge.has_news(sha), [(call.path.rpartition("/")[2], call.status) for call in hub.calls]


def test_nothing_new_costs_one_304(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    hub.status(SLUG, pull.sha, "old", "success")
    forge.checks(pull.sha)

    for _ in range(4):
        assert looks(hub, forge, pull.sha) == (False, [("check-runs", 304)])


def test_news_is_told_until_it_was_read(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    forge.checks(pull.sha)
    hub.check(SLUG, pull.sha, "ci", "failure")

    assert looks(hub, forge, pull.sha) == (True, [("check-runs", 200)])
    assert looks(hub, forge, pull.sha) == (True, [("check-runs", 304)])
    assert by_name(forge, pull.sha)["ci"].state == "fail"
    assert looks(hub, forge, pull.sha) == (False, [("check-runs", 304)])


def test_a_pending_status_is_looked_at_in_turn(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    hub.status(SLUG, pull.sha, "old", "pending")
    forge.checks(pull.sha)

    seen = [looks(hub, forge, pull.sha)[1] for _ in range(4)]
    hub.status(SLUG, pull.sha, "old", "failure")

    assert seen == [[("check-runs", 304)], [("status", 304)]] * 2
    assert [looks(hub, forge, pull.sha)[0] for _ in range(2)] == [False, True]


def test_where_nothing_was_seen_both_kinds_are_waited_for(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    assert forge.checks(pull.sha) == ()
    hub.status(SLUG, pull.sha, "old", "success")

    assert [looks(hub, forge, pull.sha)[0] for _ in range(2)] == [False, True]


def test_a_status_that_comes_after_all_runs_passed_is_not_missed(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    forge.checks(pull.sha)
    hub.status(SLUG, pull.sha, "required one", "failure")

    assert [looks(hub, forge, pull.sha)[0] for _ in range(2)] == [False, True]


def test_a_check_on_the_second_page_is_not_missed(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(100):
        hub.check(SLUG, pull.sha, f"ci-{number}", "success")
    hub.check(SLUG, pull.sha, "last")
    forge.checks(pull.sha)
    hub.check(SLUG, pull.sha, "last", "failure")

    assert sorted(looks(hub, forge, pull.sha)[0] for _ in range(2)) == [False, True]


def test_a_commit_never_asked_about_is_news(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    assert looks(hub, forge, pull.sha) == (True, [("check-runs", 200)])


def test_reknits_own_run_is_no_news(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    app.checks(pull.sha)
    app.set_check(pull.sha, CheckReport("reknit", "run-1", "", "working", ""))

    assert looks(hub, app, pull.sha) == (False, [("check-runs", 200)])


def test_checks_that_come_late_are_seen_when_they_come(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "success")
    hub.faults.checks_lag = 2

    assert forge.checks(pull.sha) == ()
    assert forge.has_news(pull.sha)
    assert [check.name for check in forge.checks(pull.sha)] == ["ci"]


ACTIONS = App(slug="github-actions", name="GitHub Actions")


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


def test_more_than_a_page_of_suites(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
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
    run = CheckRun(id=9, name="ci", head_sha="a", status=status, conclusion=conclusion, check_suite=SuiteLink(id=suite))
    going = CheckSuite(id=1, head_sha="a", status="in_progress", app=ACTIONS)

    assert bool(list_announced([going], [run])) is is_awaited


def test_a_suite_whose_state_nobody_tells_has_not_ended() -> None:
    (found,) = list_announced([CheckSuite(id=1, head_sha="a", app=App(slug="some-ci", name="Some CI"))], [])

    assert found[1] == CiCheck("Some CI", "pending", "queued")
