"""What a live view shows of the work in progress."""

from dataclasses import replace

import pytest

from reknit.core.live.activity import Activity
from reknit.core.live.panel import LiveFacts, follow_event, render_panel, render_tests
from reknit.core.review import run_text as review_text
from reknit.core.runs.event import Event
from tests.core.test_run_text import LIVE
from tests.tools.review_samples import COR, MEAN, TST

BASELINE = Event(
    "baseline", "ok", "baseline", "",
    {"findings": [{"id": "T-1", "test": "a.py::test_one"}, {"id": "T-2", "test": "a.py::C::test_two"}]},
)  # fmt: skip
ATTEMPT = Event(
    "attempt", "..", "attempt 2", "", {"attempt": 2, "finding": "T-2", "strategy": "search", "agent": "claude"}
)


def followed(*events: Event) -> LiveFacts:
    facts = LiveFacts()
    for event in events:
        facts = follow_event(facts, event)
    return facts


def panel(facts: LiveFacts, activity: Activity | None = None, width: int = 60) -> list[str]:
    run = replace(LIVE, phase="attempt", created_at=100.0, held_usd=0.4)
    return render_panel(run, facts, activity or Activity(), since_s=12.0, now=284.0, width=width)


def test_the_finding_the_attempt_the_work_and_the_money_are_shown() -> None:
    activity = Activity("claude", ("edits shop/a.py", "runs pytest"), 64, 128)
    assert panel(followed(BASELINE, ATTEMPT), activity) == [
        "2 of 2  test_two",
        "attempt 2 · may search the web · claude · the agent w…  12 s",
        "  edits shop/a.py",
        "  runs pytest",
        "  ━━━━━━━━━━━━············  64 of 128 tests",
        "$0.50 spent · up to $0.40 reserved · limit $5…  3m04s in all",
    ]


@pytest.mark.parametrize(
    ("events", "first"),
    [
        pytest.param([], "the agent works", id="nothing is known"),
        pytest.param([ATTEMPT], "T-2", id="a finding without a name"),
        pytest.param([Event("baseline", "bad", "", "", {"findings": "?"}), ATTEMPT], "T-2", id="another shape"),
        pytest.param([Event("attempt", "..", "", "", {"attempt": None})], "the agent works", id="no number"),
    ],
)
def test_what_is_not_known_is_left_out(events: list[Event], first: str) -> None:
    assert panel(followed(*events))[0].startswith(first)


def test_a_waiting_run_says_for_what() -> None:
    run = replace(LIVE, state="waiting", reason="for the claude limit")
    assert render_panel(run, LiveFacts(), Activity(), since_s=1.0, now=101.0, width=60)[0].startswith("for the claude")


def test_reviewers_are_shown_by_name_while_they_read() -> None:
    begins = [review_text.report_review_start(reviewer, "claude") for reviewer in (COR, TST, COR)]
    ends = [review_text.report_no_review(COR, "crashed"), review_text.report_rest(TST)]
    facts, moments = LiveFacts(), list[str]()
    for event in (*begins, review_text.report_finding(MEAN), *ends):
        facts = follow_event(facts, event)
        moments.append(" ".join(facts.readers))
    assert moments == ["correctness", "correctness tests", *["tests correctness"] * 2, "tests", ""]
    assert panel(followed(*begins))[0] == "review by tests, correctness"


@pytest.mark.parametrize(
    ("done", "to_do", "line"),
    [
        (0, 0, []),
        (3, 0, ["  3 tests so far"]),
        (0, 4, ["  ························  0 of 4 tests"]),
        (1, 1, ["  ━━━━━━━━━━━━━━━━━━━━━━━━  1 of 1 test"]),
    ],
)
def test_tests_are_counted(done: int, to_do: int, line: list[str]) -> None:
    assert render_tests(Activity(tests_done=done, tests_to_do=to_do)) == line


@pytest.mark.parametrize("width", [1, 10, 40, 76])
def test_no_line_is_wider_than_the_panel(width: int) -> None:
    activity = Activity("claude", ("x" * 300,), 1, 2)
    assert max(map(len, panel(followed(BASELINE, ATTEMPT), activity, width))) <= max(width, 1)
