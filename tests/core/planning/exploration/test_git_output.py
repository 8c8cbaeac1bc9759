"""Extensions and the files near the top, from the bytes that git prints."""

from reknit.core.planning.context import CommitLine
from reknit.core.planning.exploration.git_output import MAX_LANGUAGES, Listing, parse_log, parse_numstat


def listing(*paths: str | bytes) -> Listing:
    return Listing(b"".join((path if isinstance(path, bytes) else path.encode()) + b"\0" for path in paths))


def test_files_are_counted_by_extension() -> None:
    found = listing(
        "a.py", "src/b.PY", "src/c.d/e.py", ".gitignore", "src/.env", "Makefile", "x.tar.gz", "no.", "src.d/file",
        "größe.ts", b"\xff.go", "c.so.6", "a.ünicode", f"a.{'x' * 13}", ".a.b",
    ).count_languages()  # fmt: skip
    assert found == ((".6", 1), (".b", 1), (".go", 1), (".gz", 1), (".py", 3), (".ts", 1))


def test_a_long_list_is_counted_whole() -> None:
    paths = [f"some/folder/file{number}.{'py' if number % 3 else 'ts'}" for number in range(9_000)]
    assert listing(*paths, ".env").count_languages() == ((".py", 6_000), (".ts", 3_000))


def test_only_the_most_frequent_extensions_are_listed() -> None:
    paths = [f"{number}.x{number}" for number in range(MAX_LANGUAGES + 5)]
    found = listing(*paths, "b.zzz", "c.zzz").count_languages()
    assert len(found) == MAX_LANGUAGES
    assert found[-1] == (".zzz", 2)


def test_paths_at_the_top_and_in_known_folders_are_near() -> None:
    found = listing(
        ".claude/settings.json", ".github/workflows/ci.yml", b"docs/\xff.md", "docs/\u202e.md", "docs/\n.md",
        "docs/a/b.md", "docs/ü.md", "docsx/a.md",
        "README.md", "src/docs/a.md", "z",
    ).select_top_paths()  # fmt: skip
    assert found == (
        ".claude/settings.json", ".github/workflows/ci.yml", "README.md", "docs/a/b.md", "docs/ü.md", "z"
    )  # fmt: skip


def test_folders_are_passed_over_in_whatever_order_their_names_are() -> None:
    paths = [
        f"{folder}/{number}.py" for folder in ("a", "a-b", "docs-x", "docs", "docs.d", "e") for number in range(40)
    ]
    paths = sorted([*paths, "a.md", "a-b.md", "docs.md", "f", "docs/x/y.md"], key=str.encode)
    found = listing(*paths).select_top_paths()
    assert {*found} == {path for path in paths if "/" not in path or path.startswith("docs/")}


def test_a_repository_without_files_has_neither() -> None:
    assert (listing().count_languages(), listing().select_top_paths()) == ((), ())


ID = "0123456789abcdef0123456789abcdef01234567"


def test_a_commit_has_a_short_id_a_subject_an_author_and_a_day_in_utc() -> None:
    log = f"{ID}\0Jö\x001700000000\0fix: \x1b[31mx\0\n{ID}\0\x00999999999999\0\0\n{ID}\0A\x00-86400\0\0\n".encode()
    assert parse_log(log + b"garbage") == (
        CommitLine("0123456789ab", "fix: x", "Jö", "2023-11-14"),
        CommitLine("0123456789ab", "", "", ""),
        CommitLine("0123456789ab", "", "A", "1969-12-31"),
    )


def test_no_commit_is_none() -> None:
    assert parse_log(b"") == ()


def test_a_binary_file_counts_without_lines() -> None:
    assert parse_numstat(b"3\t4\ta.py\x00-\t-\tb.png\x0010\t0\tc\td\0") == (3, 17)
    assert parse_numstat(b"") == (0, 0)
