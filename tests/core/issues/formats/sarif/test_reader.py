import json
import mmap
from pathlib import Path
from typing import Any

import pytest

from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.formats.sarif.reader import read_report
from reknit.core.issues.model import ReportResult


def log(*results: object, **run: object) -> bytes:
    whole = {"tool": {"driver": {"name": "GenLint"}}, "results": list(results)} | run
    return json.dumps({"version": "2.1.0", "runs": [whole]}).encode()


def one(result: dict[str, Any], **run: object) -> ReportResult:
    (found,) = read_report(log({"message": {"text": "m"}} | result, **run)).results
    return found


def test_a_whole_result() -> None:
    result = {
        "ruleId": "R1",
        "level": "error",
        "message": {"text": "value never used"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 7, "startColumn": 5, "snippet": {"text": "    total = 1\n"}},
                }
            },
            {"physicalLocation": {"artifactLocation": {"uri": "src/other.py"}}},
        ],
        "partialFingerprints": {"other": "x", "primaryLocationLineHash": "abc:1"},
        "fixes": [{}, {"description": {"text": "Remove it"}}],
        "properties": {"estimated_effort": 2, "estimated_files_count": 3, "tags": ["a"]},
    }
    assert one(result) == ReportResult(
        tool="GenLint",
        rule="R1",
        path="src/a.py",
        line=7,
        column=5,
        message="value never used",
        weight="critical",
        suggestion="Remove it",
        effort_1_5=2,
        files=3,
        snippet="    total = 1",
        fingerprint="abc:1",
    )


def test_a_result_of_almost_nothing() -> None:
    assert list(read_report(log({})).results) == [ReportResult("GenLint", "unnamed", "")]
    assert one({"locations": [{}]}) == ReportResult("GenLint", "unnamed", "", message="m")
    assert one({"locations": [{"physicalLocation": {"region": {"startLine": 3}}}]}).line == 3
    assert one({"locations": [{"physicalLocation": {"artifactLocation": {"uri": "a"}}}]}).path == "a"


def test_null_is_as_good_as_absent() -> None:
    of_rules = ["ruleId", "ruleIndex", "rule", "level", "kind", "fixes", "properties"]
    of_places = ["locations", "suppressions", "baselineState", "fingerprints", "partialFingerprints"]
    assert one(dict.fromkeys([*of_rules, *of_places])) == ReportResult("GenLint", "unnamed", "", message="m")


@pytest.mark.parametrize(
    ("result", "is_kept"),
    [
        pytest.param({"kind": "fail"}, True, id="a-failure"),
        pytest.param({"kind": "review"}, True, id="to-be-reviewed"),
        pytest.param({"kind": "open"}, True, id="not-yet-decided"),
        pytest.param({"kind": "pass"}, False, id="passed"),
        pytest.param({"kind": "notApplicable"}, False, id="not-applicable"),
        pytest.param({"kind": "informational"}, False, id="informational"),
        pytest.param({"baselineState": "new"}, True, id="new"),
        pytest.param({"baselineState": "unchanged"}, True, id="there-before"),
        pytest.param({"baselineState": "absent"}, False, id="gone"),
        pytest.param({"suppressions": []}, True, id="not-suppressed"),
        pytest.param({"suppressions": [{"kind": "inSource"}]}, False, id="suppressed"),
        pytest.param({"suppressions": [{"status": "accepted"}]}, False, id="suppression-accepted"),
        pytest.param({"suppressions": [{"status": "underReview"}]}, True, id="suppression-under-review"),
        pytest.param({"suppressions": [{"status": "rejected"}]}, True, id="suppression-rejected"),
        pytest.param({"suppressions": [{"status": "rejected"}, {}]}, False, id="one-of-two-suppressions"),
    ],
)
def test_only_what_is_wrong_and_still_there_is_found(result: dict[str, Any], is_kept: bool) -> None:
    assert len(list(read_report(log(result)).results)) == is_kept


@pytest.mark.parametrize(
    ("result", "given"),
    [
        ({"partialFingerprints": {"a/v1": "1"}}, "1"),
        ({"partialFingerprints": {"primaryLocationLineHash": ""}, "fingerprints": {"b": "2"}}, ""),
        ({"partialFingerprints": {}, "fingerprints": {"b": "2", "c": "3"}}, "2"),
        ({"fingerprints": {}}, ""),
        ({"fingerprints": {"b": "x\u202e" * 400}}, "x" * 400),
    ],
)
def test_the_fingerprint_of_the_tool(result: dict[str, Any], given: str) -> None:
    assert one(result).fingerprint == given


@pytest.mark.parametrize(
    ("number", "line"),
    [(1, 1), (0, 0), (-1, 0), (2**31 - 1, 2**31 - 1), (2**31, 0), (10**40, 0), (None, 0)],
)
def test_lines_that_cannot_be_are_not_said(number: int | None, line: int) -> None:
    region = {"region": {"startLine": number, "startColumn": number}}
    found = one({"locations": [{"physicalLocation": region}]})
    assert (found.line, found.column) == (line, line)


