"""Dates as people write them."""

from datetime import date

import pytest

from reknit.core.planning.exploration.dates import date_of


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-07", "2026/11/07", "2026.11.7", " 2026-11-07 ", "2026-11-07 10:00", "2026-11-07T23:59:59",
        "2026-11-07T10:00:00Z", "2026-11-07T23:30:00-00:10", "2026-11-06T23:30:00-01:00", "2026-11-08T00:30:00+01:00",
        "7.11.2026", "07.11.2026", "7 Nov 2026", "7-nov-2026", "7th November 2026", "Nov 7, 2026", "November 7th, 2026",
        "NOV. 7 2026", "2026-11-07 (draft)",
    ],
)  # fmt: skip
def test_the_usual_spellings_are_read(written: str) -> None:
    assert date_of(written) == date(2026, 11, 7)


@pytest.mark.parametrize(
    "written",
    ["", "soon", "11/07/2026", "2026-13-01", "31.4.2026", "30 Feb 2026", "7 Foo 2026", "Foo 7, 2026", "0000-01-01",
     "2026-11", "20261107", "0001-01-01T00:00:00+10:00"],
)  # fmt: skip
def test_what_is_no_date_or_could_be_two_is_none(written: str) -> None:
    assert date_of(written) is None
