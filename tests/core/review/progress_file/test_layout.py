"""Where entries begin and end."""

import pytest

from reknit.core.review.progress_file.layout import (
    NO_END,
    choose_path,
    explain_not_appendable,
    explain_refused_path,
    find_entries,
    find_other_text,
    is_structure,
)
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
    assert all([problem.message for problem in entry.problems] == [NO_END] for entry in found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(f"\ufeff\n{THREE}\n\n{THREE}", 0, id="entries alone"),
        pytest.param(THREE.replace("\n", "\r\n"), 0, id="entries with other line ends"),
        pytest.param(THREE.rstrip("-\n"), 0, id="an entry that was cut off"),
        pytest.param("\nKEY=1\n", 2, id="settings"),
        pytest.param(f"# notes\n\n{THREE}", 1, id="before them"),
        pytest.param(f"{THREE}\nKEY=1\n", len(THREE.splitlines()) + 2, id="after them"),
        pytest.param("[Review] went well\n", 1, id="prose that looks like one"),
        pytest.param("---\n", 1, id="an end without a beginning"),
    ],
)
def test_the_first_line_that_belongs_to_no_entry(text: str, line: int) -> None:
    assert find_other_text(text) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [("---", True), ("-----", True), ("### x", True), ("[Review] x", True), ("--- x", False), ("[Errno 2]", False)],
)
def test_text_that_looks_like_structure(line: str, expected: bool) -> None:
    assert is_structure(line) is expected


@pytest.mark.parametrize(
    ("existing", "named", "chosen"),
    [
        pytest.param([], "", "PROGRESS.txt", id="none-there"),
        pytest.param(["plans/PROGRESS.txt", "a"], "", "plans/PROGRESS.txt", id="in-plans"),
        pytest.param(["plans/PROGRESS.txt", "PROGRESS.txt"], "", "PROGRESS.txt", id="the-top-comes-first"),
        pytest.param(["PROGRESS.txt"], "docs/log.md", "docs/log.md", id="the-setting-overrides"),
        pytest.param([], ".github/PROGRESS.txt", ".github/PROGRESS.txt", id="a-folder-that-only-begins-like-git"),
    ],
)
def test_the_file_that_is_chosen(existing: list[str], named: str, chosen: str) -> None:
    assert choose_path(existing, named) == chosen


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("/etc/passwd", "'/etc/passwd' must be relative to the repository's root"),
        ("../PROGRESS.txt", "'../PROGRESS.txt' must not contain '..'"),
        ("a/../../b", "'a/../../b' must not contain '..'"),
        (".git/PROGRESS.txt", "'.git/PROGRESS.txt' is inside a git folder"),
        ("a/.GIT /x", "'a/.GIT /x' is inside a git folder"),
        ("git~1/x", "'git~1/x' is inside a git folder"),
        (".git::$INDEX_ALLOCATION/x", "'.git::$INDEX_ALLOCATION/x' is inside a git folder"),
        ("plans/", "'plans/' is not the plain path of a file, such as 'docs/PROGRESS.txt'"),
        ("./x", "'./x' is not the plain path of a file, such as 'docs/PROGRESS.txt'"),
        ("a\nb", "'a\\nb' is not the plain path of a file, such as 'docs/PROGRESS.txt'"),
    ],
)
def test_paths_that_are_refused(named: str, why: str) -> None:
    with pytest.raises(ValueError) as refused:
        choose_path([], named)
    assert str(refused.value) == why == explain_refused_path(named)


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        pytest.param("PROGRESS.txt", "notes", "", id="the usual file may hold notes"),
        pytest.param("plans/PROGRESS.txt", "notes", "", id="also in plans"),
        pytest.param(".env", "", "", id="a new file"),
        pytest.param(
            ".env", "KEY=1", "'.env' has other text than entries of reviews (line 1)", id="a file of programs"
        ),
    ],
)
def test_only_a_file_of_reviews_is_appended_to(path: str, text: str, why: str) -> None:
    assert explain_not_appendable(path, text) == why
