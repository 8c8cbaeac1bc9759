import json

import pytest

from reknit.core.issues.formats.eslint import read_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult


def test_files_and_messages() -> None:
    files = [
        {"filePath": "/r/clean.js", "messages": [], "suppressedMessages": [{"message": "hidden"}]},
        {
            "filePath": "/r/a.js",
            "messages": [
                {"ruleId": "eqeqeq", "severity": 1, "message": "m", "line": 2, "column": 7,
                 "suggestions": [{"fix": {}}, {"desc": "Use '==='."}]},
                {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error"},
            ],
        },
    ]  # fmt: skip
    data = json.dumps(files).encode()
    assert read_report(data).tools == ("eslint",)
    assert list(read_report(data).results) == [
        ReportResult("eslint", "eqeqeq", "/r/a.js", 2, 7, "m", "important", "Use '==='."),
        ReportResult("eslint", "fatal", "/r/a.js", message="Parsing error", weight="critical"),
    ]


def test_a_fix_counts_and_a_suggestion_does_not() -> None:
    fixed = {"message": "m", "ruleId": "no-var", "fix": {"range": [0, 3], "text": "let"}}
    messages = [fixed, {"message": "m", "ruleId": "eqeqeq", "suggestions": [{"fix": {"range": [0, 1], "text": "x"}}]}]
    data = json.dumps([{"filePath": "/r/a.js", "messages": messages}]).encode()
    assert [found.fixable for found in read_report(data).results] == [True, False]


@pytest.mark.parametrize("data", [b"{}", b"[[]]", b'[{"filePath":"a"}]', b'[{"filePath":"a","messages":[{}]}]'])
def test_what_is_no_report(data: bytes) -> None:
    with pytest.raises(ReportError):
        list(read_report(data).results)
