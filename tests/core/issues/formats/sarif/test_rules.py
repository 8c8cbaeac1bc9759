from typing import Any

import pytest

from reknit.core.finding import Weight
from reknit.core.issues.formats.sarif.reader import read_report
from tests.core.issues.formats.sarif.test_reader import log, one

RULES: list[dict[str, Any]] = [
    {"id": "R0", "messageStrings": {"default": {"text": "no {0} in {1}, {{but}} {7}"}, "empty": {}}},
    {"id": "R1", "defaultConfiguration": {"level": "error"}},
    {"id": "R2", "defaultConfiguration": {"level": "note"}},
    {"id": "R3", "defaultConfiguration": {}},
    {},
]
SILENT = {"level": "none"}
PACK = {
    "name": "pack",
    "rules": [{"id": "P0", "defaultConfiguration": SILENT}, RULES[1] | {"defaultConfiguration": SILENT}],
}
DRIVER = {"name": "T", "rules": RULES, "globalMessageStrings": {"shared": {"text": "of all: {0}"}}}
TOOL = {"driver": DRIVER, "extensions": [{"name": "bare"}, PACK]}


@pytest.mark.parametrize(
    ("result", "rule", "weight"),
    [
        pytest.param({"ruleId": "R1"}, "R1", "critical", id="by-id"),
        pytest.param({"ruleId": "R1/sub"}, "R1/sub", "critical", id="by-id-of-a-part"),
        pytest.param({"ruleId": "P0"}, "P0", "minor", id="by-id-in-an-extension"),
        pytest.param({"ruleId": "X9"}, "X9", "important", id="not-listed"),
        pytest.param({"ruleId": ""}, "unnamed", "important", id="empty"),
        pytest.param({"ruleIndex": 2}, "R2", "minor", id="by-number"),
        pytest.param({"ruleIndex": 99}, "unnamed", "important", id="number-out-of-range"),
        pytest.param({"ruleIndex": -1}, "unnamed", "important", id="number-none"),
        pytest.param({"ruleIndex": 4}, "unnamed", "important", id="a-rule-without-a-name"),
        pytest.param({"rule": {"id": "R1"}}, "R1", "critical", id="by-reference"),
        pytest.param({"rule": {"index": 2}}, "R2", "minor", id="by-number-in-a-reference"),
        pytest.param({"rule": {}, "ruleIndex": 1}, "R1", "critical", id="empty-reference-and-a-number"),
        pytest.param({"rule": {"index": 0, "toolComponent": {"index": 1}}}, "P0", "minor", id="in-an-extension"),
        pytest.param({"rule": {"index": 1, "toolComponent": {}}}, "R1", "critical", id="in-an-unsaid-component"),
        pytest.param({"rule": {"index": 1, "toolComponent": {"index": 77}}}, "R1", "critical", id="in-none"),
        pytest.param({"rule": {"index": 0, "toolComponent": {"index": 0}}}, "unnamed", "important", id="no-rules"),
        pytest.param({"ruleId": "R1", "level": "note"}, "R1", "minor", id="own-level"),
        pytest.param({"ruleId": "R1", "level": "warning"}, "R1", "important", id="own-warning"),
        pytest.param({"ruleId": "R3", "level": "none"}, "R3", "minor", id="own-none"),
        pytest.param({"ruleId": "R3"}, "R3", "important", id="no-level-at-all"),
        pytest.param({"ruleId": "R3", "level": "dire"}, "R3", "important", id="an-unknown-level"),
        pytest.param({"ruleId": "R1", "kind": "review"}, "R1", "minor", id="nothing-but-a-review"),
    ],
)
def test_rules_and_weights(result: dict[str, Any], rule: str, weight: Weight) -> None:
    found = one(result, tool=TOOL)
    assert (found.rule, found.weight) == (rule, weight)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"id": "default", "arguments": ["x", "y"]}, "no x in y, {but} {7}"),
        ({"id": "shared", "arguments": ["z"]}, "of all: z"),
        ({"id": "shared"}, "of all: {0}"),
        ({"id": "empty"}, ""),
        ({"id": "nowhere"}, ""),
        ({}, ""),
        ({"text": ""}, ""),
        ({"text": "{0} and {{1}}", "arguments": ["a"]}, "a and {1}"),
        ({"text": "a {0} as it stands"}, "a {0} as it stands"),
        ({"text": "see [here](1), [there](https://x) and [x](12)"}, "see here, [there](https://x) and x"),
        ({"text": "{0}" * 60, "arguments": ["ab"]}, "ab" * 50 + "{0}" * 10),
        ({"text": "{0}", "arguments": ["a" * 900]}, "a" * 500),
    ],
)
def test_messages(message: dict[str, Any], text: str) -> None:
    assert one({"ruleId": "R0", "message": message}, tool=TOOL).message == text


def test_more_rules_than_are_remembered() -> None:
    names = [f"R{number}" for number in range(10_010)]
    assert [found.rule for found in read_report(log(*({"ruleId": name} for name in names))).results] == names
