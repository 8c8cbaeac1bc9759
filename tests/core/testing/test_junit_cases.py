import pytest

from reknit.core.testing import junit_cases
from reknit.core.testing.junit_cases import Case, Cases
from reknit.core.text.xml_stream import XmlProblem

BAD = '<testcase name="bad"><failure message="m">text</failure></testcase>'


def document(inside: str) -> bytes:
    return f"<testsuites><testsuite name='s'>{inside}</testsuite></testsuites>".encode()


def failures(inside: str) -> list[tuple[str, str]]:
    return [(case.attributes["name"], case.words) for case in Cases(document(inside), failures_only=True)]


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
            assert cases.any_seen == seen


def test_endless_words_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_cases, "LONGEST_WORDS", 20_000)
    ((_, words),) = failures(f'<testcase name="t"><failure>{"x" * 100_000}</failure></testcase>')
    assert words == "x" * 20_000


def test_a_report_of_several_pieces() -> None:
    inside = "".join(f'<testcase name="ok{number}" classname="{"c" * 90}"/>' for number in range(2000)) + BAD
    assert len(list(Cases(document(inside), failures_only=False))) == 2001
    assert failures(inside) == [("bad", "m\ntext")]


def test_another_document() -> None:
    with pytest.raises(XmlProblem, match="begins with <testcase>"):
        list(Cases(b"<testcase name='a'/>", failures_only=True))
