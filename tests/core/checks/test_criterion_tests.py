"""The project's tests as evidence for a criterion."""

import pytest

from reknit.core.checks.criterion_tests import judge_tests
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.planning.criteria import ProjectTests
from reknit.core.testing.report import WHOLE_SUITE

RED = TestsResult("fail", (Finding("T-1", "tests", "red", "t/a.py::y"),), passing=("t/a.py::x", "t/b.py::z"))
GREEN = TestsResult("pass", passing=("t/a.py::x",))


@pytest.mark.parametrize(
    ("test", "seen", "state", "text"),
    [
        pytest.param("", GREEN, "passed", "1 test passed", id="all"),
        pytest.param("", RED, "failed", "1 test failed: t/a.py::y", id="red"),
        pytest.param("t/a.py", RED, "failed", "1 test failed: t/a.py::y", id="red-file"),
        pytest.param("t/b.py", RED, "passed", "1 test passed", id="green-file-of-a-red-suite"),
        pytest.param("t/a.py::x", RED, "passed", "1 test passed", id="one-test"),
        pytest.param("t/", RED, "failed", "1 test failed: t/a.py::y", id="folder"),
        pytest.param("t/c.py", RED, "unverified", "no such test was run", id="not-run"),
        pytest.param("", TestsResult("pass"), "unverified", "no such test was run", id="nothing-ran"),
        pytest.param(
            "", TestsResult("pass", passing=("a",), flaky=("b",)), "unverified", "red only sometimes: b", id="flaky"
        ),
        pytest.param(
            "t/a.py", TestsResult("pass", passing=(WHOLE_SUITE,)), "unverified",
            "the test command does not say which tests it ran", id="exit-code",
        ),
        pytest.param("", TestsResult("pass", passing=(WHOLE_SUITE,)), "passed", "1 test passed", id="exit-code-of-all"),
        pytest.param(
            "", TestsResult("fail", passing=("a",), left_out=((("b",), "no Postgres", "start it"),)), "unverified",
            "not all tests could run here: 1 test, not the code's fault (b): no Postgres; start it", id="environment",
        ),
        pytest.param(
            "", TestsResult("error", why="no pytest"), "unverified", "the tests gave no result: no pytest", id="error"
        ),
    ],
)  # fmt: skip
def test_tests(test: str, seen: TestsResult, state: str, text: str) -> None:
    found = judge_tests(ProjectTests("", test), seen)
    assert (found.state, found.text) == (state, text)
