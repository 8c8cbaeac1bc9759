"""The numbered findings below `### Findings`."""

import pytest

from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.finding_list import read_findings


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        pytest.param("None.", [], id="none"),
        pytest.param("", [], id="nothing"),
        pytest.param("9. **A**: b\n- File: c", [ListedFinding("A", "", "b", "c", 0, "")], id="shortest"),
        pytest.param(
            "1. **A**: b - c - d\n   - File: e:f:12\n   - Issue: g\n       - File: h\n\n     i",
            [ListedFinding("A", "b", "c - d", "e:f", 12, "g\n  - File: h\n\ni")],
            id="a-field-inside-a-text",
        ),
        pytest.param(
            "1. **A**:\n   - Issue: x\n   - Severity: high\n   - File: a\n     b:3",
            [ListedFinding("A", "", "", "ab", 3, "x\n- Severity: high")],
            id="other-bullets-are-text",
        ),
    ],
)
def test_findings(text: str, findings: list[ListedFinding]) -> None:
    problems: list[tuple[int, str]] = []
    lines = list(enumerate(text.split("\n"), start=1))
    assert read_findings(lines, lambda *problem: problems.append(problem)) == tuple(findings)
    assert problems == []


def test_problems_have_their_lines() -> None:
    problems: list[int] = []
    text = "prose\n1. **A** b\n2. **B**: x\n   - File: f\n   - File: g\nmore\n3. **C**: x"
    read_findings(list(enumerate(text.split("\n"), start=1)), lambda line, _: problems.append(line))
    assert sorted(problems) == [1, 2, 5, 6, 7]
