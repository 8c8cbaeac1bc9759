"""Pull-request runs as text for people."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import FinishedStatus
from reknit.core.fix_pr.output.documents import to_ci_document, to_review_document
from reknit.core.fix_pr.output.documents import to_tests_document as of_tests
from reknit.core.fix_pr.output.record import Record, to_record
from reknit.core.fix_pr.output.run_text import (
    NEXT,
    PHASES,
    describe_decision,
    drop_retry_time,
    explain_run,
    format_ending,
    format_run,
    format_table,
    shorten,
)
from reknit.core.testing.report import CheckStatus
from tests.tools.pull_samples import BETTER, COURSE, GREEN, NEW, RED, RUN, STUCK, URL, stored

ENDED = replace(
    RUN, state="ended", ending="STALLED", reason="the same failures", ended_at=400.0,
    detail={"fixed": ["b" * 40, "c" * 40], "left": [f"R-{number} a.py" for number in range(7)]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("review", "tests", "ci", "told"),
    [
        pytest.param("pass", "pass", "pass", "PR CLEAN", id="clean"),
        pytest.param("pass", "pass", "pending", "waiting for CI", id="pending"),
        pytest.param("error", "error", "error", "looks again", id="nothing seen"),
        pytest.param("fail", "fail", "fail", "fix tests, then CI, then review", id="all red"),
        pytest.param("fail", "pass", "pass", "fix review", id="a review"),
    ],
)
def test_what_the_matrix_makes_of_three_answers(
    review: FinishedStatus, tests: FinishedStatus, ci: CheckStatus, told: str
) -> None:
    assert describe_decision(review, tests, ci) == told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        pytest.param("waiting for CI (2/4), looks again every 30 s", "waiting for CI (2/4)", id="CI"),
        pytest.param("rate limited by claude; retrying in 30 s (…)", "rate limited by claude", id="a limit"),
        pytest.param("waiting, a lot", "waiting, a lot", id="without a time"),
    ],
)
def test_a_waiting_run_says_for_what(reason: str, told: str) -> None:
    assert drop_retry_time(reason) == told


def test_every_step_people_see_says_what_comes_next() -> None:
    assert set(PHASES) <= set(NEXT)


def test_the_end_of_a_run_that_pushed_names_pull_request_commits_and_what_is_left() -> None:
    assert format_ending(ENDED, 3, Record()) == (
        "STALLED   3 attempts, 2 commits pushed, 5m00s, $0.62 of $5.00\n"
        "  why     the same failures\n"
        f"  pr      {URL}\n"
        "  pushed  bbbbbbb, ccccccc\n"
        "  left    R-0 a.py\n          R-1 a.py\n          R-2 a.py\n          R-3 a.py\n          R-4 a.py\n"
        "          … and 2 more"
    )


def test_a_run_that_a_person_cancelled_still_names_what_it_pushed() -> None:
    run = replace(RUN, ending="CANCELLED", reason="by a person", ended_at=160.0)
    lines = format_ending(run, 2, to_record(COURSE, BETTER)).splitlines()
    assert ("2 commits pushed" in lines[0], "  pushed  bbbbbbb, ccccccc" in lines) == (True, True)


def test_the_end_of_a_clean_run() -> None:
    clean = replace(ENDED, ending="CLEAN", reason="PR CLEAN: all pass", detail={}, ended_at=None)
    assert format_ending(clean, 0, to_record(NEW, RED)) == (
        f"CLEAN   0 attempts, 0 commits pushed, 0.0 s, $0.62 of $5.00\n  why     PR CLEAN: all pass\n  pr      {URL}"
    )


def test_a_run_is_shown_with_its_iterations() -> None:
    assert format_run(RUN, to_record(STUCK, RED))[:6] == [
        f"  pr      #412 Fix token refresh   {URL}",
        "  iter  review                   tests                ci    did             commit   cost",
        "  1     1 critical, 1 important  1 failed             lint  fixed tests     bbbbbbb  $0.31",
        "  2-4   1 critical               212 passed, 1 flaky  lint  nothing landed           $0.30",
        "  5     1 critical, 1 important  1 failed             lint  …                        $0.00",
        "  left    T-1 tests/test_auth.py::test_refresh: KeyError: 'exp' (critical)",
    ]
    assert format_run(RUN, to_record(STUCK, RED))[-1] == "          R-2 api.py:9 needs a limit (important, octocat)"


def test_a_run_that_has_seen_nothing_shows_no_table() -> None:
    assert format_run(RUN, Record()) == [f"  pr      #412 Fix token refresh   {URL}"]


def test_no_cell_is_wider_than_its_column() -> None:
    wide = replace(COURSE, turns=tuple(replace(turn, did="x" * 300) for turn in COURSE.turns))
    assert max(map(len, format_table(to_record(wide, None).looks))) < 150
    for width in (80, 100):
        lines = format_table(to_record(wide, None).looks, width)
        assert max(map(len, lines)) <= width
        assert "bbbbbbb  $0.31" in lines[1]


def test_a_table_that_fits_is_left_as_it_is() -> None:
    looks = to_record(STUCK, RED).looks
    assert format_table(looks, 120) == format_table(looks)


def test_an_explanation_says_why_each_turn_was_decided_so_and_what_each_check_saw() -> None:
    unseen = {**stored(to_ci_document(RED.ci)), "why": "cut short"}
    pinned = replace(BETTER.tests, findings=RED.tests.findings)
    issue = replace(RED.review, findings=(*RED.review.findings, replace(RED.review.findings[0], line=0, author="")))
    checks = {"review": stored(to_review_document(issue)), "tests": stored(of_tests(pinned)), "ci": unseen}
    assert explain_run(RUN, to_record(replace(COURSE, turns=COURSE.turns[:1]), GREEN), checks) == [
        f"  pr      #412 Fix token refresh   {URL}",
        "  iteration 1  at aaaaaaaaaaaa   review fail, tests fail, ci fail",
        "          because  red tests go first; tests that cannot run count as red",
        "          did      fixed tests; pushed bbbbbbbbbbbb, asked about 3  $0.31",
        "  iteration 2  at cccccccccccc   review pass, tests pass, ci pass",
        "          because  every check that ran passes: PR CLEAN",
        "  review  fail   1 critical, 2 important",
        "          R-2 important api.py:9 (octocat): needs a limit",
        "          R-1 critical src/token.py:42: refresh race",
        "          R-3 minor api.py:1: a nit",
        "          R-2 important api.py: needs a limit",
        "  tests   error   212 passed, 1 flaky",
        "          red    tests/test_auth.py::test_refresh",
        "          flaky  t::shaky",
        "  ci      fail   lint   cut short",
        "          fail       lint",
        "          pass       test  https://ci/2",
    ]


def test_an_iteration_that_landed_nothing_says_what_it_did() -> None:
    lines = explain_run(RUN, to_record(STUCK, None), {"review": {}})
    assert "          did      nothing landed  $0.10" in lines
    assert not any(line.startswith("  review") for line in lines)


def test_an_explanation_of_a_new_run_is_short() -> None:
    assert explain_run(RUN, to_record(NEW, None), {}) == [f"  pr      #412 Fix token refresh   {URL}"]


def test_a_title_cannot_add_lines_or_escapes() -> None:
    sly = replace(RUN, spec={"task": {"number": 1, "title": "a\x1b[31m\nCLEAN", "url": "u\nv"}})
    assert format_run(sly, Record()) == ["  pr      #1 a CLEAN   u v"]


def test_what_is_left_is_told_as_the_last_look_found_it_the_worst_first() -> None:
    lines = format_ending(replace(ENDED, ending="BLOCKED"), 3, to_record(NEW, RED)).splitlines()
    assert lines[4:8] == [
        "  left    T-1 tests/test_auth.py::test_refresh: KeyError: 'exp'",
        "          C-1 lint: a.py:1: E501",
        "          R-1 src/token.py:42 refresh race",
        "          R-2 api.py:9 needs a limit",
    ]


def test_what_was_left_before_the_last_push_is_not_told_as_left() -> None:
    pushed = replace(NEW, turns=(STUCK.turns[0],))
    assert "  left " not in format_ending(replace(ENDED, ending="BLOCKED"), 1, to_record(pushed, RED))


def test_on_a_terminal_lines_break_between_words_and_under_their_column() -> None:
    long = replace(ENDED, reason="#412 conflicts with its base main; `git fetch origin` " + "and so on " * 9)
    lines = format_ending(long, 3, to_record(NEW, RED), 60).splitlines()
    why = lines[1 : lines.index(f"  pr      {URL}")]
    assert len(why) > 1
    assert all(len(line) <= 60 for line in why)
    assert all(line.startswith(" " * 10) and line[10] != " " for line in why[1:])
    assert " ".join(line[10:] for line in why) == long.reason.strip()


def test_a_decision_in_a_cell_is_short() -> None:
    assert shorten("fix tests, then CI") == "fix tests, then CI"
    assert shorten("nothing landed: " + "the branch was moved " * 9) == "nothing landed: the branch was moved th…"
