"""How many tokens a prompt can have: by its bytes, or by what was counted for one much like it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.prompt_size import MAX_KEPT, Counted, added, kept, most_tokens
from reknit.core.wire.nodes import Bulk

IMAGE = Bulk("picture", 25_000)


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        (b"", b"", 0),
        (b"abc", b"abc", 0),
        (b"[user]", b"[user, model, user]", 13),
        (b"abc", b"xyz", 3),
        (b"aaaa", b"aa", 0),
        (b"aa", b"aaaa", 2),
        (b"abab", b"ab", 0),
        (b"head-old-tail", b"head-newer-tail", 5),
        (b"", b"abc", 3),
    ],
)
def test_only_new_bytes_are_counted(old: bytes, new: bytes, count: int) -> None:
    assert added(old, new) == count


@given(st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=30))
def test_what_both_begin_and_end_with_is_never_new(head: bytes, old: bytes, new: bytes, tail: bytes) -> None:
    assert added(head + old + tail, head + new + tail) <= len(new)


def test_large_bodies_are_compared_quickly() -> None:
    old = b"x" * (8 << 20) + b"]"
    new = b"x" * (8 << 20) + b"yy]"
    began = time.monotonic()
    assert added(old, new) == 2
    assert time.monotonic() - began < 1.0


def test_a_token_has_at_least_one_byte() -> None:
    assert most_tokens("m", b"x" * 500, (), ()) == 500 + 1000
    assert most_tokens("m", b"x" * 500, (IMAGE, IMAGE), ()) == 500 + 1000 + 50_000


def test_a_conversation_that_goes_on_is_known_from_its_last_request() -> None:
    body = b"[" + b"x" * 100_000 + b"]"
    earlier = [Counted("m", body, (), 25_000)]
    longer = body[:-1] + b"y" * 300 + b"]"
    assert most_tokens("m", longer, (), earlier) == 25_000 + 300 + 200
    assert most_tokens("m", b"hello", (), earlier) == 5 + 1000
    assert most_tokens("other", longer, (), earlier) == len(longer) + 1000


def test_a_picture_that_was_counted_before_is_not_counted_again() -> None:
    body = b"x" * 9_000
    earlier = [Counted("m", body, (IMAGE,), 3_000)]
    assert most_tokens("m", body, (IMAGE,), earlier) == 3_200
    assert most_tokens("m", body, (IMAGE, IMAGE), earlier) == 28_200


def test_the_last_few_are_kept_and_no_giant() -> None:
    known: tuple[Counted, ...] = ()
    for number in range(MAX_KEPT + 2):
        known = kept(known, Counted("m", b"%d" % number, (), number))
    assert [each.prompt for each in known] == list(range(2, MAX_KEPT + 2))
    assert kept(known, None) == known
    assert kept(known, Counted("m", b"x" * ((8 << 20) + 1), (), 1)) == known