@pytest.mark.parametrize(
    ("properties", "effort", "files"),
    [
        ({"estimated_effort": 5, "estimated_files_count": 10_000}, 5, 10_000),
        ({"estimated_effort": 6, "estimated_files_count": 10_001}, 0, 0),
        ({"estimated_effort": 0, "estimated_files_count": 0}, 0, 0),
        ({"estimated_effort": -1, "estimated_files_count": -3}, 0, 0),
        ({"estimated_effort": "2", "estimated_files_count": [1]}, 0, 0),
        ({"estimated_effort": True, "estimated_files_count": 1.5}, 0, 0),
        ({}, 0, 0),
    ],
)
def test_estimates_out_of_range_are_none(properties: dict[str, Any], effort: int, files: int) -> None:
    found = one({"properties": properties})
    assert (found.effort_1_5, found.files) == (effort, files)


def test_texts_are_cut_and_cleaned() -> None:
    region = {"snippet": {"text": "\tif\x00 x:\x1b[31m" + "y" * 600}}
    found = one(
        {
            "ruleId": "r\x07" + "u" * 300,
            "message": {"text": "line 1\nline\u202e 2 \x7f" + "m" * 9000},
            "fixes": [{"description": {"text": "\x1b]0;title\x07" + "f" * 9000}}],
            "locations": [{"physicalLocation": {"region": region, "artifactLocation": {"uri": "p" * 1001}}}],
        }
    )
    assert (len(found.rule), found.rule[:2]) == (200, "ru")
    assert (len(found.message), found.message[:15]) == (4000, "line 1\nline 2 m")
    assert (len(found.suggestion), found.suggestion[:2]) == (4000, "ff")
    assert (len(found.snippet), found.snippet[:8]) == (500, "\tif x:yy")
    assert found.path == ""


def test_a_lone_delete_character_is_taken_out() -> None:
    assert one({"message": {"text": "a\x7fb"}}).message == "ab"


def test_a_long_plain_message_stays() -> None:
    assert one({"message": {"text": "m" * 3999}}).message == "m" * 3999
    assert one({"message": {"text": 'say "yes" é'}}).message == 'say "yes" é'


def test_runs_of_several_tools() -> None:
    counts = [("A", 1), ("B", 0), ("A", 2)]
    runs = [{"tool": {"driver": {"name": name}}, "results": [{}] * count} for name, count in counts]
    seen = read_report(json.dumps({"version": "2.1.0", "runs": runs}).encode())
    assert (seen.tools, [found.tool for found in seen.results]) == (("A", "B"), ["A", "A", "A"])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b'{"version":"2.1.0"}', "no run", id="no-runs"),
        pytest.param(b'{"version":"2.1.0","runs":[]}', "no run", id="zero-runs"),
        pytest.param(b'{"version":"2.1.0","runs":null}', "no run", id="runs-null"),
        pytest.param(b'{"version":"1.0.0","runs":[]}', "SARIF '1.0.0'", id="another-version"),
        pytest.param(b'{"runs":[]}', "missing required field `version`", id="no-version"),
        pytest.param(log(results=None), "run of GenLint has no results", id="results-null"),
        pytest.param(log(tool={"driver": {"name": " \x1b "}}), "does not name its tool", id="nameless"),
        pytest.param(log(tool={}), "missing required field `driver`", id="no-driver"),
        pytest.param(log(tool={"driver": {}}), "missing required field `name`", id="no-name"),
        pytest.param(log(invocations=[{}, {"executionSuccessful": False}]), "failed and found nothing", id="failed"),
        pytest.param(log({"level": 3}), "a result of GenLint cannot be read: .*level", id="level-is-a-number"),
        pytest.param(log(3), "a result of GenLint cannot be read", id="a-result-is-a-number"),
        pytest.param(log()[:-3], "cannot be read", id="cut-off"),
    ],
)
def test_what_is_no_clean_report(data: bytes, why: str) -> None:
    with pytest.raises(ReportError, match=why):
        list(read_report(data).results)


def test_a_run_without_results_is_not_hidden_by_one_that_has_them() -> None:
    runs = [{"tool": {"driver": {"name": "A"}}, "results": [{}]}, {"tool": {"driver": {"name": "B"}}}]
    with pytest.raises(ReportError, match="run of B has no results"):
        read_report(json.dumps({"version": "2.1.0", "runs": runs}).encode())


def test_a_tool_that_failed_but_found_something_is_partial() -> None:
    seen = read_report(log({}, invocations=[{"executionSuccessful": False}]))
    assert (len(list(seen.results)), seen.partial) == (1, "GenLint did not finish successfully")
    assert read_report(log(invocations=[{"executionSuccessful": True}])).partial == ""


def test_a_mapped_file_is_read_in_place(tmp_path: Path) -> None:
    (tmp_path / "a.sarif").write_bytes(log({"ruleId": "R1"}, {"ruleId": "R2"}))
    with (
        (tmp_path / "a.sarif").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as view,
    ):
        assert [found.rule for found in read_report(view).results] == ["R1", "R2"]


def test_results_are_decoded_one_by_one() -> None:
    results = read_report(log({"ruleId": "R1"}, {"ruleId": 2})).results
    assert next(results).rule == "R1"
    with pytest.raises(ReportError):
        next(results)


def test_a_tool_has_one_name_in_every_format() -> None:
    run = {"tool": {"driver": {"name": "Semgrep OSS"}}, "results": [{"ruleId": "r", "message": {"text": "m"}}]}
    assert [one.tool for one in read_report(json.dumps({"version": "2.1.0", "runs": [run]}).encode()).results] == [
        "semgrep"
    ]
