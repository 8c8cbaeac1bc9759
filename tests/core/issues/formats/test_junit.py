import pytest

from reknit.core.issues.formats.junit import read_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult


def document(cases: str, suite: str = "pytest") -> bytes:
    return f'<testsuites><testsuite errors="0" name="{suite}">{cases}</testsuite></testsuites>'.encode()


def test_a_failing_test_is_an_issue() -> None:
    data = document(
        '<testcase classname="tests.test_a" name="test_ok"/>'
        '<testcase classname="tests.test_a" name="test_b" file="tests/test_a.py" line="6">'
        '<failure message="assert 1 == 2">tests/test_a.py:9: AssertionError</failure></testcase>'
    )
    assert read_report(data).tools == ("pytest",)
    assert list(read_report(data).results) == [
        ReportResult(
            tool="pytest",
            rule="tests/test_a.py::test_b",
            path="tests/test_a.py",
            line=7,
            message="assert 1 == 2\ntests/test_a.py:9: AssertionError",
            weight="critical",
        )
    ]


@pytest.mark.parametrize(
    ("suite", "tool"),
    [("pytest", "pytest"), ("vitest tests", "vitest"), ("jest tests", "jest"), ("com.shop.CartTest", "junit")],
)
def test_runners_that_name_themselves(suite: str, tool: str) -> None:
    data = document('<testcase name="t" line="4"><error/></testcase>', suite)
    (found,) = read_report(data).results
    assert (read_report(data).tools, found.tool, found.message) == ((tool,), tool, "failed")
    assert found.line == (5 if tool == "pytest" else 4)


def test_long_ids_stay_apart() -> None:
    names = [f"test[{'x' * 300}{number}]" for number in range(3)]
    cases = "".join(f'<testcase name="{name}"><failure/></testcase>' for name in names)
    rules = [found.rule for found in read_report(document(cases, "s")).results]
    assert len(set(rules)) == 3
    assert {len(rule) for rule in rules} == {200}


def test_all_is_well() -> None:
    assert list(read_report(document('<testcase name="a"/>')).results) == []


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(document(""), "no test case", id="no-cases"),
        pytest.param(b"<testsuites/>", "no test case", id="no-suites"),
        pytest.param(document('<testcase name="a"/>')[:-9], "not well-formed", id="cut-off"),
        pytest.param(b"<checkstyle/>", "is not a JUnit report", id="another-report"),
    ],
)
def test_what_is_no_report(data: bytes, why: str) -> None:
    with pytest.raises(ReportError, match=why):
        list(read_report(data).results)
