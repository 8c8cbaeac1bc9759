"""A request that costs money: what it needs at most, and the body that goes out for it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.budget import Reservation
from reknit.core.gateway.priced_request import (
    MAX_KEPT,
    CountedRequest,
    PricedRequest,
    bound_tokens,
    count_new_bytes,
    remember_request,
    split_parts,
)
from reknit.core.gateway.prices import PER_USD, PriceRow, Prices
from reknit.core.gateway.wire import WIRES
from reknit.core.gateway.wire.shapes import Bulk
from reknit.core.text.untrusted_input import Json
from tests.tools.work import quickly

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
    assert asking(content, row=row).bound_cost(()).output == output


def test_the_rest_of_its_need() -> None:
    need = asking({"max_tokens": 9, "thinking": {"budget_tokens": 5}}).bound_cost(())
    assert (need.prompt, need.least_output, need.search_cost) == (51 + 1000, 2048, 0)
    searching = asking({"tools": [{"type": "web_search_20250305"}]}).bound_cost(())
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
    why = one.explain_over_budget(one.bound_cost(()), PER_USD)
    assert why.startswith("not enough budget left: a request to m may cost $0.00")
    assert why.endswith(end)


def test_bytes_that_need_no_change_are_not_touched() -> None:
    plain = asking({"max_tokens": 9})
    assert plain.limit_body(Reservation(plain.bound_cost(()), 9)) is plain.body
    assert json.loads(plain.limit_body(Reservation(plain.bound_cost(()), 5))) == {"max_tokens": 5}


def test_a_count_is_kept_for_later_bodies_when_it_says_something_of_them() -> None:
    counted = asking({"max_tokens": 9}).to_counted_request(77)
    assert counted
    assert (counted.model, counted.prompt, len(counted.parts)) == ("m", 77, 1)
    assert asking({"max_tokens": 9}).to_counted_request(0) is None
    assert asking({"truncation": "auto"}, "openai").to_counted_request(77) is None


IMAGE = Bulk("picture", 25_000)
MARK = {"type": "ephemeral", "ttl": "1h"}


def text_of(words: str, **more: object) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": words, **more}]}


def new_bytes(old: Json, new: Json) -> int:
    return count_new_bytes(split_parts(old), split_parts(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"messages": [text_of("a" * 99)]}, {"messages": [text_of("a" * 99)]}, id="the same"),
        pytest.param({"messages": [text_of("a"), text_of("b")]}, {"messages": [text_of("a")]}, id="less"),
        pytest.param(
            {"messages": [text_of("a", cache_control=MARK)]}, {"messages": [text_of("a")]}, id="a mark that moved on"
        ),
        pytest.param({"system": [{"n": 1}, {"n": 2}]}, {"system": [{"n": 2}, {"n": 1}]}, id="another order"),
    ],
)
def test_what_is_known_is_not_counted_again(old: Json, new: Json) -> None:
    assert new_bytes(old, new) == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"messages": []}, {"messages": [text_of("a" * 99)]}, id="a new message"),
        pytest.param(
            {"messages": [text_of("a" * 99)]},
            {"messages": [text_of("a" * 99), text_of("a" * 99)]},
            id="a message twice",
        ),
        pytest.param(
            {"messages": [{"type": "image", "data": "a" * 99}]},
            {"messages": [{"type": "text", "text": "a" * 99}]},
            id="a picture that became a text",
        ),
        pytest.param({"messages": ["a" * 99]}, {"system": ["a" * 99]}, id="the same words in another field"),
        pytest.param(
            {"messages": [{"n": 1, "cache_control": {"type": "ephemeral"}}]},
            {"messages": [{"n": 1, "cache_control": {"type": "a" * 99}}]},
            id="words hidden where a mark stands",
        ),
    ],
)
def test_what_is_new_is_counted_whole(old: Json, new: Json) -> None:
    assert new_bytes(old, new) >= 99


jsons = st.recursive(
    st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


@given(st.lists(jsons, max_size=5), st.lists(jsons, max_size=5))
def test_going_on_never_counts_less_than_what_came(said: list[object], more: list[object]) -> None:
    new = new_bytes({"messages": said}, {"messages": [*said, *more]})
    assert new >= sum(len(str(each).encode("ascii", "ignore")) // 2 for each in more if isinstance(each, str))
    assert new == sum(part.size for part in split_parts({"messages": more}))


def test_a_giant_list_is_one_part_and_a_deep_one_has_no_bound() -> None:
    assert len(split_parts({"messages": [{}] * 10_001})) == 1
    deep: object = "x"
    for _ in range(100_000):  # more than any version of Python goes down
        deep = [deep]
    assert count_new_bytes((), split_parts({"messages": deep})) > 1 << 39


def test_large_bodies_are_compared_quickly() -> None:
    said = [text_of("x" * 2_000) for _ in range(4_000)]
    with quickly():
        assert new_bytes({"messages": said}, {"messages": [*said, text_of("y")]}) < 100


def test_a_token_has_at_least_one_byte() -> None:
    assert bound_tokens("m", 500, (), (), ()) == 500 + 1000
    assert bound_tokens("m", 500, (), (IMAGE, IMAGE), ()) == 500 + 1000 + 50_000


def test_a_conversation_that_goes_on_is_known_from_its_last_request() -> None:
    first, second = text_of("x" * 100_000), text_of("y" * 300)
    earlier = [CountedRequest("m", split_parts({"messages": [first]}), (), 25_000)]
    both = split_parts({"messages": [first, second]})
    assert 25_000 + 300 + 200 <= bound_tokens("m", 100_400, both, (), earlier) <= 25_000 + 400 + 200
    assert bound_tokens("m", 5, split_parts({"messages": ["hello"]}), (), earlier) == 5 + 1000
    assert bound_tokens("other", 100_400, both, (), earlier) == 100_400 + 1000


def test_a_picture_that_was_counted_before_is_not_counted_again() -> None:
    parts = split_parts({"messages": ["x" * 9_000]})
    earlier = [CountedRequest("m", parts, (IMAGE,), 3_000)]
    assert bound_tokens("m", 9_100, parts, (IMAGE,), earlier) == 3_200
    assert bound_tokens("m", 9_100, parts, (IMAGE, IMAGE), earlier) == 28_200


def test_the_last_few_are_kept() -> None:
    known: tuple[CountedRequest, ...] = ()
    for number in range(MAX_KEPT + 2):
        known = remember_request(known, CountedRequest("m", (), (), number))
    assert [each.prompt for each in known] == list(range(2, MAX_KEPT + 2))
    assert remember_request(known, None) == known
