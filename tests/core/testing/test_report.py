"""Reports sort their tests by result."""

import pytest

from reknit.core.testing.report import TestReport, is_asked, is_named


def test_a_skipped_test_neither_passed_nor_failed() -> None:
    report = TestReport("fail", "junit", {"a": "passed", "b": "failed", "c": "skipped"})
    assert (report.passed, report.failed) == (frozenset("a"), frozenset("b"))


@pytest.mark.parametrize(
    ("report", "ran_out"),
    [
        pytest.param(TestReport("fail", "junit", messages={"a": "OSError: [Errno 28] No space left on device"}), True),
        pytest.param(TestReport("error", "exit code", output_tail="write: Disk quota exceeded"), True),
        pytest.param(TestReport("fail", "junit", messages={"a": "Error: ENOSPC: write"}), True),
        pytest.param(TestReport("fail", "junit", messages={"a": "assert 1 == 2"}), False),
        pytest.param(TestReport("pass", "exit code", output_tail="handles ENOSPC ... ok"), False),
    ],
)
def test_a_report_that_is_not_green_may_say_that_no_space_was_left(report: TestReport, *, ran_out: bool) -> None:
    assert report.ran_out_of_space is ran_out


@pytest.mark.parametrize(
    ("test", "result"),
    [
        ("a.js", "failed"),
        ("a.js::A", "failed"),
        ("a.js::A > b", "passed"),
        ("a.js::A > d", "failed"),
        ("b.js", "skipped"),
        ("b.js::B > c", None),
        ("a", None),
    ],
)
def test_a_file_or_a_suite_stands_for_its_tests(test: str, result: str | None) -> None:
    report = TestReport("fail", "junit", {"a.js::A > b > c": "passed", "a.js::A > d": "failed", "b.js::B": "skipped"})
    assert report.result_of(test) == result


@pytest.mark.parametrize(
    ("name", "named", "asked"),
    [
        ("tests/a.py::T::one", True, True),
        ("tests/a.py::T", True, True),
        ("tests/a.py", True, True),
        ("tests", False, True),
        ("tests/a", False, False),
        ("tests/a.py::T::on", False, False),
    ],
)
def test_a_name_is_a_test_or_what_it_belongs_to(name: str, *, named: bool, asked: bool) -> None:
    assert (is_named("tests/a.py::T::one", [name]), is_asked("tests/a.py::T::one", [name])) == (named, asked)
    assert is_named("tests/a.py::T::one[x-1]", ["tests/a.py::T::one"])
