"""What the pages say: the texts of the terminal, harmless and short."""

from dataclasses import replace

import pytest

from reknit.core.capability import StoredRun
from reknit.core.dashboard.page_text import (
    build_row,
    build_run_page,
    describe_fixes,
    format_age,
    format_cursor,
    name_repository,
    parse_cursor,
    suggest_command,
    summarize_spending,
)
from reknit.core.dashboard.values import Cursor, WeekOfFixes, WeekOfSpending
from reknit.core.run_text import render_event, render_headline, render_run
from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView, RunView

RUN = RunView(
    id="r-1", kind="fix tests", repository="/srv/shop", base="b" * 40, agent="claude", state="running",
    phase="attempt", worker="", reason="", until=None, ending=None, detail={}, commit=None, spent_usd=0.5,
    budget_usd=5.0, created_at=100.0, ended_at=None, undone_at=None, spec={},
)  # fmt: skip


def end(word: str, **detail: object) -> RunView:
    return replace(RUN, state="ended", ending=word, reason="why", detail=detail, ended_at=200.0)


def test_a_row_says_what_the_terminal_says() -> None:
    row = build_row(RUN, now=160.0)
    assert (row.headline, row.age, row.spent) == (" ".join(render_headline(RUN).split()), "1 min", "$0.50 of $5.00")
    assert build_row(end("FIXED"), now=260.0).age == "1 min", "the age counts from the end"


def test_a_page_has_the_texts_of_show_and_of_the_ending() -> None:
    stored = StoredRun(end("BLOCKED"))
    page = build_run_page(stored, [EventView(1, "r-1", 7.0, Event("gate", "ok", "gate", "2 files"))], now=1.0)
    assert page.details == render_run(stored)
    assert page.ending.startswith("BLOCKED")
    assert page.events == ((7.0, render_event(Event("gate", "ok", "gate", "2 files"))),)
    assert (page.can_stop, page.can_resume) == (False, False)
    assert build_run_page(StoredRun(RUN), [], now=1.0).ending == ""


def test_a_page_shows_the_newest_events_and_says_how_many_are_left_out() -> None:
    events = [EventView(n, "r-1", float(n), Event("x", "note", "x", str(n))) for n in range(503)]
    page = build_run_page(StoredRun(RUN), events, now=1.0)
    assert (len(page.events), page.left_out, page.events[0][0]) == (500, 3, 3.0)


@pytest.mark.parametrize(
    ("state", "can_stop", "can_resume"),
    [
        ("queued", True, False),
        ("running", True, False),
        ("waiting", True, False),
        ("interrupted", False, True),
        ("left", False, True),
    ],
)
def test_what_can_be_done_depends_on_the_state(state: str, can_stop: bool, can_resume: bool) -> None:
    run = replace(RUN, state=state)  # type: ignore[arg-type]
    page = build_run_page(StoredRun(run), [], now=1.0)
    assert (page.can_stop, page.can_resume) == (can_stop, can_resume)


@pytest.mark.parametrize(
    ("run", "command"),
    [
        pytest.param(RUN, "", id="at work"),
        pytest.param(replace(RUN, state="queued"), "reknit worker", id="queued"),
        pytest.param(replace(RUN, state="interrupted"), "reknit resume r-1", id="parked"),
        pytest.param(replace(RUN, state="left"), "reknit resume r-1", id="its worker died"),
        pytest.param(end("CLEAN"), "", id="clean"),
        pytest.param(end("BLOCKED", cause="login"), "reknit doctor --agent claude", id="a login is missing"),
        pytest.param(end("BLOCKED"), "reknit show r-1 --why", id="blocked"),
        pytest.param(end("UNVERIFIED"), "reknit doctor --compare", id="unverified"),
        pytest.param(end("DEFERRED"), "reknit show r-1 --why", id="deferred"),
    ],
)
def test_one_command_helps(run: RunView, command: str) -> None:
    assert suggest_command(run) == command


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "1 day"), (200_000, "2 days")],
)
def test_an_age_is_in_its_largest_unit(seconds: float, text: str) -> None:
    assert format_age(seconds) == text


def test_a_repository_is_named_by_one_harmless_line() -> None:
    assert name_repository("/srv/shop/") == "shop"
    assert name_repository("/srv/a\x1b[31m\n\u202eb") == "a b"


def test_a_cursor_survives_an_address() -> None:
    cursor = Cursor(1763600000.1234567, "r-1a2b3c4d")
    assert parse_cursor(format_cursor(cursor)) == cursor
    assert format_cursor(None) == ""


@pytest.mark.parametrize("text", ["", "x", "1", "nan_r-1", "1e9_r-1", "1.0_r-1; DROP", "1.0_../x", "9" * 40 + "_r-1"])
def test_a_cursor_that_we_did_not_write_is_none(text: str) -> None:
    assert parse_cursor(text) is None


def test_a_table_has_a_sentence_that_says_what_it_shows() -> None:
    assert describe_fixes([WeekOfFixes(0, 2, 1), WeekOfFixes(7, 1, 0)]) == (
        "3 runs landed a change in the last 12 weeks; 1 of them was undone."
    )
    assert describe_fixes([WeekOfFixes(0, 2, 2)]).endswith("; 2 of them were undone.")
    assert summarize_spending([WeekOfSpending(0, "/a", "claude", 1.5, 1)]) == (
        "$1.50 in 1 run that began in the last 12 weeks."
    )
