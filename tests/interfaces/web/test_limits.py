"""The log of refused requests: our own words, and not too many."""

from reknit.interfaces.web.limits import LINES_PER_WINDOW, WINDOW_S, Refusals


def test_a_minute_begins_with_its_first_line_and_the_next_one_starts_anew() -> None:
    said: list[str] = []
    refusals = Refusals(said.append)
    for _ in range(LINES_PER_WINDOW + 2):
        refusals.note("ann", 404, "no such path", now=100.0)
    refusals.flush(now=100.0 + WINDOW_S - 1)
    assert len(said) == LINES_PER_WINDOW, "the minute is not over"
    refusals.note("bob", 401, "not signed", now=100.0 + WINDOW_S)
    assert said[LINES_PER_WINDOW:] == [
        "refused 2 more requests (12 in all)",
        "refused a request from bob: 401, not signed",
    ]


def test_if_none_was_left_out_there_is_nothing_to_add() -> None:
    said: list[str] = []
    refusals = Refusals(said.append)
    refusals.note("ann", 404, "no such path", now=0.0)
    refusals.flush(now=1000.0)
    assert (said, refusals.count) == (["refused a request from ann: 404, no such path"], 1)
