import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.testing import junit
from reknit.core.testing.junit import (
    MESSAGE_CHARS,
    OUTPUT_CHARS,
    Case,
    Cases,
    parse_junit,
    read_junit,
    redact_output,
    shorten_message,
)
from reknit.core.testing.report import TestResult, find_result
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.untrusted_input import XmlError


def _report(cases: str, suite: str = "pytest") -> bytes:
    return f'<?xml version="1.0"?><testsuites><testsuite name="{suite}">{cases}</testsuite></testsuites>'.encode()


@pytest.mark.parametrize(
    ("case", "test", "file"),
    [
        pytest.param(
            'classname="tests.test_a" name="test_b" file="tests/test_a.py"',
            "tests/test_a.py::test_b",
            "tests/test_a.py",
            id="function",
        ),
        pytest.param(
            'classname="tests.test_a.TestX.TestY" name="test_b[1-a.b::c/d]" file="tests/test_a.py"',
            "tests/test_a.py::TestX::TestY::test_b[1-a.b::c/d]",
            "tests/test_a.py",
            id="nested-class-and-parameters",
        ),
        pytest.param(
            'classname="test_a" name="test_b" file="test_a.py"', "test_a.py::test_b", "test_a.py", id="at-the-root"
        ),
        pytest.param(
            'classname="a.b.test_a" name="t" file="a.b/test_a.py"',
            "a.b/test_a.py::t",
            "a.b/test_a.py",
            id="folder-with-a-dot",
        ),
        pytest.param('classname="src.m" name="src.m.f" file="src/m.py"', "src/m.py::src.m.f", "src/m.py", id="doctest"),
        pytest.param(
            'classname="docs.x.rst" name="x.rst" file="docs/x.rst"',
            "docs/x.rst::x.rst",
            "docs/x.rst",
            id="text-doctest",
        ),
        pytest.param(
            'classname="" name="tests.test_c" file="tests/test_c.py"',
            "tests/test_c.py",
            "tests/test_c.py",
            id="collection-error",
        ),
        pytest.param(
            'classname="" name="tests.test_c"', "tests/test_c.py", "tests/test_c.py", id="collection-error-without-file"
        ),
        pytest.param(
            'classname="tests.test_a.TestX" name="test_b" file="tests/shared.py"',
            "tests/test_a.py::TestX::test_b",
            "tests/test_a.py",
            id="inherited-from-another-file",
        ),
        pytest.param(
            'classname="tests.test_a.TestX" name="test_b"',
            "tests/test_a.py::TestX::test_b",
            "tests/test_a.py",
            id="xunit2",
        ),
        pytest.param(
            'classname="tests.test_a" name="test_b"', "tests/test_a.py::test_b", "tests/test_a.py", id="xunit2-function"
        ),
    ],
)
def test_pytest_ids_are_rebuilt(case: str, test: str, file: str) -> None:
    assert parse_junit([_report(f"<testcase {case}/>")]) == ReportedTests({test: "passed"}, {}, {test: file})


def test_a_class_at_the_root_has_no_module() -> None:
    assert list(parse_junit([_report('<testcase classname="TestX" name="t"/>')]).results) == ["TestX::t"]


@pytest.mark.parametrize(
    ("case", "test", "file"),
    [
        pytest.param(
            'classname="src/a.test.ts" name="adds &gt; one"', "src/a.test.ts::adds > one", "src/a.test.ts", id="vitest"
        ),
        pytest.param(
            'classname="a.test.js" name="adds" file="web/a.test.js"', "a.test.js::adds", "web/a.test.js", id="jest"
        ),
        pytest.param('classname="com.shop.CartTest" name="adds"', "com.shop.CartTest::adds", "", id="java"),
        pytest.param('name="adds" file="a_test.rb"', "a_test.rb::adds", "a_test.rb", id="no-class"),
        pytest.param('name="adds"', "adds", "", id="only-a-name"),
        pytest.param(
            'classname="p.q" name="t" file="p/q.py"', "p/q.py::t", "p/q.py", id="pytest-under-another-suite-name"
        ),
    ],
)
def test_ids_of_other_runners(case: str, test: str, file: str) -> None:
    found = parse_junit([_report(f"<testcase {case}/>", suite="suite")])
    assert found.results == {test: "passed"}
    assert found.files == ({test: file} if file else {})


