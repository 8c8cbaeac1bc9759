from dataclasses import replace

import pytest

from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_pr.output.record import Record, to_record
from reknit.core.fix_pr.output.window_news import format_news, format_progress, is_outdated
from tests.tools.pull_samples import BETTER, COURSE, GREEN, RUN, STUCK

WATCH = PullWatch("r-7f3a")
ENDED = replace(RUN, state="ended", ended_at=160.0)


def test_each_iteration_is_told_once_with_the_way_to_get_its_commit() -> None:
    text, known = format_news(WATCH, RUN, to_record(COURSE, BETTER), 2)
    assert text.splitlines() == [
        "PR #412 iteration 1 of 7: review 1 critical, 1 important, tests 1 failed, CI lint; fixed tests, pushed "
        "bbbbbbb",
        "PR #412 iteration 2 of 7: review 1 critical, tests 212 passed, 1 flaky, CI lint; fixed ci, pushed ccccccc",
        "`git pull` brings the pushed commits here.",
    ]
    assert known == PullWatch("r-7f3a", 2)
    assert format_news(known, RUN, to_record(COURSE, BETTER), 2) == ("", known)


def test_an_iteration_without_a_commit_asks_for_no_pull() -> None:
    text, known = format_news(PullWatch("r-7f3a", 3), RUN, to_record(STUCK, BETTER), 4)
    assert (text.count("\n"), known) == (0, PullWatch("r-7f3a", 4))
    assert text.endswith("; nothing landed")


def test_a_clean_end_is_told_without_its_last_look_and_nothing_follows() -> None:
    run = replace(ENDED, ending="CLEAN", reason="all passed", detail={"fixed": ["b" * 40, "c" * 40]})
    last = replace(COURSE.turns[1], number=3, commit="", did="PR CLEAN")
    text, known = format_news(
        PullWatch("r-7f3a", 1), run, to_record(replace(COURSE, turns=(*COURSE.turns, last)), GREEN), 2
    )
    lines = text.splitlines()
    assert known is None
    assert (lines[0].startswith("PR #412 iteration 2 of 7: "), lines[1].startswith("PR CLEAN   2 attempts")) == (
        True,
        True,
    )
    assert "  next    git pull" in lines


def test_a_clean_end_names_the_files_that_nobody_looked_at() -> None:
    spec = {**RUN.spec, "uncommitted": {"paths": ["notes.py"], "count": 1}}
    text, _ = format_news(WATCH, replace(ENDED, ending="CLEAN", reason="all passed", spec=spec), Record(), 0)
    first, second = text.splitlines()[:2]
    assert first.startswith("note: ignored: uncommitted changes in 1 file: notes.py; ")
    assert second.startswith("PR CLEAN ")


def test_another_end_is_told_with_what_remains() -> None:
    run = replace(
        ENDED, ending="STALLED", reason="the same failures three times", detail={"fixed": [], "left": ["lint"]}
    )
    text, known = format_news(WATCH, run, to_record(STUCK, BETTER), 4)
    assert known is None
    assert "PR STALLED   4 attempts" in text
    assert "  left    " in text
    assert "refresh race" in text


def test_an_end_before_anything_was_seen_is_told_alone() -> None:
    run = replace(ENDED, ending="BLOCKED", reason="no login", detail={})
    text, _known = format_news(WATCH, run, Record(), 0)
    assert text.startswith("PR BLOCKED   0 attempts")


def test_an_iteration_that_pushed_is_told_although_the_run_ended_with_it() -> None:
    text, _known = format_news(PullWatch("r-7f3a", 1), replace(ENDED, ending="EXHAUSTED"), to_record(COURSE, BETTER), 2)
    assert text.startswith("PR #412 iteration 2 of 7: ")


@pytest.mark.parametrize(
    ("state", "reason", "told"),
    [
        pytest.param(
            "interrupted", "by a person",
            "PR #412: r-7f3a is stopped (by a person). `/fix-pr` or `reknit resume r-7f3a` continues it.", id="parked",
        ),
        pytest.param(
            "interrupted", "",
            "PR #412: r-7f3a is stopped. `/fix-pr` or `reknit resume r-7f3a` continues it.", id="ctrl-c",
        ),
        pytest.param(
            "left", "", "PR #412: the worker of r-7f3a died; another one continues the run.", id="a dead worker"
        ),
    ],
)  # fmt: skip
def test_a_run_that_stopped_is_told_once_until_it_goes_on(state: str, reason: str, told: str) -> None:
    stopped = replace(RUN, state=state, reason=reason)  # type: ignore[arg-type]
    text, known = format_news(WATCH, stopped, Record(), 0)
    assert (text, known) == (told, PullWatch("r-7f3a", is_stopped=True))
    assert known is not None
    assert format_news(known, stopped, Record(), 0)[0] == ""
    assert format_news(known, RUN, Record(), 0) == ("", WATCH)


def test_a_window_learns_where_the_run_is() -> None:
    assert format_progress(RUN, to_record(COURSE, BETTER)) == (
        "r-7f3a repairs PR #412 in the background, iteration 3 of 7: `reknit watch r-7f3a`"
    )


def test_a_window_is_told_an_end_for_a_month() -> None:
    month = 30 * 24 * 3600
    assert is_outdated(None, 0.0)
    assert not is_outdated(RUN, 1e12)
    assert [is_outdated(ENDED, 160.0 + later) for later in (month, month + 1)] == [False, True]
