"""The live view of a pull-request run, drawn as a terminal would show it."""

import io
import json
import time
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel

from reknit.core.fix_pr.output.documents import to_ci_document, to_course_document, to_review_document
from reknit.core.fix_pr.output.documents import to_tests_document as of_tests
from reknit.core.fix_pr.output.record import to_record
from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView, RunView
from reknit.interfaces.cli.output.pull_table import Moment, PullTerminal, draw_final_view, draw_view
from tests.tools.pull_samples import BETTER, COURSE, GREEN, NEW, PENDING, RED, RUN, STUCK

NOW = 1_000.0
MOMENT = Moment(replace(RUN, phase="check_review", created_at=NOW - 252), to_record(COURSE, None), {}, "", 41.0, NOW)
SEEN = {"review": to_review_document(GREEN.review), "tests": of_tests(GREEN.tests), "ci": to_ci_document(PENDING)}


def text_of(panel: Panel, width: int = 96) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(panel)
    return captured.get()


def row(text: str, number: str) -> str:
    """The first line of an iteration, without the frame."""
    return next(line.strip("│ \n") for line in text.splitlines() if line.startswith(f"│  {number} "))


@pytest.mark.parametrize("width", [80, 96, 120])
def test_the_view_fits_and_loses_nothing(width: int) -> None:
    text = text_of(draw_view(replace(MOMENT, results=SEEN, newest="i3 ci: not done"), 10, width), width)
    assert {cell_len(line) for line in text.splitlines()} == {width}
    assert "…  " not in text.replace("… 1/2", "")
    told = " ".join(text.replace("│", " ").split())
    for words in ("PR #412 Fix token refresh", "r-7f3a · 4m12s · $0.62 of $5.00", "bbbbbbb $0.31", "ccccccc $0.22"):
        assert words in told
    assert " ctrl-c leaves (reknit resume r-7f3a) " in text


def test_an_iteration_is_a_row_of_signs_and_words() -> None:
    text = text_of(draw_view(replace(MOMENT, record=to_record(COURSE, BETTER)), 10, 96))
    assert row(text, "1").split() == ["1", "✗", "1", "critical,", "✗", "1", "failed", "✗", "lint", "fixed", "tests",
                                      "bbbbbbb", "$0.31"]  # fmt: skip
    assert "! 212 passed," in row(text, "2"), "one of them is flaky"


def test_the_iteration_under_way_shows_what_is_in_and_what_is_not() -> None:
    some = {check: SEEN[check] for check in ("tests", "ci")}
    cells = row(text_of(draw_view(replace(MOMENT, results=some), 10, 96)), "3").split()
    assert cells[2:] == ["looks", "✓", "212", "passed", "…", "1/2", "$0.09"]
    told = row(text_of(draw_view(replace(MOMENT, results=SEEN), 10, 96)), "3")
    assert "✓ passed" in told
    assert "waiting for CI" in told


@pytest.mark.parametrize("phase", ["turn", "report", "end"])
def test_an_iteration_that_is_over_has_no_second_row(phase: str) -> None:
    text = text_of(draw_view(replace(MOMENT, run=replace(MOMENT.run, phase=phase)), 10, 96))
    assert row(text, "2")
    assert " looks " not in text.replace("looks again", "")


@pytest.mark.parametrize(
    ("run", "line"),
    [
        pytest.param(
            replace(MOMENT.run, state="waiting", reason="waiting for CI (2/4), looks again every 30 s", until=NOW + 23),
            f"waiting for CI (2/4), checks again at {time.strftime('%H:%M:%S', time.localtime(NOW + 23))} (in 23 s)",
            id="a wait says for what, until when, and counts down",
        ),
        pytest.param(
            replace(MOMENT.run, phase="fix"),
            "an agent works on the fix  41 s › attempt 3: claude works",
            id="a step says since when, and the newest event",
        ),
        pytest.param(replace(MOMENT.run, phase="", state="queued"), "starting  41 s › attempt 3", id="not begun"),
        pytest.param(replace(MOMENT.run, phase="new_step"), "new_step  41 s", id="a step of a later release"),
    ],
)
def test_the_now_line(run: RunView, line: str) -> None:
    text = text_of(draw_view(replace(MOMENT, run=run, newest="attempt 3: claude works"), 10, 96))
    assert f"│ now  {line}" in text


