"""SARIF that GitHub's code scanning accepts: checked against the standard's schema and GitHub's documented rules."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from openapi_schema_validator import OAS31Validator

from reknit.core.issues.formats.sarif.reader import read_report
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.issues.sarif_export import (
    RESULTS_PER_RUN,
    RUNS_PER_FILE,
    ExportSummary,
    Rules,
    collect_rules,
    write_sarif,
)
from tests.tools.issue_samples import FLAKE8, MESSAGE, RUFF, issue

SCHEMA = json.loads((Path(__file__).parents[2] / "golden" / "sarif-2.1.0.schema.json").read_text())
BOTH = issue(3, sources=(RUFF, FLAKE8))
IGNORED = issue(2, status="IGNORED", path="src/ä b#.py")
SAMPLE = (issue(1), IGNORED, BOTH, issue(4, line=0), issue(5, baseline="unchanged", weight="critical"))


def written(issues: Sequence[Issue], rules: Rules | None = None) -> tuple[str, ExportSummary]:
    chosen = collect_rules(issues) if rules is None else rules
    text = write_sarif(chosen, lambda tool: [one for one in issues if tool in one.tools], lambda one: f"why {one.name}")
    pieces: list[str] = []
    while True:
        try:
            pieces.append(next(text))
        except StopIteration as done:
            return "".join(pieces), done.value


def log(issues: Sequence[Issue], rules: Rules | None = None) -> Any:
    return json.loads(written(issues, rules)[0])


def one(**facts: Any) -> Any:
    """The result of one issue."""
    return log([issue(1, **facts)])["runs"][0]["results"][0]


def problems(document: Any) -> list[str]:
    """What the standard's schema and GitHub's page on SARIF would say."""
    found = [problem.message[:200] for problem in OAS31Validator(SCHEMA).iter_errors(document)]
    runs = document["runs"]
    categories = [(run["tool"]["driver"]["name"], run["automationDetails"]["id"].rpartition("/")[0]) for run in runs]
    found += [] if 1 <= len(runs) <= RUNS_PER_FILE else [f"{len(runs)} runs"]
    found += [] if len({*categories}) == len(categories) else ["two runs of one tool in one category"]
    return [*found, *(problem for run in runs for problem in _of_run(run))]


def _of_run(run: Any) -> Iterable[str]:
    rules = run["tool"]["driver"]["rules"]
    if len(run["results"]) > 25_000:
        yield "too many results"
    for rule in rules:
        texts = [rule["id"], *(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))]
        if not all(texts) or max(map(len, texts[1:3])) > 1024:
            yield f"rule {rule['id'][:50]!r}"
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        is_relative = (
            not place["artifactLocation"]["uri"].startswith(("/", "file:", "..")) and place["artifactLocation"]
        )
        is_named = (
            result["ruleId"] and result["message"]["text"] and result["partialFingerprints"]["primaryLocationLineHash"]
        )
        if not is_named or not is_relative or place["region"]["startLine"] < 1 or "kind" in result:
            yield f"result {result}"
        if "ruleIndex" in result and rules[result["ruleIndex"]]["id"] != result["ruleId"]:
            yield "the number of a rule is that of another one"


def test_it_is_valid_and_as_github_wants_it() -> None:
    text, done = written(SAMPLE)
    document = json.loads(text)
    assert problems(document) == []
    assert [run["tool"]["driver"]["name"] for run in document["runs"]] == ["ruff", "flake8"]
    assert done == ExportSummary(runs=2, results=6, largest=5)


def test_the_checks_see_what_is_wrong() -> None:
    document = log([issue(1)])
    del document["runs"][0]["tool"]
    assert "'tool' is a required property" in [
        problem.message for problem in OAS31Validator(SCHEMA).iter_errors(document)
    ]
    document = log([issue(1, path="../a.py")])
    assert len(problems(document)) == 1


def test_a_result_says_what_is_known() -> None:
    assert one(effort_1_5=2, files=4, suggestion="remove it", run_id="r-1", commit="c" * 40, pull="https://p") == {
        "ruleId": "F401",
        "ruleIndex": 0,
        "level": "warning",
        "message": {"text": MESSAGE},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 8},
                }
            }
        ],
        "partialFingerprints": {"reknit/v1": f"{1:032x}", "primaryLocationLineHash": f"{1:032x}:1"},
        "baselineState": "new",
        "hostedViewerUri": RUFF.url,
        "properties": {
            "issue": "I-1", "status": "OPEN", "suggestion": "remove it", "estimated_effort": 2,
            "estimated_files_count": 4, "run": "r-1", "commit": "c" * 40, "pull": "https://p",
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "region"),
    [
        pytest.param({"line": 0, "column": 7}, {"startLine": 1}, id="a whole file is at its first line"),
        pytest.param({"line": 9, "column": 0}, {"startLine": 9}, id="a column that is not known is not said"),
    ],
)
def test_a_place_always_has_a_line(facts: dict[str, int], region: dict[str, int]) -> None:
    assert one(**facts)["locations"][0]["physicalLocation"]["region"] == region


@pytest.mark.parametrize(
    ("weight", "level"), [("critical", "error"), ("important", "warning"), ("minor", "note")], ids=lambda word: word
)
def test_the_weight_is_the_level_and_comes_back(weight: str, level: str) -> None:
    text = written([issue(1, weight=weight, sources=(IssueSource("tidy", "R1", "m"),))])[0]
    assert json.loads(text)["runs"][0]["results"][0]["level"] == level
    assert [found.weight for found in read_report(text.encode()).results] == [weight]


def test_only_ignored_ones_are_suppressed_with_the_reason() -> None:
    suppressed = one(status="IGNORED")["suppressions"]
    assert suppressed == [{"kind": "external", "status": "accepted", "justification": "why I-1"}]
    assert "suppressions" not in one(status="FAILED")


def test_each_tool_says_what_it_said_itself() -> None:
    first, second = log([BOTH])["runs"]
    assert first["results"][0]["message"]["text"] == RUFF.message
    assert second["results"][0]["message"]["text"] == FLAKE8.message
    assert first["results"][0]["partialFingerprints"] == second["results"][0]["partialFingerprints"]
    assert "hostedViewerUri" not in second["results"][0]


def test_what_is_not_named_still_has_the_texts_that_are_required() -> None:
    document = log([issue(1, message="", sources=(IssueSource("tool", "", "", "javascript:alert(1)"),))])
    assert problems(document) == []
    (result,) = document["runs"][0]["results"]
    assert (result["ruleId"], result["message"]["text"]) == ("tool", "tool")
    assert "hostedViewerUri" not in result


def test_a_path_is_an_address_that_leads_back_to_it() -> None:
    uri = one(path="src/ä b#?:.py")["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "src/%C3%A4%20b%23%3F%3A.py"
    assert unquote(uri) == "src/ä b#?:.py"


def test_a_tool_without_results_has_an_empty_run_so_that_its_alerts_are_closed() -> None:
    document = log([], collect_rules([issue(1)]))
    assert problems(document) == []
    (run,) = document["runs"]
    assert (run["tool"]["driver"]["name"], run["results"]) == ("ruff", [])


def test_nothing_at_all_is_one_empty_run() -> None:
    text, done = written([])
    assert problems(json.loads(text)) == []
    assert done == ExportSummary(runs=1, results=0, largest=0)


def test_a_rule_that_came_in_meanwhile_has_no_number() -> None:
    document = log([issue(1)], {"ruff": {"E501": None}})
    assert problems(document) == []
    assert "ruleIndex" not in document["runs"][0]["results"][0]


def test_a_long_rule_name_keeps_its_description_short() -> None:
    assert problems(log([issue(1, sources=(IssueSource("t", "r" * 3000, "m"),))])) == []


def test_more_results_than_a_run_may_have_go_to_another_category() -> None:
    many = [issue(number) for number in range(1, RESULTS_PER_RUN + 2)]
    text, done = written(many)
    document = json.loads(text)
    assert [len(run["results"]) for run in document["runs"]] == [RESULTS_PER_RUN, 1]
    assert [run["automationDetails"]["id"] for run in document["runs"]] == ["reknit/ruff/", "reknit/ruff/2/"]
    assert done == ExportSummary(runs=2, results=RESULTS_PER_RUN + 1, largest=RESULTS_PER_RUN)
    results = [result for run in document["runs"] for result in run["results"]]
    assert len({result["partialFingerprints"]["reknit/v1"] for result in results}) == RESULTS_PER_RUN + 1


def test_it_is_written_while_it_is_read() -> None:
    """The first piece leaves before the second issue is asked for."""
    asked: list[int] = []

    def endless() -> Iterable[Issue]:
        for number in range(1, 10_000_000):
            asked.append(number)
            yield issue(number)

    text = write_sarif(collect_rules([issue(1)]), lambda _tool: endless(), lambda _one: "")
    for _ in range(4):
        next(text)
    assert len(asked) < 1_000


def test_our_own_reader_finds_the_same_again() -> None:
    found = list(read_report(written(SAMPLE)[0].encode()).results)
    shown = [one for one in SAMPLE if one.status != "IGNORED"]
    assert [(one.rule, one.path, one.message) for one in found if one.tool == "ruff"] == [
        (one.rule, one.path, one.message) for one in shown
    ]
    assert [one.path for one in found if one.tool == "flake8"] == ["src/a.py"]
