"""Topics become slugs: safe as a file name, stable, never empty."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.planning.intent import CAPS, Cap, make_slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("finish-m3", "finish-m3"),
        ("Finish M3!", "finish-m3"),
        ("  two  words ", "two-words"),
        ("snake_case", "snake-case"),
        ("a/../../etc/passwd", "a-etc-passwd"),
        ("..", "topic-5ec1f7e7"),
        ("", "topic-e3b0c442"),
        ("---", "topic-cb3f91d5"),
        ("план", "topic-a1b16732"),
        ("Überprüfung", "uberprufung"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("ﬁx ①", "fix-1"),
        ("index", "index-plan"),
        ("INDEX", "index-plan"),
        ("index.md", "index-md"),
        ("index-plan", "index-plan"),
        ("a\x00b\nc", "a-b-c"),
        ("x" * 100, "x" * 60),
        ("y" * 59 + " z", "y" * 59),
        ("🎉 release 🎉", "release"),
        ("how should radioactive-ralph finish M3?", "how-should-radioactive-ralph-finish-m3"),
    ],
)
def test_a_topic_becomes_a_slug(text: str, expected: str) -> None:
    assert make_slug(text) == expected


@given(st.text())
def test_any_text_gives_a_safe_name_and_a_slug_stays_one(text: str) -> None:
    made = make_slug(text)
    assert 0 < len(made) <= 65
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert made[0] != "-" != made[-1]
    assert made != "index"
    assert make_slug(made) == made


def test_a_lone_surrogate_is_no_problem() -> None:
    assert make_slug("\ud800").startswith("topic-")


def test_topics_without_latin_letters_stay_apart() -> None:
    assert make_slug("план") != make_slug("цель")


def test_every_cap_has_its_seconds_and_a_longer_one_has_more() -> None:
    assert set(CAPS) == set(get_args(Cap))
    assert CAPS["no cap"] == 0
    assert CAPS["~1 hour"] < CAPS["single session"] < CAPS["1-2 days"] < CAPS["1+ week"]
