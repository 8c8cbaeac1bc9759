"""Whether what the tests of a commit showed is the environment's doing alone."""

import pytest

from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding

RED = Finding("T-1", "tests", "test-failed", "t::a")
LEFT_OUT = ((("t::b",), "no network", ""),)


@pytest.mark.parametrize(
    ("seen", "is_blocked"),
    [
        pytest.param(TestsResult("fail", (RED,)), False, id="red"),
        pytest.param(TestsResult("fail", left_out=LEFT_OUT), True, id="nothing else is red"),
        pytest.param(TestsResult("fail", (RED,), left_out=LEFT_OUT), False, id="something else is red too"),
        pytest.param(TestsResult("error", (RED,)), False, id="no result, for an unknown reason"),
        pytest.param(TestsResult("error", left_out=LEFT_OUT), True, id="no result, because of the environment"),
        pytest.param(TestsResult("pass"), False, id="green"),
    ],
)
def test_blocked_means_the_environment_alone(seen: TestsResult, *, is_blocked: bool) -> None:
    assert seen.is_blocked is is_blocked
