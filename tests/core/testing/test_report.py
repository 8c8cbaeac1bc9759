"""Reports sort their tests by result."""

import pytest

from reknit.core.testing.report import TestReport, find_unmatched, is_part_of, is_requested, is_volatile


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
    assert report.find_result(test) == result


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
    assert (is_part_of("tests/a.py::T::one", [name]), is_requested("tests/a.py::T::one", [name])) == (named, asked)
    assert is_part_of("tests/a.py::T::one[x-1]", ["tests/a.py::T::one"])


@pytest.mark.parametrize(
    ("now", "later"),
    [
        ("t.py::a[<Shop object at 0x7f3a5c01b2d0>]", "t.py::a[<Shop object at 0x7fe1aa00c010>]"),
        ("t.py::a[0b7b6a0e-5f0c-4d7e-8f43-0d5ad2c2b6aa]", "t.py::a[6f1c7f3e-0a41-4b6f-9d2e-9f5be8d07a10]"),
        ("t.py::a[0b7b6a0e5f0c4d7e8f430d5ad2c2b6aa]", "t.py::a[6f1c7f3e0a414b6f9d2e9f5be8d07a10]"),
        ("t.py::a[2026-05-04T10:11:12.5]", "t.py::a[2026-05-04T10:11:13.1]"),
        ("t.py::a[2026-05-04]", "t.py::a[2026-05-05]"),
        ("t.py::a[1767225600.25]", "t.py::a[1767225601.5]"),
        ("t.py::a[/tmp/tmpab12/x.db]", "t.py::a[/tmp/tmpcd34/x.db]"),
    ],
)
def test_an_id_may_contain_a_value_of_the_moment(now: str, later: str) -> None:
    assert is_volatile(now)
    assert find_unmatched([now], [later]) == []
    assert find_unmatched([now], [later.replace("::a", "::b")]) == [now]


@pytest.mark.parametrize("test", ["t.py::a[1]", "t.py::a[0x1f]", "t.py::a[12-30]", "t.py::a[deadbeef]", "t.py::a"])
def test_other_ids_stay_as_they_are(test: str) -> None:
    assert not is_volatile(test)
    assert find_unmatched([test], [f"{test}2"]) == [test]


def test_rows_of_a_set_may_change_their_places() -> None:
    rows = ["t.py::a[4-19-expected20-%C]", "t.py::a[4-1985-expected2-%Y]"]
    assert find_unmatched(rows, ["t.py::a[4-19-expected3-%C]", "t.py::a[4-1985-expected20-%Y]"]) == []
    assert find_unmatched(rows, ["t.py::a[4-19-expected3-%C]"]) == [rows[1]], "a row that is gone is lost"


def test_a_row_that_was_repaired_stands_for_no_other_row() -> None:
    """Whether it is broken by the fix, or gone: ids that both runs have are what they say."""
    for row in ("t.py::a[case{}]", "t.py::a[2024-01-0{}]"):
        repaired, broken = row.format(1), row.format(2)
        both = [repaired, broken]
        assert find_unmatched([broken], [repaired], ran=both, others_ran=both) == [broken]
        assert find_unmatched([broken], [repaired], ran=both, others_ran=[repaired]) == [broken]
        assert find_unmatched([broken], [repaired], ran=[broken], others_ran=[repaired]) == []


def test_each_test_stands_for_one_other() -> None:
    first, second, third = (f"t.py::a[<X at 0x7f00000{number}>]" for number in range(3))
    assert find_unmatched([first, second], [third]) == [second]
    assert find_unmatched([first, second], [second]) == [first], "one that is there stands for itself"
    assert find_unmatched([first], [first, second]) == []


def test_source_with_a_test_inside_is_no_file_of_tests() -> None:
    files = {
        "tests/test_a.py::test_a[1.5]": "tests/test_a.py", "shop/price.py::shop.price.total": "shop/price.py",
        "price::tests::adds": "src/price.rs", "adds": "a.check.js",
    }  # fmt: skip
    assert TestReport("pass", "junit", files=files).test_files == ("a.check.js", "tests/test_a.py")
