"""Money that is spent and money that is reserved are told apart, in plain words."""

import pytest

from reknit.core.runs.spending import Spending, format_maximum, render_spending, render_spending_sentence

NOTHING_HELD, HELD = Spending(0.21, 5.0), Spending(0.21, 5.0, 0.401)
CUT_OFF = "$0.21 of $5.00 spent; up to $0.41 more may have been billed for requests that were cut off"


@pytest.mark.parametrize(
    ("money", "has_ended", "text", "sentence"),
    [
        pytest.param(NOTHING_HELD, False, "$0.21 of $5.00", "Spent $0.21 of $5.00.", id="nothing is reserved"),
        pytest.param(NOTHING_HELD, True, "$0.21 of $5.00", "Spent $0.21 of $5.00.", id="nothing was cut off"),
        pytest.param(
            HELD, False, "$0.21 of $5.00 spent, up to $0.41 reserved", "$0.21 of $5.00 spent, up to $0.41 reserved.",
            id="a request is open",
        ),
        pytest.param(HELD, True, CUT_OFF, f"{CUT_OFF}.", id="a request was cut off"),
    ],
)  # fmt: skip
def test_reserved_money_is_never_told_as_spent(money: Spending, has_ended: bool, text: str, sentence: str) -> None:
    assert render_spending(money, has_ended=has_ended) == text
    assert render_spending_sentence(money, has_ended=has_ended) == sentence


@pytest.mark.parametrize(("usd", "text"), [(0.4, "$0.40"), (0.401, "$0.41"), (0.001, "$0.01"), (0.1 + 0.2, "$0.30")])
def test_an_upper_bound_is_never_rounded_down(usd: float, text: str) -> None:
    assert format_maximum(usd) == text
