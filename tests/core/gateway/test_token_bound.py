"""How many tokens a prompt can have: by its bytes, or by what was counted for one much like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.gateway.token_bound import MAX_KEPT, CountedRequest, added, kept, most_tokens, parts_of
from reknit.core.gateway.wire.nodes import Bulk
from reknit.core.text.json_body import Json
from tests.tools.work import quickly

IMAGE = Bulk("picture", 25_000)
MARK = {"type": "ephemeral", "ttl": "1h"}


def text_of(words: str, **more: object) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": words, **more}]}


def new_bytes(old: Json, new: Json) -> int:
    return added(parts_of(old), parts_of(new))


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
    assert new == sum(part.size for part in parts_of({"messages": more}))


def test_a_giant_list_is_one_part_and_a_deep_one_has_no_bound() -> None:
    assert len(parts_of({"messages": [{}] * 10_001})) == 1
    deep: object = "x"
    for _ in range(100_000):  # more than any version of Python goes down
        deep = [deep]
    assert added((), parts_of({"messages": deep})) > 1 << 39


def test_large_bodies_are_compared_quickly() -> None:
    said = [text_of("x" * 2_000) for _ in range(4_000)]
    with quickly():
        assert new_bytes({"messages": said}, {"messages": [*said, text_of("y")]}) < 100


def test_a_token_has_at_least_one_byte() -> None:
    assert most_tokens("m", 500, (), (), ()) == 500 + 1000
    assert most_tokens("m", 500, (), (IMAGE, IMAGE), ()) == 500 + 1000 + 50_000


def test_a_conversation_that_goes_on_is_known_from_its_last_request() -> None:
    first, second = text_of("x" * 100_000), text_of("y" * 300)
    earlier = [CountedRequest("m", parts_of({"messages": [first]}), (), 25_000)]
    both = parts_of({"messages": [first, second]})
    assert 25_000 + 300 + 200 <= most_tokens("m", 100_400, both, (), earlier) <= 25_000 + 400 + 200
    assert most_tokens("m", 5, parts_of({"messages": ["hello"]}), (), earlier) == 5 + 1000
    assert most_tokens("other", 100_400, both, (), earlier) == 100_400 + 1000


def test_a_picture_that_was_counted_before_is_not_counted_again() -> None:
    parts = parts_of({"messages": ["x" * 9_000]})
    earlier = [CountedRequest("m", parts, (IMAGE,), 3_000)]
    assert most_tokens("m", 9_100, parts, (IMAGE,), earlier) == 3_200
    assert most_tokens("m", 9_100, parts, (IMAGE, IMAGE), earlier) == 28_200


def test_the_last_few_are_kept() -> None:
    known: tuple[CountedRequest, ...] = ()
    for number in range(MAX_KEPT + 2):
        known = kept(known, CountedRequest("m", (), (), number))
    assert [each.prompt for each in known] == list(range(2, MAX_KEPT + 2))
    assert kept(known, None) == known
