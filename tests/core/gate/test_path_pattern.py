from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.gate.path_pattern import check_pattern, is_exact_path, is_visible, matches
from tests.tools.work import quickly


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        pytest.param("package-lock.json", "package-lock.json", True, id="a path stands for itself"),
        pytest.param("package-lock.json", "web/package-lock.json", False, id="and not for the same name elsewhere"),
        pytest.param("web", "web/package.json", False, id="a folder does not stand for what is below it"),
        pytest.param("web/**", "web/a/b.json", True, id="two stars stand for any number of folders"),
        pytest.param("web/**", "web/b.json", True, id="also for none"),
        pytest.param("web/**", "web", False, id="but something is below the folder"),
        pytest.param("web/**", "webs/b.json", False, id="the folder is named exactly"),
        pytest.param("**/go.sum", "go.sum", True, id="two stars in front stand for no folder too"),
        pytest.param("**/go.sum", "a/b/go.sum", True, id="two stars in front"),
        pytest.param("a/**/c/**/e", "a/b/c/c/d/e", True, id="two stars twice"),
        pytest.param("a/**/c/**/e", "a/b/d/e", False, id="what is between them must be there"),
        pytest.param("a/**/b", "a", False, id="the end must be there"),
        pytest.param("*.lock", "uv.lock", True, id="a star stands for part of a name"),
        pytest.param("*.lock", "a/uv.lock", False, id="a star does not stand for a slash"),
        pytest.param("a*b*c", "aXbYc", True, id="two stars in one name"),
        pytest.param("a*b*c", "aXcYc", False, id="the part between them is missing"),
        pytest.param("a*a", "a", False, id="a star needs room for both sides"),
        pytest.param("a*b", "Xb", False, id="the beginning differs"),
        pytest.param("a*b", "aX", False, id="the end differs"),
        pytest.param("v?.txt", "v1.txt", True, id="a question mark stands for one character"),
        pytest.param("v?.txt", "v12.txt", False, id="for exactly one"),
        pytest.param("pages/[id].tsx", "pages/[id].tsx", True, id="brackets stand for themselves"),
        pytest.param("pages/[id].tsx", "pages/i.tsx", False, id="and not for a choice"),
        pytest.param("README.md", "readme.md", False, id="case differs"),
        pytest.param("caf\u00e9.json", "cafe\u0301.json", False, id="composed and decomposed characters differ"),
        pytest.param("a.json", "a.json\n", False, id="nothing may follow"),
        pytest.param("a/**/b/**/c", "a/b/c", True, id="two stars stand for nothing, twice"),
        pytest.param("a/**/b/c/**/d", "a/b/c/d", True, id="several names between them"),
        pytest.param("a/**/b/**/b", "a/b", False, id="one name does not stand for two"),
        pytest.param("a*b*b", "ab", False, id="nor one character"),
        pytest.param("a**b", "ab", True, id="a star stands for nothing too"),
        pytest.param("a*b*c*d", "aXbcYd", True, id="three stars in one name"),
        pytest.param("a*c*b*d", "aXbcYd", False, id="and in their order"),
        pytest.param("a?", "a", False, id="a question mark stands for something"),
    ],
)
def test_what_a_pattern_stands_for(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


@pytest.mark.parametrize(
    ("why", "texts"),
    [
        ("expected a path of 1 to 300", ("", "./", "x" * 301)),
        ("is absolute", ("/etc/passwd", "C:/x", "C:\\x", "z:/x")),
        ("is a folder", ("web/",)),
        ("an empty part", ("a/../b", "../a", "a/..", "./../a", "a//b", "a/./b", "././a")),
        ("a backslash or a character", ("a\\b", "a\u202eb", "a\nb", "a\tb", "a\0b")),
        ("begins or ends with a space", (" a", "a ")),
        ("for whole folders", ("docs**", "a/b**/c")),
        ("stands for every file", ("**", "*", "**/*", "*/*", "**/*.*", "?")),
    ],
)
def test_what_names_no_file_or_every_file_is_refused(why: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        with pytest.raises(ValueError, match=why):
            check_pattern(text)
    assert check_pattern("x" * 300)


def test_a_leading_dot_and_slash_are_dropped_and_nothing_else_is_changed() -> None:
    assert check_pattern("./.github/Workflows/*.yml") == ".github/Workflows/*.yml"


def test_everything_can_be_named_only_where_that_is_harmless() -> None:
    assert matches(check_pattern("**", may_be_everything=True), "a/b")
    with pytest.raises(ValueError, match="every file"):
        check_pattern("**/*", may_be_everything=True)


@given(st.text("ab*?", min_size=1, max_size=8).filter(lambda text: "**" not in text), st.text("ab", max_size=8))
def test_within_one_name_it_agrees_with_the_shell(pattern: str, name: str) -> None:
    assert matches(pattern, name) is fnmatchcase(name, pattern)


def test_a_hostile_path_takes_no_time() -> None:
    with quickly():
        assert not matches("/".join(["**", "a"] * 70), "/".join(["a"] * 2_000 + ["b"]))
        assert not matches("*a" * 140, "a" * 4_000 + "b")


@given(st.text("ab*?/. \\\n\u202e", max_size=8), st.text("ab*?/. \\\n\u202e", max_size=8))
def test_a_path_that_names_one_file_stands_for_no_other(path: str, other: str) -> None:
    assert not is_exact_path(path) or matches(check_pattern(path), other) is (path == other)


def test_a_name_that_a_person_cannot_see_is_known_as_such() -> None:
    assert is_visible("docs/caf\u00e9 [1].md")
    assert not any(map(is_visible, ("a\nb", "a\tb", "a\u202eb", "a\x1bb", "a\u3164b")))
