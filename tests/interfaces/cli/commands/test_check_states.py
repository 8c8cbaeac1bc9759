"""No check that was off, skipped or not seen is shown as passed, wherever a check is shown."""

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import pytest
from rich.console import Console

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.fix_pr.checks import MARKS, NOT_REVIEWED, SIGNS, ChecksSnapshot, CheckState, classify_checks
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.comment import render_check_report, render_comment
from reknit.core.fix_pr.output.documents import (
    to_ci_document,
    to_course_document,
    to_review_document,
    to_state_document,
)
from reknit.core.fix_pr.output.documents import to_tests_document as of_tests
from reknit.core.fix_pr.output.record import read_record
from reknit.core.fix_pr.output.run_text import explain_run, format_run
from reknit.core.fix_pr.turns import build_last_turn
from reknit.core.forge.values import CiCheck, CiState
from reknit.core.run_text import build_event_document, render_event
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.spending import Spending
from reknit.core.runs.view import EventView
from reknit.interfaces.cli.output.pull_table import Moment, draw_final_view, draw_view
from tests.tools.pull_samples import LINT, NEW, RACE, RUN, TARGET, TEST, stored

Check = Literal["review", "tests", "ci"]
Rendered = Callable[[ChecksSnapshot, Check], str]


def check(state: CiState) -> CiCheck:
    return CiCheck("lint", state, state)


FAILING = ChecksSnapshot(
    "a" * 40, ReviewResult("fail", (RACE,)), TestsResult("fail", (TEST,)), CiResult("fail", (), (LINT,))
)
REVIEWS: dict[str, tuple[CheckState, ReviewResult]] = {
    "passes": ("pass", ReviewResult("pass")),
    "fails": ("fail", ReviewResult("fail", (RACE,))),
    "not seen": ("error", ReviewResult("error", why="it crashed")),
    "reviewer off": ("off", ReviewResult("pass", why=NOT_REVIEWED)),
    "reviewer off, as earlier releases kept it": ("off", ReviewResult("pass", why="by no agent")),
}
TESTS: dict[str, tuple[CheckState, TestsResult]] = {
    "pass": ("pass", TestsResult("pass", (), 3)),
    "fail": ("fail", TestsResult("fail", (TEST,))),
    "not seen": ("error", TestsResult("error", (TEST,), why="no report")),
    "none ran": ("off", TestsResult("pass")),
}
CIS: dict[str, tuple[CheckState, CiResult]] = {
    "passes": ("pass", CiResult("pass", (check("pass"), check("skipped")))),
    "fails": ("fail", CiResult("fail", (check("fail"),), (LINT,))),
    "pending": ("pending", CiResult("pending", (check("pending"),))),
    "not seen": ("error", CiResult("error", why="forbidden")),
    "no CI": ("off", CiResult("pass", why="this repository has no CI")),
    "all skipped": ("off", CiResult("pass", (check("skipped"), check("skipped")))),
}


def _cases() -> Iterator[object]:
    for name, (state, review) in REVIEWS.items():
        yield pytest.param("review", state, replace(FAILING, review=review), id=f"review {name}")
    for name, (state, tests) in TESTS.items():
        yield pytest.param("tests", state, replace(FAILING, tests=tests), id=f"tests {name}")
    for name, (state, ci) in CIS.items():
        yield pytest.param("ci", state, replace(FAILING, ci=ci), id=f"ci {name}")


def test_every_state_of_every_check_is_among_the_cases() -> None:
    assert {state for state, _ in CIS.values()} == set(SIGNS) == set(MARKS)
    assert {state for state, _ in REVIEWS.values()} == {state for state, _ in TESTS.values()} == {*SIGNS} - {"pending"}


def course_of(checks: ChecksSnapshot) -> dict[str, object]:
    seen = FindingCounts(1, 0, landed=False, grown_source=0, grown_tests=0)
    turn = build_last_turn(NEW, checks, seen, Ending("STALLED", "the same again"))
    return stored(to_course_document(replace(NEW, turns=(turn,)), checks))