@pytest.mark.parametrize(
    ("phase", "line"),
    [
        pytest.param("check_tests", "every check that ran passes: PR CLEAN · one fails: fix it", id="looking"),
        pytest.param("prove", "gate, tests, push; the next iteration judges the new commit", id="fixing"),
        pytest.param("wait_ci", "when CI is done, check everything again", id="waiting"),
    ],
)
def test_the_next_line(phase: str, line: str) -> None:
    assert f"│ next {line}" in text_of(draw_view(replace(MOMENT, run=replace(RUN, phase=phase)), 10, 96))


def test_when_there_are_many_iterations_the_last_are_shown() -> None:
    turns = tuple(replace(STUCK.turns[1], number=number, did=f"did {number}") for number in range(1, 31))
    text = text_of(draw_view(replace(MOMENT, record=to_record(replace(NEW, turns=turns), None)), 5, 96))
    assert "25 more" in text
    assert "did 25 " not in text
    assert "did 26 " in text
    assert "did 30 " in text


def test_leaving_what_goes_on_elsewhere_parks_nothing() -> None:
    text = text_of(draw_view(MOMENT, 10, 80, "the run continues"), 80)
    assert " ctrl-c leaves (the run continues) " in text
    assert "resume" not in text


def test_a_long_reason_does_not_fill_the_screen() -> None:
    wordy = replace(COURSE.turns[0], did="nothing landed: " + "the branch was moved " * 20, commit="")
    text = text_of(draw_view(replace(MOMENT, record=to_record(replace(NEW, turns=(wordy,)), None)), 10, 80), 80)
    assert text.count("moved") == 1
    assert "th…" in text


def test_what_is_left_behind_is_the_whole_table_and_nothing_that_goes_on() -> None:
    text = text_of(draw_final_view(RUN, to_record(STUCK, RED), 96))
    assert "2-4" in text
    assert row(text, "5").startswith("5      ✗ 1 critical,")
    assert "fix tests," in row(text, "5")
    assert "ctrl-c" not in text
    assert "now " not in text


def test_a_title_cannot_draw_on_the_screen() -> None:
    sly = replace(RUN, spec={"task": {"number": 1, "title": "a\x1b[2J [red]b[/red]\nc"}})
    text = text_of(draw_final_view(sly, to_record(NEW, None), 96))
    assert "PR #1 a [red]b[/red] c" in text
    assert "\x1b" not in text


def check_told(check: str, iteration: int) -> EventView:
    return EventView(1, "r-7f3a", 1.0, Event("check", "ok", "i tests", "212", {"check": check, "iteration": iteration}))


def test_it_follows_a_run_and_leaves_the_last_table_on_the_screen() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=96, height=40, color_system=None)
    documents = {"check.tests": json.dumps(SEEN["tests"])}
    with PullTerminal(lambda name: documents.get(name, ""), console) as view:
        view.tell(EventView(1, "r-7f3a", 1.0, Event("started", "note", "r-7f3a", "the head line")))
        view.tick(RUN)
        assert "the head line" not in screen.getvalue()
        assert "212 passed" not in screen.getvalue()
        view.tell(check_told("tests", 1))
        view.tick(RUN)
        assert "✓ 212 passed" in screen.getvalue()
        assert "› i tests: 212" in screen.getvalue()
        documents["course"] = json.dumps(to_course_document(COURSE, None))
        view.tell(EventView(2, "r-7f3a", 1.0, Event("iteration", "ok", "i2", "turned")))
        screen.truncate(0)
        view.tick(replace(RUN, phase="fix"))
        assert "✓ 212 passed  " not in screen.getvalue()
        screen.truncate(0)
    last = screen.getvalue()
    assert "bbbbbbb" in last
    assert "ctrl-c" not in last
    assert "\x1b[?25h" in last  # the cursor is shown again


def test_between_events_the_database_is_left_in_peace() -> None:
    reads: list[str] = []

    def read(name: str) -> str:
        reads.append(name)
        return ""

    with PullTerminal(read, Console(file=io.StringIO(), force_terminal=True)) as view:
        for _ in range(5):
            view.tick(RUN)
        assert len(reads) < 5
        before = len(reads)
        view.tell(check_told("ci", 1))
        view.tick(RUN)
        assert reads[before:] == ["activity", "course", "check.ci"]


def test_a_run_that_never_came_to_a_tick_leaves_the_screen_alone() -> None:
    screen = io.StringIO()
    with PullTerminal(lambda _: "", Console(file=screen, force_terminal=True)):
        pass
    assert screen.getvalue() == ""
