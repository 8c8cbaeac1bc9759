import pytest

from reknit.core.issues.formats.checkstyle import read_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult


def document(inside: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?><checkstyle version="4.3">{inside}</checkstyle>'.encode()


def test_files_and_errors() -> None:
    data = document(
        '<file name="/r/src/A.java">'
        '<error line="3" column="7" severity="error" message="Unused &quot;import&quot;"'
        ' source="com.puppycrawl.tools.checkstyle.checks.imports.UnusedImportsCheck"/>'
        '<error line="x" severity="warning" message="m&#10;n" source="eslint.rules.eqeqeq"/></file>'
        '<file name="b.php"/><file name="c.php"><error severity="info" source="Generic.Files.LineLength"/>'
        '<error severity="ignore" source="no"/><error line="-4"/></file>'
    )
    assert read_report(data).tools == ("checkstyle",)
    assert list(read_report(data).results) == [
        ReportResult("checkstyle", "UnusedImports", "/r/src/A.java", 3, 7, 'Unused "import"', "critical"),
        ReportResult("checkstyle", "eqeqeq", "/r/src/A.java", 0, 0, "m\nn", "important"),
        ReportResult("checkstyle", "Generic.Files.LineLength", "c.php", weight="minor"),
        ReportResult("checkstyle", "unnamed", "c.php"),
    ]


def test_an_error_before_any_file_has_none() -> None:
    assert list(read_report(document("<error source='x'/>")).results) == [ReportResult("checkstyle", "x", "")]


def test_a_report_without_files_is_clean() -> None:
    assert list(read_report(document("")).results) == []


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not well-formed"),
        (b"<html/>", "is not a checkstyle report: it begins with <html>"),
        (document("<file>")[:-5], "not well-formed"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><checkstyle>&a;</checkstyle>', "declares an entity"),
        (b'<?xml version="1.0" encoding="utf-7"?><checkstyle/>', "not well-formed"),
    ],
)
def test_what_is_no_report(data: bytes, why: str) -> None:
    with pytest.raises(ReportError, match=why):
        list(read_report(data).results)
