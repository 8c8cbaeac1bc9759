import codecs
import mmap
from pathlib import Path

import pytest

from reknit.core.errors import UsageError
from reknit.core.issues.formats import registry
from reknit.core.issues.formats.registry import (
    FORMATS,
    READERS,
    Format,
    detect_format,
    find_printing_tool,
    is_text,
    open_report,
    read_whole_report,
)
from reknit.core.issues.formats.report import ReportError

SARIF = b'{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"T"}},"results":[{"ruleId":"R"},{"ruleId":3}]}]}'


def test_every_format_has_its_reader() -> None:
    assert tuple(READERS) == FORMATS


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        pytest.param("a.SARIF", b"", "sarif", id="by-name"),
        pytest.param("a.sarif.json", b"{}", "sarif", id="by-long-name"),
        pytest.param("a.rdjson", b"", "rdjson", id="rdjson-by-name"),
        pytest.param("a.rdjsonl", b"", "rdjsonl", id="rdjsonl-by-name"),
        pytest.param("x", SARIF, "sarif", id="sarif"),
        pytest.param("x", codecs.BOM_UTF8 + b" " + SARIF, "sarif", id="sarif-with-a-mark"),
        pytest.param("x", codecs.BOM_UTF16_LE + SARIF.decode().encode("utf-16-le"), "sarif", id="sarif-in-utf-16"),
        pytest.param("x", b'{"$schema":"s","runs":[{"results":[', "sarif", id="sarif-without-its-end"),
        pytest.param("x", b"<?xml version='1.0'?>\n<testsuites>", "junit", id="junit"),
        pytest.param("x", b"<testsuite name='a'>", "junit", id="junit-of-one-suite"),
        pytest.param("x", b"<!-- c --><checkstyle version='8'>", "checkstyle", id="checkstyle"),
        pytest.param("x", b"<html><body>", None, id="another-xml"),
        pytest.param("x", b'{"source":{"name":"a"},"diagnostics":[]}', "rdjson", id="rdjson"),
        pytest.param("x", b'{"message":"a","location":{"path":"b"}}\n{', "rdjsonl", id="rdjsonl"),
        pytest.param("x", b'{"version":"1","time":"2","generalDiagnostics":[', "pyright", id="pyright"),
        pytest.param("x", b'{"version":"1","results":[{"check_id":"a"', "semgrep", id="semgrep"),
        pytest.param("x", b'{"errors":[],"paths":{},"results":[]}', "semgrep", id="semgrep-without-results"),
        pytest.param("x", b'{"file": "a", "hint": null, "severity": "error"}', "mypy", id="mypy"),
        pytest.param("x", b'[{"filename":"a","end_location":{}}]', "ruff", id="ruff"),
        pytest.param("x", b'[{"filePath":"a","messages":[]}]', "eslint", id="eslint"),
        pytest.param("x", b"[]", None, id="an-empty-list-may-be-anyones"),
        pytest.param("x.json", b'{"a":1}', None, id="another-json"),
        pytest.param("x", b"", None, id="nothing"),
        pytest.param("x", b"a.py:1: error", None, id="words"),
    ],
)
def test_guesses(name: str, head: bytes, expected: Format | None) -> None:
    assert detect_format(name, head) == expected


def problem_of(data: bytes, named: str = "") -> ReportError:
    with pytest.raises(ReportError) as raised:
        list(open_report(data, name="out/report", format_name=named).results)
    return raised.value


def test_a_problem_names_the_file_and_what_to_do() -> None:
    problem = problem_of(b"<testsuites/>")
    assert (problem.name, problem.where, problem.exit_code) == ("report", "out/report", 2)
    assert problem.message == "the report cannot be used as junit: it contains no test case, so no test was run"
    assert problem.help == "Run the tests again."
    assert "cannot be read" in problem_of(SARIF).message
    assert problem_of(b"[3]", "ruff").help == "Create it again, or name its format with `--as`."


def test_formats_that_nobody_knows() -> None:
    assert problem_of(b"{}").message == "the report is not in a format that reknit knows"
    assert problem_of(b"[\n]\n").message == "an empty list does not show which tool wrote it"
    assert problem_of(b"[]").help.startswith("`--as ruff`")
    assert problem_of(SARIF, "sarfi").message == "unknown format 'sarfi'"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        pytest.param(b'{"a":', "it ends unexpectedly after 5 bytes, on line 1", id="cut off"),
        pytest.param(b'{"a":\n1\n\n', "it ends unexpectedly after 9 bytes, on line 2", id="cut off behind a line"),
        pytest.param(
            b'{"a":1}\n{"a" 2}\n',
            "JSON is malformed: expected ':' (byte 13), on line 2 at '2}'",
            id="malformed",
        ),
        pytest.param(b"[" * 5000, "it is nested too deeply", id="deep"),
        pytest.param(
            codecs.BOM_UTF16_LE + b"[\x00\xd8", "it begins as UTF-16 but continues as something else", id="UTF-16"
        ),
    ],
)
def test_broken_json_is_called_broken_and_where(data: bytes, what: str) -> None:
    problem = problem_of(data)
    assert problem.message.startswith(f"the report is not valid JSON: {what}")
    assert problem.help == "Create it again: the tool may have been stopped while writing it."