def test_results_and_the_words_of_failures() -> None:
    found = parse_junit(
        [
            _report(
                '<testcase classname="C" name="ok"><system-out>noise</system-out></testcase>'
                '<testcase classname="C" name="bad"><failure message="assert 1 == 2">l 1\nl 2</failure></testcase>'
                '<testcase classname="C" name="broken"><error>no message</error></testcase>'
                '<testcase classname="C" name="off"><skipped message="later"/></testcase>',
                suite="s",
            )
        ]
    )
    assert found.results == {"C::ok": "passed", "C::bad": "failed", "C::broken": "failed", "C::off": "skipped"}
    assert found.messages == {"C::bad": "assert 1 == 2\nl 1\nl 2", "C::broken": "no message"}


@pytest.mark.parametrize(
    ("marks", "result"),
    [
        (["", "<error message='teardown'/>"], "failed"),
        (["<failure message='a'/>", ""], "failed"),
        (["<skipped/>", ""], "skipped"),
        (["", "<skipped/>"], "skipped"),
        (["<failure/><skipped/>"], "failed"),
        (["<skipped/><failure/>"], "failed"),
    ],
)
def test_the_worst_report_of_a_test_counts(marks: list[str], result: str) -> None:
    cases = [f'<testcase classname="C" name="t">{mark}</testcase>' for mark in marks]
    assert parse_junit([_report("".join(cases), suite="s")]).results == {"C::t": result}
    assert parse_junit([_report(case, suite="s") for case in cases]).results == {"C::t": result}


def test_all_words_of_a_test_are_kept() -> None:
    marks = ['<failure message="one"/>', '<error message="two"/>']
    cases = "".join(f'<testcase classname="C" name="t">{mark}</testcase>' for mark in marks)
    assert parse_junit([_report(cases, suite="s")]).messages == {"C::t": "one\ntwo"}


def test_the_reason_of_a_collection_failure_comes_first() -> None:
    words = "ImportError\nTraceback:\nE   first\nE   ModuleNotFoundError: No module named 'nope'"
    case = f'<testcase classname="" name="tests.test_c"><error message="collection failure">{words}</error></testcase>'
    message = parse_junit([_report(case)]).messages["tests/test_c.py"]
    assert message.splitlines()[0] == "ModuleNotFoundError: No module named 'nope'"
    assert message.endswith(words)


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not xml", id="no-xml"),
        pytest.param(_report("<testcase")[:-30], id="cut-off"),
        pytest.param(b"<html><testcase name='a'/></html>", id="another-document"),
        pytest.param(_report("<testcase/>", suite="s"), id="a-test-without-a-name"),
        pytest.param(b'<?xml version="1.0" encoding="no-such"?><testsuite/>', id="unknown-encoding"),
        pytest.param(b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite name="&a;"/>', id="entity"),
        pytest.param(b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite/>', id="external-entity"),
        pytest.param(
            b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><testsuite>&b;</testsuite>',
            id="entities-that-grow",
        ),
    ],
)
def test_what_is_no_report_is_an_error(document: bytes) -> None:
    with pytest.raises(ValueError, match="test report"):
        parse_junit([document])


def test_failures_outside_a_test_are_not_a_test() -> None:
    assert parse_junit([_report("<failure>x</failure><skipped/>")]) == ReportedTests()
    assert parse_junit([]) == ReportedTests()


@given(st.binary(max_size=100))
def test_any_bytes_give_results_or_a_value_error(document: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert parse_junit([document]).results == {}


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ({"a.py": "failed"}, "failed"),
        ({"a.py::t": "passed", "a.py::u": "skipped"}, "passed"),
        ({"a.py::t": "passed", "a.py::u": "failed"}, "failed"),
        ({"a.py::u": "skipped"}, "skipped"),
        ({"b.py::t": "passed", "a.pyx::t": "passed"}, None),
    ],
)
def test_a_file_stands_for_its_tests(results: dict[str, TestResult], expected: TestResult | None) -> None:
    assert find_result("a.py", results) == expected


BAD = '<testcase name="bad"><failure message="m">text</failure></testcase>'


def document(inside: str) -> bytes:
    return f"<testsuites><testsuite name='s'>{inside}</testsuite></testsuites>".encode()


def failures(inside: str) -> list[tuple[str, str]]:
    return [(case.attributes["name"], case.message) for case in Cases(document(inside), failures_only=True)]


