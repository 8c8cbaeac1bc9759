"""A report as it is read, and the problem of one that cannot be used."""

import pytest

from reknit.core.errors import UsageError
from reknit.core.issues.formats.report import (
    Report,
    ReportError,
    bound_text,
    check_estimate,
    check_path,
    check_position,
    choose_rule_name,
    parse_position,
)


def test_a_report_that_cannot_be_read_is_for_a_person_to_change() -> None:
    with pytest.raises(UsageError) as raised:
        raise ReportError("not JSON", help="run the tool again", where="ruff.json")
    problem = raised.value
    assert (problem.name, problem.message, problem.help, problem.where) == (
        "report",
        "not JSON",
        "run the tool again",
        "ruff.json",
    )
    assert problem.exit_code == 2


def test_a_tool_that_found_nothing_has_still_reported() -> None:
    report = Report(("ruff",), iter(()))
    assert (report.tools, list(report.results), report.partial) == (("ruff",), [], "")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (None, ""),
        ("plain", "plain"),
        ("0123456789x", "0123456789"),
        ("a\nb", "a\nb"),
        ("\n\na\n", "a"),
        ("a\tb", "a\tb"),
        ("a\x1b[31mb\x00", "ab"),
        ("é\u200b", "é"),
        ("\u2066" * 30 + "a", ""),
    ],
)
def test_bounded(text: str | None, cut: str) -> None:
    assert bound_text(text, 10) == cut


def test_the_first_name_that_is_one() -> None:
    assert choose_rule_name(None, " ", "\x00", " R1 ", "R2") == "R1"
    assert choose_rule_name() == "unnamed"


@pytest.mark.parametrize(
    ("path", "kept"),
    [(None, ""), ("a b/ü.py", "a b/ü.py"), ("x" * 1000, "x" * 1000), ("x" * 1001, ""), ("a\0", ""), ("ü\u202e", "")],
)
def test_a_path_is_kept_whole_or_not_at_all(path: str | None, kept: str) -> None:
    assert check_path(path) == kept


def test_numbers() -> None:
    assert [check_position(number) for number in (None, -1, 0, 1, 2**31 - 1, 2**31)] == [0, 0, 0, 1, 2**31 - 1, 0]
    texts = (None, "", "7", "-7", "x", "²", "٣", "9999999999", "9" * 5000)
    assert [parse_position(text) for text in texts] == [0, 0, 7, 0, 0, 0, 0, 0, 0]
    assert [check_estimate(value, 5) for value in (1, 5, 0, 6, True, "3", None, 2.0)] == [1, 5, 0, 0, 0, 0, 0, 0]
