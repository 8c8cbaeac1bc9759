"""Bars of a timeline."""

from reknit.core.run_page.timeline import MAX_BARS, Bar, build_bars
from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView
from tests.tools.run_page_samples import EVENTS


def test_each_span_of_time_is_a_bar() -> None:
    bars = build_bars(EVENTS)
    assert [(bar.label, bar.kind, bar.time, bar.cost) for bar in bars] == [
        ("baseline", "tests", "11 s", ""),
        ("attempt 1", "agent", "41 s", "$0.09"),
        ("gate", "gate", "0.5 s", ""),
        ("attempt 2", "agent", "71 s", "$0.12"),
        ("verify", "tests", "2.0 s", ""),
        ("waiting", "waiting", "22 s", ""),
        ("verify", "tests", "92 s", ""),
    ]
    assert (bars[0].left, bars[-1].left + bars[-1].width) == (0.0, 100.0)


def test_agents_that_work_at_the_same_time_have_bars_side_by_side() -> None:
    events = [EventView(0, "r-1", 0.0, Event("started", "note", "r-1", ""))] + [
        EventView(number, "r-1", 10.0, Event("reviewed", "ok", name, "", {"seconds": 10.0}))
        for number, name in enumerate(("security", "style"), 1)
    ]
    assert build_bars(events) == (
        Bar("security", "agent", "10 s", "", 0.0, 100.0),
        Bar("style", "agent", "10 s", "", 0.0, 100.0),
    )


def test_a_run_without_events_has_no_bars() -> None:
    assert build_bars(()) == ()
    assert build_bars(EVENTS[:1]) == ()


def test_of_a_long_run_the_last_bars_are_shown() -> None:
    assert len(build_bars([*EVENTS] * 100)) == MAX_BARS


def test_a_number_that_is_none_counts_as_zero() -> None:
    bad = EventView(1, "r-1", 5.0, Event("attempt_ended", "ok", "attempt", "", {"seconds": "x", "cost_usd": -1.0}))
    (bar,) = build_bars([EVENTS[0], EventView(1, "r-1", EVENTS[0].at + 5.0, bad.event)])
    assert (bar.time, bar.cost) == ("5.0 s", "")
