"""What people see of the tests before a change and after it."""

import pytest

from reknit.core.checks import tests_text
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding


@pytest.mark.parametrize(
    ("seen", "mark", "text"),
    [
        pytest.param(TestsResult("pass", passed=5, seconds=2), "ok", "5 passed on bbbbbbb  2.0 s", id="green"),
        pytest.param(
            TestsResult("fail", (Finding("T-1", "tests", "test-failed", "t"),), passed=4), "ok",
            "4 passed on bbbbbbb, 1 red before any change  0.0 s", id="red before",
        ),
        pytest.param(
            TestsResult("pass", passed=4, left_out=((("t",), "no redis", "start it"),)), "ok",
            "4 passed on bbbbbbb; left out: ", id="some left out",
        ),
        pytest.param(TestsResult("error", why="no pytest", output_tail="w"), "bad", "not seen: no pytest", id="unseen"),
    ],
)  # fmt: skip
def test_the_tests_before(seen: TestsResult, mark: str, text: str) -> None:
    event = tests_text.tests_before(seen, "b" * 40)
    assert (event.mark, event.text.startswith(text)) == (mark, True), event.text
    assert event.data.get("output_tail", "") == seen.output_tail


def test_the_tests_after() -> None:
    held = tests_text.tests_after(3, TestsResult("pass", passed=5, seconds=2), "")
    assert (held.mark, held.text, held.data["holds"]) == ("ok", "5 passed, no new failures  2.0 s", True)
    red = tests_text.tests_after(3, TestsResult("fail"), "t is red\nmore")
    assert (red.mark, red.text, red.data["attempt"]) == ("bad", "does not hold: t is red", 3)
