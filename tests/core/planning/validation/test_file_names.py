"""Words that look like paths, and files of well-known names."""

import pytest

from reknit.core.planning.validation.file_names import (
    find_tracked_path,
    find_usual_name,
    find_usual_path,
    is_file_name,
    is_path,
    may_be_a_plain_word,
)

TOP = ("src", "docs", "and")


@pytest.mark.parametrize(
    ("word", "quoted", "expected"),
    [
        ("a.py", False, True), ("STATE.md", False, True), (".gitignore", False, True), (".env.example", False, True),
        ("*.md", False, True), ("[id].tsx", False, True), ("+page.svelte", False, True), ("types.d.ts", False, True),
        ("a.PY", False, True), ("Makefile", False, True), ("Dockerfile", False, True), ("go.mod", False, True),
        ("src/a", False, True), ("src/", False, True), ("internal/supervisor/", False, True),
        (".github/x", False, True),
        ("other/a.py", False, True), ("./other/a.py", False, True), ("../a", False, True), ("~/a", False, True),
        ("/etc/passwd", False, True), ("/srv/a.py", False, True), ("lib/thing", True, True), ("and/x", False, True),
        ("/users", False, False), ("/", False, False), ("lib/thing", False, False),
        ("or/not", True, False), ("CI/CD", True, False), ("application/json", True, False),
        ("origin/main", True, False),
        ("feature/login/", True, False), ("@scope/package", True, False), ("read/write", False, False),
        ("1.6.0", False, False), ("v1.2", False, False), ("docs/v1.2.md", False, True), ("1.2.md", False, True),
        ("1.6.0-rc.1", False, False), ("docs/0030-plans.md", False, True), ("3.14", False, False),
        ("2.0b1", False, False),
        ("e.g", False, False), ("i.e", False, False), ("Node.js", False, False), ("Vue.js", False, False),
        (".NET", False, False), ("ASP.NET", False, False), ("example.com", False, False), ("crates.io", False, False),
        ("https://a.com/b.md", False, False), ("www.a.com/b.md", False, False), ("GitHub.com/a/b.md", False, False),
        ("src.old/b.md", False, True), ("app/a.py", False, True), ("dev/a.py", False, True),
        ("os.path.join", False, False), ("console.log", False, False), ("process.env", False, False),
        ("json.Decoder", False, False), ("word", False, False), ("a.", False, False), ("...", False, False),
        ("{a}.py", False, False), ("$HOME/a.py", False, False), ("x=a.py", False, False), ("", False, False),
        ("README", False, False),
    ],
)  # fmt: skip
def test_a_word_is_a_path_or_is_not(word: str, quoted: bool, expected: bool) -> None:
    assert is_path(word, TOP, quoted=quoted) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.py", True),
        (".py", False),
        (".editorconfig", True),
        ("a.tar.gz", False),
        ("a", False),
        ("1.0", False),
        ("d3.js", False),
        ("0030-plans.md", True),
        ("1.0.0-beta", False),
    ],
)
def test_a_file_has_an_extension_that_people_know(name: str, expected: bool) -> None:
    assert is_file_name(name) is expected


@pytest.mark.parametrize(
    ("word", "key", "usual"),
    [
        ("CHANGELOG", "changelog", "CHANGELOG.md"),
        ("changelog", "changelog", "CHANGELOG.md"),
        ("Readme", "readme", "README.md"),
        ("LICENSE", "license", "LICENSE"),
        ("CODEOWNERS", "codeowners", ".github/CODEOWNERS"),
        ("SECURITY", "security", "SECURITY.md"),
        ("dependabot.yml", "dependabot.yml", ".github/dependabot.yml"),
        ("dependabot.yaml", "dependabot.yaml", ".github/dependabot.yml"),
        ("FUNDING.yml", "funding.yml", ".github/FUNDING.yml"),
        ("license", "", ""),
        ("security", "", ""),
        ("Security", "", ""),
        ("CHANGELOG.md", "", ""),
        ("STATE", "", ""),
        ("", "", ""),
    ],
)
def test_a_usual_name_has_a_usual_path(word: str, key: str, usual: str) -> None:
    assert find_usual_name(word) == key
    if key:
        assert find_usual_path(key) == usual


@pytest.mark.parametrize(
    ("key", "tracked", "expected"),
    [
        ("changelog", ["CHANGELOG.md"], "CHANGELOG.md"),
        ("changelog", ["changelog.rst"], "changelog.rst"),
        ("changelog", ["docs/CHANGELOG.md"], "docs/CHANGELOG.md"),
        ("changelog", ["HISTORY.md"], "HISTORY.md"),
        ("changelog", ["HISTORY.md", "CHANGES.rst", "docs/changelog.md"], "docs/changelog.md"),
        ("changelog", ["src/changelog.py", "pkg/CHANGELOG.md"], ""),
        ("license", ["COPYING"], "COPYING"),
        ("codeowners", ["CODEOWNERS", ".github/CODEOWNERS"], ".github/CODEOWNERS"),
        ("codeowners", ["docs/CODEOWNERS"], "docs/CODEOWNERS"),
        ("dependabot.yml", [".github/dependabot.yaml"], ".github/dependabot.yaml"),
        ("readme", [], ""),
    ],
)
def test_a_usual_file_is_found_where_it_may_be(key: str, tracked: list[str], expected: str) -> None:
    assert find_tracked_path(key, {path.lower(): path for path in tracked}) == expected


def test_some_names_are_words_as_well() -> None:
    assert may_be_a_plain_word("SECURITY")
    assert not may_be_a_plain_word("CHANGELOG")
