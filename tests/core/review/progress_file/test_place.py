"""Which file the entries go to."""

import pytest

from reknit.core.review.progress_file.place import choose_path, why_not, why_not_appended


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
    assert str(refused.value) == why == why_not(named)


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
    assert why_not_appended(path, text) == why