def test_all_cases_in_their_order() -> None:
    inside = f'<testcase name="ok"/>{BAD}<testcase name="off"><skipped/></testcase>'
    assert list(Cases(document(inside), failures_only=False)) == [
        Case("s", {"name": "ok"}, "passed", ""),
        Case("s", {"name": "bad"}, "failed", "m\ntext"),
        Case("s", {"name": "off"}, "skipped", ""),
    ]


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        pytest.param(BAD, [("bad", "m\ntext")], id="a-failure"),
        pytest.param(f'<testcase name="ok"/>{BAD * 2}', [("bad", "m\ntext")] * 2, id="two"),
        pytest.param('<testcase name="e"><error>x</error><error>y</error></testcase>', [("e", "x\n\ny")], id="both"),
        pytest.param('<testcase name="off"><skipped/></testcase>', [], id="skipped"),
        pytest.param('<testcase name="ok"><system-out>failure</system-out></testcase>', [], id="output"),
        pytest.param('<testcase name="ok"/><failure>x</failure>', [], id="outside-at-the-end"),
        pytest.param(f'<testcase name="ok"/><failure>x</failure>{BAD}', [("bad", "m\ntext")], id="outside-between"),
        pytest.param(f"<failure>x</failure>{BAD}", [("bad", "m\ntext")], id="outside-before"),
        pytest.param(f"{BAD}<failure>x</failure>", [("bad", "m\ntext")], id="outside-after"),
        pytest.param(
            '<testcase name="p"><failure>x</failure><system-out>o</system-out></testcase><testcase name="q"/>',
            [("p", "x")],
            id="output-after-a-failure",
        ),
    ],
)
def test_only_failures(inside: str, found: list[tuple[str, str]]) -> None:
    assert failures(inside) == found


def test_whether_any_case_was_seen() -> None:
    for inside, seen in (("", False), ("<failure/>", False), ('<testcase name="a"/>', True)):
        for failures_only in (True, False):
            cases = Cases(document(inside), failures_only=failures_only)
            list(cases)
            assert cases.has_cases == seen


def test_endless_words_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "MAX_MESSAGE_CHARS", 20_000)
    ((_, words),) = failures(f'<testcase name="t"><failure>{"x" * 100_000}</failure></testcase>')
    assert words == "x" * 20_000


def test_a_report_of_several_pieces() -> None:
    inside = "".join(f'<testcase name="ok{number}" classname="{"c" * 90}"/>' for number in range(2000)) + BAD
    assert len(list(Cases(document(inside), failures_only=False))) == 2001
    assert failures(inside) == [("bad", "m\ntext")]


def test_another_document() -> None:
    with pytest.raises(XmlError, match="begins with <testcase>"):
        list(Cases(b"<testcase name='a'/>", failures_only=True))


def test_messages_are_cut_and_redacted() -> None:
    words = "first " + "x" * 5000 + " ghp_" + "a" * 40 + " last"
    report = f'<testsuite><testcase classname="a" name="b"><failure>{words}</failure></testcase></testsuite>'
    found = read_junit((report.encode(),))
    kept = found.messages["a::b"]
    assert len(kept) <= MESSAGE_CHARS + 3
    assert (kept.startswith("first"), kept.endswith("[GitHub token redacted] last")) == (True, True)


FRAMES = """\
    def test_price():
>       assert shop.price() == 2

test_shop.py:5:\x20
_ _ _ _
shop.py:20: in price
    return urlopen('http://localhst:9001/price')
/usr/lib/python3.11/urllib/request.py:216: in urlopen
    return opener.open(url, data, timeout)
  File "pay.py", line 3, in pay
    raise Refused
"""


def test_the_projects_own_calls_stay_in_a_long_message() -> None:
    kept = shorten_message(f"URLError: no such host\n{FRAMES}{'x' * 3000}\nthe end")
    assert len(kept) <= MESSAGE_CHARS + 7
    assert kept.startswith("URLError: no such host\n…\n>       assert shop.price() == 2\ntest_shop.py:5: \n")
    assert "\nshop.py:20: in price\n    return urlopen('http://localhst:9001" in kept
    assert ('File "pay.py"' in kept, "opener.open" in kept, kept.endswith("the end")) == (True, False, True)


def test_a_short_message_stays() -> None:
    assert shorten_message("assert 1 == 2") == "assert 1 == 2"


def test_the_middle_of_a_huge_output_is_left_out() -> None:
    assert len(redact_output("a" * 100 * OUTPUT_CHARS)) == 21 * OUTPUT_CHARS + 3


def test_what_is_no_report_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="the test report"):
        read_junit((b"no xml",))
