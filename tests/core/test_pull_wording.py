"""Pull-request runs as text for people."""

from dataclasses import replace

import pytest

from reknit.core.picture import CiSeenWord, Seen
from reknit.core.pull_documents import ci_document, review_document
from reknit.core.pull_documents import tests_document as of_tests
from reknit.core.pull_record import Record, record_of
from reknit.core.pull_wording import (
    NEXT,
    PHASES,
    decided,
    ending_text,
    explain_lines,
    show_lines,
    table,
    waits_for,
)
from tests.tools.pull_samples import BETTER, COURSE, GREEN, NEW, RED, RUN, STUCK, URL, stored

ENDED = replace(
    RUN, state="ended", ending="STALLED", reason="the same failures", ended_at=400.0,
    detail={"fixed": ["b" * 40, "c" * 40], "left": [f"R-{number} a.py" for number in range(7)]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("review", "tests", "ci", "told"),
    [
        pytest.param("pass", "pass", "pass", "PR CLEAN", id="clean"),
        pytest.param("pass", "pass", "pending", "waits for CI", id="pending"),
        pytest.param("error", "error", "error", "looks again", id="nothing seen"),
        pytest.param("fail", "fail", "fail", "fix tests, then CI, then review", id="all red"),
        pytest.param("fail", "pass", "pass", "fix review", id="a review"),
    ],
)
def test_what_the_matrix_makes_of_three_answers(review: Seen, tests: Seen, ci: CiSeenWord, told: str) -> None:
    assert decided(review, tests, ci) == told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        pytest.param("waiting for CI (2/4), looks again every 30 s", "waiting for CI (2/4)", id="CI"),
        pytest.param(
            "waiting for the claude limit, goes on in 30 s; no attempt", "waiting for the claude limit", id="a limit"
        ),
        pytest.param("waiting, a lot", "waiting, a lot", id="without a time"),
    ],
)
def test_a_waiting_run_says_for_what(reason: str, told: str) -> None:
    assert waits_for(reason) == told


def test_every_step_people_see_says_what_comes_next() -> None:
    assert set(PHASES) <= set(NEXT)


def test_the_end_of_a_run_that_pushed_names_pull_request_commits_and_what_is_left() -> None:
    assert ending_text(ENDED, 3) == (
        "STALLED   3 attempt(s), 2 commit(s) pushed, 5m00s, $0.62 of $5.00\n"
        "  why     the same failures\n"
        f"  pr      {URL}\n"
        "  pushed  bbbbbbb, ccccccc\n"
        "  left    R-0 a.py\n          R-1 a.py\n          R-2 a.py\n          R-3 a.py\n          R-4 a.py\n"
        "          … and 2 more\n"
        "  next    git pull\n          reknit explain r-7f3a"
    )


def test_the_end_of_a_clean_run() -> None:
    clean = replace(ENDED, ending="CLEAN", reason="PR CLEAN: all pass", detail={}, ended_at=None)
    assert ending_text(clean, 0) == (
        "CLEAN   0 attempt(s), 0 commit(s) pushed, 0.0 s, $0.62 of $5.00\n"
        f"  why     PR CLEAN: all pass\n  pr      {URL}\n  next    reknit show r-7f3a"
    )


def test_a_run_is_shown_with_its_iterations() -> None:
    assert show_lines(RUN, record_of(STUCK, RED))[:6] == [
        f"  pr      #412 Fix token refresh   {URL}",
        "  iter  review                   tests                ci    did             commit   cost",
        "  1     1 critical, 1 important  1 failed             lint  fixed tests     bbbbbbb  $0.31",
        "  2-4   1 critical               212 passed, 1 flaky  lint  nothing landed           $0.30",
        "  5     1 critical, 1 important  1 failed             lint  …                        $0.00",
        "  left    T-1 tests/test_auth.py::test_refresh: KeyError: 'exp' (critical)",
    ]
    assert show_lines(RUN, record_of(STUCK, RED))[-1] == "          R-2 api.py:9 needs a limit (important, octocat)"


def test_a_run_that_has_seen_nothing_shows_no_table() -> None:
    assert show_lines(RUN, Record()) == [f"  pr      #412 Fix token refresh   {URL}"]


def test_no_cell_is_wider_than_its_column() -> None:
    wide = replace(COURSE, turns=tuple(replace(turn, did="x" * 300) for turn in COURSE.turns))
    assert max(map(len, table(record_of(wide, None).looks))) < 150


def test_an_explanation_says_why_each_turn_was_decided_so_and_what_each_check_saw() -> None:
    unseen = {**stored(ci_document(RED.ci)), "why": "cut short"}
    pinned = replace(BETTER.tests, findings=RED.tests.findings)
    issue = replace(RED.review, findings=(*RED.review.findings, replace(RED.review.findings[0], line=0, author="")))
    checks = {"review": stored(review_document(issue)), "tests": stored(of_tests(pinned)), "ci": unseen}
    assert explain_lines(RUN, record_of(replace(COURSE, turns=COURSE.turns[:1]), GREEN), checks) == [
        f"  pr      #412 Fix token refresh   {URL}",
        "  iteration 1  at aaaaaaaaaaaa   review fail, tests fail, ci fail",
        "          because  red tests go first; tests that cannot run count as red",
        "          did      fixed tests; pushed bbbbbbbbbbbb, 3 fix(es)  $0.31",
        "  iteration 2  at cccccccccccc   review pass, tests pass, ci pass",
        "          because  every check was seen and passes: PR CLEAN",
        "  review  fail   1 critical, 2 important",
        "          R-2 important api.py:9 (octocat): needs a limit",
        "          R-1 critical src/token.py:42: refresh race",
        "          R-3 minor api.py:1: a nit",
        "          R-2 important api.py: needs a limit",
        "  tests   pass   212 passed, 1 flaky",
        "          red    tests/test_auth.py::test_refresh",
        "          flaky  t::shaky",
        "  ci      fail   lint   cut short",
        "          fail       lint",
        "          pass       test  https://ci/2",
    ]


def test_an_iteration_that_landed_nothing_says_what_it_did() -> None:
    lines = explain_lines(RUN, record_of(STUCK, None), {"review": {}})
    assert "          did      nothing landed  $0.10" in lines
    assert not any(line.startswith("  review") for line in lines)


def test_an_explanation_of_a_new_run_is_short() -> None:
    assert explain_lines(RUN, record_of(NEW, None), {}) == [f"  pr      #412 Fix token refresh   {URL}"]


def test_a_title_cannot_add_lines_or_escapes() -> None:
    sly = replace(RUN, spec={"pull": {"number": 1, "title": "a\x1b[31m\nCLEAN", "url": "u\nv"}})
    assert show_lines(sly, Record()) == ["  pr      #1 a CLEAN   u v"]
