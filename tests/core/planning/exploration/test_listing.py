"""Extensions and the files near the top, from the bytes that git prints."""

from reknit.core.planning.exploration.listing import MOST_LANGUAGES, Listing


def listing(*paths: str | bytes) -> Listing:
    return Listing(b"".join((path if isinstance(path, bytes) else path.encode()) + b"\0" for path in paths))


def test_files_are_counted_by_extension() -> None:
    found = listing(
        "a.py", "src/b.PY", "src/c.d/e.py", ".gitignore", "src/.env", "Makefile", "x.tar.gz", "no.", "src.d/file",
        "größe.ts", b"\xff.go", "c.so.6", "a.ünicode", f"a.{'x' * 13}", ".a.b",
    ).languages()  # fmt: skip
    assert found == ((".6", 1), (".b", 1), (".go", 1), (".gz", 1), (".py", 3), (".ts", 1))


def test_a_long_list_is_counted_whole() -> None:
    paths = [f"some/folder/file{number}.{'py' if number % 3 else 'ts'}" for number in range(9_000)]
    assert listing(*paths, ".env").languages() == ((".py", 6_000), (".ts", 3_000))


def test_only_the_most_frequent_extensions_are_listed() -> None:
    paths = [f"{number}.x{number}" for number in range(MOST_LANGUAGES + 5)]
    found = listing(*paths, "b.zzz", "c.zzz").languages()
    assert len(found) == MOST_LANGUAGES
    assert found[-1] == (".zzz", 2)


def test_paths_at_the_top_and_in_known_folders_are_near() -> None:
    found = listing(
        ".claude/settings.json", ".github/workflows/ci.yml", b"docs/\xff.md", "docs/\u202e.md", "docs/\n.md",
        "docs/a/b.md", "docs/ü.md", "docsx/a.md",
        "README.md", "src/docs/a.md", "z",
    ).near_the_top()  # fmt: skip
    assert found == (
        ".claude/settings.json", ".github/workflows/ci.yml", "README.md", "docs/a/b.md", "docs/ü.md", "z"
    )  # fmt: skip


def test_folders_are_passed_over_in_whatever_order_their_names_are() -> None:
    paths = [
        f"{folder}/{number}.py" for folder in ("a", "a-b", "docs-x", "docs", "docs.d", "e") for number in range(40)
    ]
    paths = sorted([*paths, "a.md", "a-b.md", "docs.md", "f", "docs/x/y.md"], key=str.encode)
    found = listing(*paths).near_the_top()
    assert {*found} == {path for path in paths if "/" not in path or path.startswith("docs/")}


def test_a_repository_without_files_has_neither() -> None:
    assert (listing().languages(), listing().near_the_top()) == ((), ())
