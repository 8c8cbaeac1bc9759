"""reknit's own check run: one a key and commit, changed in place."""

import dataclasses

import pytest
from githubkit import GitHub as Client

from reknit.adapters.github.comments import _make_output
from reknit.adapters.github.forge import GitHubForge
from reknit.core.forge.values import Annotation, CheckReport, ForgeError
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub

WORKING = CheckReport("reknit", "run-1", "", "iteration 1", "looking")
RED = dataclasses.replace(WORKING, conclusion="failure", title="red", summary="2 tests fail")


def annotated(count: int) -> CheckReport:
    notes = tuple(Annotation("a.py", number, f"t{number}", "wrong") for number in range(count))
    return dataclasses.replace(RED, annotations=notes)


def own(hub: GitHub, pull: Opened) -> list[tuple[str, str, str | None, str, str, int]]:
    return [
        (
            run["name"],
            run["external_id"],
            run["conclusion"],
            run["output"]["title"],
            run["output"]["summary"],
            run["output"]["annotations_count"],
        )
        for run in hub.check_runs(SLUG, pull.sha)
    ]


def writes(hub: GitHub) -> list[tuple[str, int]]:
    return [(call.method, call.status) for call in hub.calls if "check-runs" in call.path and call.method != "GET"]


def test_it_is_changed_in_place(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, WORKING)
    assert own(hub, pull) == [("reknit", "reknit:run-1", None, "iteration 1", "looking", 0)]

    app.set_check(pull.sha, RED)
    assert own(hub, pull) == [("reknit", "reknit:run-1", "failure", "red", "2 tests fail", 0)]

    app.set_check(pull.sha, WORKING)
    assert own(hub, pull) == [("reknit", "reknit:run-1", None, "iteration 1", "looking", 0)]


def test_the_same_again_writes_nothing(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, annotated(3))
    app.set_check(pull.sha, annotated(3))

    assert writes(hub) == [("POST", 201)]


def test_another_run_has_its_own(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, WORKING)
    app.set_check(pull.sha, dataclasses.replace(WORKING, key="run-2"))
    app.set_check(pull.sha, RED)

    assert [(row[1], row[2]) for row in own(hub, pull)] == [("reknit:run-1", "failure"), ("reknit:run-2", None)]


def test_annotations_go_fifty_at_a_time(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, annotated(120))

    assert writes(hub) == [("POST", 201), ("PATCH", 200), ("PATCH", 200)]
    assert own(hub, pull)[0][5] == 120


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_answer_that_was_lost_leaves_one_run_and_each_annotation_once(
    hub: GitHub, app: GitHubForge, pull: Opened, after: int
) -> None:
    hub.faults.switch("lost_answer", after=after)
    with pytest.raises(ForgeError) as raised:
        app.set_check(pull.sha, annotated(120))
    assert raised.value.failure.kind == "unreachable"

    app.set_check(pull.sha, annotated(120))

    assert [(row[1], row[5]) for row in own(hub, pull)] == [("reknit:run-1", 120)]


def test_a_changed_report_brings_its_first_annotations(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, WORKING)
    app.set_check(pull.sha, annotated(60))

    assert writes(hub) == [("POST", 201), ("PATCH", 200), ("PATCH", 200)]
    assert own(hub, pull)[0][5] == 60


def sent(hub: GitHub, pull: Opened) -> list[str]:
    """The titles of its annotations, as GitHub has them."""
    (run,) = hub.check_runs(SLUG, pull.sha)
    with Client(hub.token, base_url=hub.url, ssl_verify=False) as client:
        listed = client.request("GET", f"/repos/{SLUG}/check-runs/{run['id']}/annotations?per_page=100")
    return [each["title"] for each in listed.json()]


@pytest.mark.parametrize("first", [1, 50])
@pytest.mark.parametrize("then", [0, 1, 3, 60])
def test_annotations_are_sent_with_the_first_report_that_has_any_and_never_again(
    hub: GitHub, app: GitHubForge, pull: Opened, first: int, then: int
) -> None:
    app.set_check(pull.sha, WORKING)
    app.set_check(pull.sha, annotated(first))
    other = tuple(dataclasses.replace(each, title="other") for each in annotated(then).annotations)
    app.set_check(pull.sha, dataclasses.replace(WORKING, summary="looking again", annotations=other))

    assert sent(hub, pull) == [f"t{number}" for number in range(first)]
    assert own(hub, pull)[0][4] == "looking again"


def test_the_same_words_with_other_annotations_add_none(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, annotated(2))
    other = tuple(dataclasses.replace(each, title="other") for each in annotated(5).annotations)
    app.set_check(pull.sha, dataclasses.replace(RED, annotations=other))

    assert sent(hub, pull) == ["t0", "t1"]
    assert writes(hub) == [("POST", 201)]


def test_a_report_without_annotations_sends_none(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    assert "annotations" not in _make_output(RED, ())

    app.set_check(pull.sha, RED)
    app.set_check(pull.sha, annotated(3))
    app.set_check(pull.sha, WORKING)

    assert sent(hub, pull) == ["t0", "t1", "t2"]


def test_only_an_app_may(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    with pytest.raises(ForgeError) as raised:
        forge.set_check(pull.sha, WORKING)

    assert raised.value.failure.kind == "forbidden"
    assert own(hub, pull) == []


def test_long_texts_are_cut(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.set_check(pull.sha, dataclasses.replace(RED, title="t" * 999, summary="s" * 99_999))
    app.set_check(pull.sha, dataclasses.replace(RED, title="t" * 999, summary="s" * 99_999))

    assert [(len(row[3]), len(row[4])) for row in own(hub, pull)] == [(255, 60_000)]
    assert writes(hub) == [("POST", 201)]
