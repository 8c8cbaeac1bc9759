import pytest

from reknit.core.runs.receipt import named_tests


@pytest.mark.parametrize(
    ("tests", "text"),
    [
        pytest.param(["t::one"], "t::one", id="one"),
        pytest.param(["a", "b", "c"], "a, b, c", id="three"),
        pytest.param(["a", "b", "c", "d", "e"], "a, b, c and 2 more", id="five"),
        pytest.param(["a\nFIXED  9 of 9"], "a FIXED 9 of 9", id="a name that adds no line"),
        pytest.param("all", "all", id="as an earlier release stored it"),
    ],
)
def test_the_first_tests_of_a_receipt_are_named(tests: object, text: str) -> None:
    assert named_tests({"tests": tests}) == text
