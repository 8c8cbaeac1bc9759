"""What is read of GitHub's answers: unknown fields are skipped, missing ones have a default, other pages are none."""

import pytest

from reknit.adapters.github.api.rest_models import (
    App,
    CheckRun,
    CheckRuns,
    CreatedByApp,
    InstallationToken,
    PullData,
    parse_answer,
)
from reknit.core.forge.values import ForgeError

SIDE = '{"ref": "main", "sha": "a", "repo": null}'
PULL = f'{{"number": 1, "html_url": "u", "title": "t", "state": "open", "head": {SIDE}, "base": {SIDE}, "new": 7}}'


def test_a_field_that_github_adds_or_leaves_out_changes_nothing() -> None:
    pull = parse_answer(PullData, PULL.encode(), "the pull request")
    assert (pull.number, pull.mergeable, pull.labels, pull.author_association) == (1, None, (), "NONE")
    assert pull.head.repo is None


@pytest.mark.parametrize(
    ("body", "where"),
    [
        pytest.param(b"<html>502</html>", "''", id="the page of a proxy"),
        pytest.param(b'{"check_runs": [{"id": 1', "''", id="truncated"),
        pytest.param(b'{"check_runs": [{"id": "x"}]}', "'check_runs.0.id'", id="another type, with its place"),
    ],
)
def test_an_answer_that_is_not_githubs_is_no_answer(body: bytes, where: str) -> None:
    with pytest.raises(ForgeError) as raised:
        parse_answer(CheckRuns, body, "the checks")
    assert raised.value.failure.kind == "unreachable"
    assert raised.value.failure.detail == f"the checks: unreadable answer, at {where}"
    assert raised.value.__cause__ is None, "what was sent may be a secret"


def test_a_list_is_read_without_a_model_of_its_own() -> None:
    assert parse_answer(list[int], b"[1, 2]", "numbers") == [1, 2]


@pytest.mark.parametrize(
    ("app", "writer"),
    [(None, "unknown"), (App(), "unknown"), (App(slug="github-actions", name="x"), "github-actions")],
)
def test_who_wrote_a_check_run(app: App | None, writer: str) -> None:
    assert CreatedByApp(app=app).writer == writer


def test_a_check_run_without_output_has_an_empty_one() -> None:
    run = CheckRun(id=1, name="lint", head_sha="a", status="queued")
    assert (run.output.annotations_count, run.conclusion) == (0, None)


def test_a_token_is_not_in_a_log() -> None:
    token = parse_answer(InstallationToken, b'{"token": "ghs_x", "expires_at": "2033-05-18T03:33:20Z"}', "a token")
    assert "ghs_x" not in repr(token)
    assert token.expires_at.timestamp() == 2e9