def documents(checks: ChecksSnapshot) -> dict[str, dict[str, object]]:
    made = {
        "review": to_review_document(checks.review),
        "tests": of_tests(checks.tests),
        "ci": to_ci_document(checks.ci),
    }
    return {name: stored(document) for name, document in made.items()}


def _event(checks: ChecksSnapshot, of: Check) -> Event:
    return {"review": events.report_review(1, checks.review), "tests": events.report_tests(1, checks.tests),
            "ci": events.report_ci(1, checks.ci)}[of]  # fmt: skip


def _panel(panel: object) -> str:
    console = Console(width=200, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(panel)
    return captured.get()


def _live(checks: ChecksSnapshot, _of: Check) -> str:
    moment = Moment(replace(RUN, phase="measure"), read_record({}), documents(checks), "", 1.0, 101.0)
    return _panel(draw_view(moment, 10, 120)).partition("next")[0]


def _left_behind(checks: ChecksSnapshot, _of: Check) -> str:
    return _panel(draw_final_view(RUN, read_record(course_of(checks)), 120))


def _comment(checks: ChecksSnapshot, _of: Check) -> str:
    return render_comment("r-1", TARGET, course_of(checks), None, money=Spending(0.0, 5.0), hop=1)


def _check_run(checks: ChecksSnapshot, _of: Check) -> str:
    return render_check_report("r-1", TARGET, course_of(checks), None, money=Spending(0.0, 5.0)).summary


def _shown(checks: ChecksSnapshot, _of: Check) -> str:
    return "\n".join(format_run(RUN, read_record(course_of(checks))))


def _explained(checks: ChecksSnapshot, _of: Check) -> str:
    text = "\n".join(explain_run(RUN, read_record(course_of(checks)), documents(checks)))
    return re.sub(r"because .*", "", text)  # the rule of the matrix, not a claim about this look


def _plain_line(checks: ChecksSnapshot, of: Check) -> str:
    return render_event(_event(checks, of))


def _event_json(checks: ChecksSnapshot, of: Check) -> str:
    return json.dumps(build_event_document(EventView(1, "r-1", 0.0, _event(checks, of))))


def _iteration(checks: ChecksSnapshot, _of: Check) -> str:
    seen = FindingCounts(1, 0, landed=False, grown_source=0, grown_tests=0)
    return render_event(events.report_turn(build_last_turn(NEW, checks, seen, Ending("STALLED", "x"))))


def _state_json(checks: ChecksSnapshot, _of: Check) -> str:
    return json.dumps(to_state_document(RUN, course_of(checks), documents(checks)))


RENDERERS: dict[str, Rendered] = {
    "live": _live, "live, at the end": _left_behind, "comment": _comment, "check run": _check_run, "show": _shown,
    "explain": _explained, "plain line": _plain_line, "event JSON": _event_json, "iteration line": _iteration,
    "state JSON": _state_json,
}  # fmt: skip
CLAIM = re.compile(r"✓|\bpass(?:es|ed)?\b|^  ok  ")


@pytest.mark.parametrize("renderer", [pytest.param(render, id=name) for name, render in RENDERERS.items()])
@pytest.mark.parametrize(("of", "state", "checks"), [*_cases()])
def test_only_what_passed_is_called_so(
    of: Check, state: CheckState, checks: ChecksSnapshot, renderer: Rendered
) -> None:
    assert classify_checks(checks)[("review", "tests", "ci").index(of)] == state
    text = re.sub(r'\b0 passed|"passed": 0', "", renderer(checks, of))
    claims = CLAIM.search(text) or re.search(r"\b1/1\b", text)
    assert bool(claims) == (state == "pass"), text


@pytest.mark.parametrize(("of", "state", "checks"), [*_cases()])
def test_programs_read_the_state(of: Check, state: CheckState, checks: ChecksSnapshot) -> None:
    document = stored(to_state_document(RUN, course_of(checks), documents(checks)))
    assert document["check_results"][of]["status"] == state
    assert document["history"][0][of] == state
    assert (_event(checks, of).data["status"], _event(checks, of).mark) == (state, MARKS[state])
