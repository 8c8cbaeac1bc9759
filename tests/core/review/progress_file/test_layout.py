"""Where entries begin and end."""

import pytest

from reknit.core.review.progress_file.layout import NO_END, find_entries, is_structure
from tests.tools.progress_entries import THREE


def test_entries_and_their_sections() -> None:
    found = list(find_entries(THREE))
    assert [(entry.line, entry.kind, list(entry.sections)) for entry in found] == [
        (1, "Review", ["Verdict", "Findings"]),
        (19, "Review Fix", ["What was fixed", "Files changed", "Attempts"]),
        (32, "Review Fix Failed", ["Issue", "Attempts", "Reason"]),
    ]
    assert found[0].sections["Verdict"].words == "NEEDS_WORK"
    assert found[1].sections["Attempts"].lines == [(28, "1 of 3"), (29, "")]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("[Review] went well\n\n---\n", [], id="prose"),
        pytest.param("[Review] by Ann\n\n### Decisions\n", [], id="a-section-of-theirs"),
        pytest.param("[Reviewer] 2026-01-01\n  [Review] 2026-01-01\n", [], id="not-our-tag"),
        pytest.param("\n[Review]\n\n### Verdict: PASSED\n", [2], id="a-section-of-ours"),
        pytest.param("[Review Fix] 2026-\n[Review] 2026-", [1, 2], id="a-date"),
    ],
)
def test_what_begins_an_entry(text: str, lines: list[int]) -> None:
    found = list(find_entries(text))
    assert [entry.line for entry in found] == lines
    assert all([problem.what for problem in entry.problems] == [NO_END] for entry in found)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("---", True), ("-----", True), ("### x", True), ("[Review] x", True), ("--- x", False), ("[Errno 2]", False)],
)
def test_text_that_looks_like_structure(line: str, expected: bool) -> None:
    assert is_structure(line) is expected
