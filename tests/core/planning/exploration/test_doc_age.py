"""Stale documents, and the age of the project's state."""

from datetime import date

import pytest

from reknit.core.planning.context import Doc
from reknit.core.planning.exploration.doc_age import stale, state_age_days

TODAY = date(2026, 11, 17)


@pytest.mark.parametrize(
    ("fields", "is_stale"),
    [
        pytest.param((("status", "stale"),), True, id="it says so"),
        pytest.param((("status", "Stale"),), True, id="in other letters"),
        pytest.param((("status", "current"), ("updated", "2026-10-17")), True, id="31 days before"),
        pytest.param((("updated", "2026-10-18"),), False, id="30 days before"),
        pytest.param((("updated", "2027-01-01"),), False, id="in the future"),
        pytest.param((("updated", "some day"),), False, id="no date"),
        pytest.param((), False, id="no frontmatter"),
    ],
)
def test_stale_is_a_status_or_an_age(fields: tuple[tuple[str, str], ...], is_stale: bool) -> None:
    assert stale([Doc("docs/a.md", fields)], TODAY) == (("docs/a.md",) if is_stale else ())


@pytest.mark.parametrize(
    ("docs", "age"),
    [
        pytest.param([Doc("STATE.md", (("updated", "2026-11-01"),))], 16, id="at the root"),
        pytest.param([Doc("docs/State.md", (("updated", "2026-11-16"),))], 1, id="in docs"),
        pytest.param(
            [Doc("STATE.md", (("updated", "2026-01-01"),)), Doc("docs/STATE.md", (("updated", "2026-11-15"),))],
            2,
            id="the newer of two",
        ),
        pytest.param([Doc("STATE.md", (("updated", "2026-12-01"),))], 0, id="in the future"),
        pytest.param([Doc("STATE.md", (("status", "current"),))], None, id="without a date"),
        pytest.param([Doc("README.md", (("updated", "2026-01-01"),))], None, id="another document"),
        pytest.param([Doc("docs/old/STATE.md", (("updated", "2026-01-01"),))], None, id="deeper"),
    ],
)
def test_the_age_of_the_state_is_in_days(docs: list[Doc], age: int | None) -> None:
    assert state_age_days(docs, TODAY) == age