def test_a_text_for_people_is_told_with_the_option_that_is_missing() -> None:
    for named in ("", "ruff", "mypy"):
        problem = problem_of(b"a.py:1:8: F401 [*] `os` imported but unused\n", named)
        assert "it looks like the console output of ruff: 'a.py:1:8: F401 [*]" in problem.message
        assert problem.help == "Run it with `--output-format json` and import that report."


def test_of_another_text_the_first_words_are_shown() -> None:
    token = b"ghp_" + b"a1" * 20
    text = b"mypy: \x1b[31mcan't\nread " + token + b" " + b"x" * 100
    problem = problem_of(text, "mypy")
    shown = "it is plain text that begins with \"mypy: can't read [GitHub token redacted] xxxxx"
    assert problem.message.startswith(f"the report cannot be used as mypy: {shown}")
    assert problem.message.endswith('x…"')
    unknown = problem_of(text)
    assert unknown.message.startswith(shown)
    assert unknown.help == f"reknit reads {', '.join(FORMATS)}."


def test_a_line_between_results_is_shown() -> None:
    line = b'{"file":"m.py","line":1,"message":"m","hint":null,"severity":"error"}\n'
    assert "on line 2 at 'Killed'" in problem_of(line + b"Killed\n").message


@pytest.mark.parametrize("data", [b"", b" \r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_an_empty_report_is_refused_unless_its_tool_is_silent_when_all_is_well(data: bytes) -> None:
    assert problem_of(data).message == "the report is empty, so the result is unknown"
    for format_ in FORMATS:
        if format_ in ("mypy", "rdjsonl"):
            assert list(open_report(data, name="x", format_name=format_).results) == []
        else:
            assert "is empty" in problem_of(data, format_).message
    with pytest.raises(ReportError, match="is empty"):
        open_report(data, name="x.rdjsonl")


def test_what_is_found_and_by_whom() -> None:
    data = SARIF.replace(b',{"ruleId":3}', b"")
    report = open_report(data, name="x")
    assert (report.tools, [found.rule for found in report.results], report.partial) == (("T",), ["R"], "")


def test_a_crowd_of_tools_is_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MAX_TOOLS", 1)
    lines = b'{"source":{"name":"a"}}\n{"source":{"name":"b"}}'
    assert problem_of(lines, "rdjsonl").message == "the report names 2 tools"


@pytest.mark.parametrize("data", [SARIF, b'{"version":"2.1.0","runs":[{}]}'], ids=["while-read", "at-once"])
def test_a_mapped_file_can_be_closed_after_a_problem(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.sarif").write_bytes(data)
    with (tmp_path / "a.sarif").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with pytest.raises(ReportError, match="cannot be read"), mapped, memoryview(mapped) as view:
        list(open_report(view, name="a.sarif").results)
    assert mapped.closed


def test_all_results_are_in_it() -> None:
    line = (
        b'{"file": "a.py", "line": 1, "column": 0, "message": "no", "hint": null, "code": "x", "severity": "error"}\n'
    )
    report = read_whole_report(line * 3, "out.json", "mypy")
    assert (report.tools, len(report.results), report.partial) == (("mypy",), 3, "")


def test_a_report_that_breaks_later_is_a_problem_that_names_it() -> None:
    with pytest.raises(UsageError) as problem:
        read_whole_report(b'{"file": "a.py", "line": 1}\n{', "out.json", "mypy")
    assert problem.value.where == "out.json"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        pytest.param("F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n", "ruff", id="ruff"),
        pytest.param("a.py:1:8: F401 [*] `os` imported but unused\n", "ruff", id="ruff, concise"),
        pytest.param("a.py:1:8: E501 Line too long\nFound 1 error.\n", "ruff", id="ruff, nothing can be fixed"),
        pytest.param("All checks passed!\n", "ruff", id="ruff, clean"),
        pytest.param("a.py:2: error: Incompatible types in assignment  [assignment]\r\n", "mypy", id="mypy"),
        pytest.param("Success: no issues found in 1 source file\n", "mypy", id="mypy, clean"),
        pytest.param("Found 1 error in 1 file (errors prevented further checking)\n", "mypy", id="mypy, stopped"),
        pytest.param("\n/a/b.js\n  1:5  error  'x' is unused  no-unused-vars\n", "eslint", id="eslint"),
        pytest.param("✖ 3 problems (3 errors, 0 warnings)\n", "eslint", id="eslint, its end"),
        pytest.param("  /a/b.py:1:8 - error: Import could not be resolved\n", "pyright", id="pyright"),
        pytest.param("==== FAILURES ====\n", "pytest", id="pytest"),
        pytest.param("a.py:1:8: F401 'os' imported but unused\n", "", id="flake8, which nobody here reads"),
        pytest.param("Killed\n", "", id="nobody"),
    ],
)
def test_a_text_is_somebodys(text: str, tool: str) -> None:
    assert find_printing_tool(text.encode(), b"")[0] == tool
    assert find_printing_tool(b"x" * 5000, b"\n" + text.encode())[0] == tool


def test_each_has_the_option_that_it_needs() -> None:
    assert find_printing_tool(b"All checks passed!\n", b"") == ("ruff", "--output-format json")
    assert find_printing_tool(b"", b"") == ("", "")


@pytest.mark.parametrize(
    ("head", "expected"),
    [(b" \n{", False), (b"[", False), (b"<a", False), (b"", False), (b"\0<", False), (b"mypy: ", True)],
)
def test_a_text_begins_as_no_format_does(head: bytes, expected: bool) -> None:
    assert is_text(head) is expected
