"""A request that costs money: what it needs at most, and the body that goes out for it."""

import json

import pytest

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.budget import Reservation
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.prices import PER_USD, PriceRow, Prices
from reknit.core.gateway.wire import WIRES
from reknit.core.text.json_body import Json

ROW = PriceRow("m", Prices(1, 1, 1, 1, 1), max_output=40_000)


def asking(content: Json, provider: ProviderName = "anthropic", row: PriceRow = ROW) -> PricedRequest:
    return PricedRequest(WIRES[provider], "m", row, json.dumps(content).encode(), content)


@pytest.mark.parametrize(
    ("content", "row", "output"),
    [
        pytest.param({"max_tokens": 9}, ROW, 9, id="what it asks for"),
        pytest.param({"max_tokens": 128_000}, ROW, 32_000, id="or less when it asks for too much"),
        pytest.param({}, ROW, 32_000, id="a part of what the model gives"),
        pytest.param({}, PriceRow("m", ROW.short, max_output=8_000), 8_000, id="or all of it"),
        pytest.param({}, PriceRow("m", ROW.short), 32_000, id="or a guess"),
    ],
)
def test_the_output_it_needs(content: Json, row: PriceRow, output: int) -> None:
    assert asking(content, row=row).need(()).output == output


def test_the_rest_of_its_need() -> None:
    need = asking({"max_tokens": 9, "thinking": {"budget_tokens": 5}}).need(())
    assert (need.prompt, need.least_output, need.search_cost) == (51 + 1000, 2048, 0)
    searching = asking({"tools": [{"type": "web_search_20250305"}]}).need(())
    assert searching.search_cost == PER_USD // 100


@pytest.mark.parametrize(
    ("row", "end"),
    [
        pytest.param(ROW, "$1.00 is left", id="by its own price"),
        pytest.param(
            PriceRow("other", ROW.short),
            "prices.toml has no row for it, so the provider's highest price applies",
            id="no row",
        ),
    ],
)
def test_why_it_is_too_dear(row: PriceRow, end: str) -> None:
    one = asking({"max_tokens": 9}, row=row)
    why = one.over_budget(one.need(()), PER_USD)
    assert why.startswith("not enough budget left: a request to m may cost $0.00")
    assert why.endswith(end)


def test_bytes_that_need_no_change_are_not_touched() -> None:
    plain = asking({"max_tokens": 9})
    assert plain.granted(Reservation(plain.need(()), 9)) is plain.body
    assert json.loads(plain.granted(Reservation(plain.need(()), 5))) == {"max_tokens": 5}


def test_a_count_is_kept_for_later_bodies_when_it_says_something_of_them() -> None:
    counted = asking({"max_tokens": 9}).counted(77)
    assert counted
    assert (counted.model, counted.prompt, len(counted.parts)) == ("m", 77, 1)
    assert asking({"max_tokens": 9}).counted(0) is None
    assert asking({"truncation": "auto"}, "openai").counted(77) is None
