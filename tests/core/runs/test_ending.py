"""Endings and their exit codes."""

from typing import get_args

import pytest

from reknit.core.runs.ending import EXIT_CODES, Ending, EndingWord, find_exit_code


def test_every_ending_has_an_exit_code() -> None:
    assert set(EXIT_CODES) == set(get_args(EndingWord))


@pytest.mark.parametrize(
    ("word", "cause", "code"),
    [
        pytest.param("CLEAN", "", 0, id="nothing to do is success"),
        pytest.param("FIXED", "", 0, id="all proven is success"),
        pytest.param("PARTIAL", "", 1, id="work remains"),
        pytest.param("DEFERRED", "", 1, id="attempts used up"),
        pytest.param("OVER_BUDGET", "", 1, id="money used up"),
        pytest.param("CANCELLED", "", 1, id="a person ended it"),
        pytest.param("BLOCKED", "provider", 1, id="blocked by the provider"),
        pytest.param("BLOCKED", "login", 4, id="blocked by a login"),
        pytest.param("UNVERIFIED", "", 5, id="not seen is never success"),
        pytest.param("FAILED", "", 70, id="our bug"),
    ],
)
def test_the_exit_code_tells_endings_apart(word: EndingWord, cause: str, code: int) -> None:
    assert find_exit_code(word, cause) == code
    assert Ending(word, "", cause).exit_code == code


def test_only_clean_and_fixed_are_success() -> None:
    assert {word for word, code in EXIT_CODES.items() if code == 0} == {"CLEAN", "FIXED"}
