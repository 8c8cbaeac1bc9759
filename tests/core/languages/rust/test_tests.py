"""Tests that Rust keeps beside the code: none is removed, skipped or weakened unseen."""

from textwrap import dedent

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.languages.rust import tests as rust_tests
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")
PATH = "tests/test_auth.py"


def _change(before: str, after: str | None, path: str = PATH) -> Change:
    content = None if after is None else dedent(after).encode()
    return Change((FileChange(path, dedent(before).encode(), content),))


RUST = """\
pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        let sum = 3;
        assert_eq!(add(1, 2), 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    #[allow(unused)]
    pub async fn waits() {
        assert!(true);
    }

    #[test]
    fn short() { assert!(add(0, 0) == 0); }
}

fn after() -> i32 { 1 }

mod inner {
    #[cfg(all(test, unix))]
    mod more {
        #[test]
        fn again() { assert_eq!(super::f(), 2); }

        #[test]
        fn adds() {
            assert!(true);
        }
    }
}
"""
FURTHER = (
    "    #[test]\n    fn further() {\n        if x { return; }\n        let sum = 1;\n        assert!(sum);\n    }\n"
)


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param("a - b", "a + b", [], id="source-repaired"),
        pytest.param("{ 1 }", "{ return 2; }", [], id="source-after-the-tests"),
        pytest.param(
            "    use super::*;\n", "    use super::*;\n    use std::fmt;\n" + FURTHER, [], id="a-further-test"
        ),
        pytest.param("fn after", "#[cfg(unix)]\nfn after", [], id="source-for-one-platform"),
        pytest.param(
            "fn after", "#[cfg(test)]\nmod new {\n    fn add() {}\n}\nfn after", ["test-emptied"], id="new-add"
        ),
        pytest.param("    fn adds", "    fn _adds", ["test-removed", "test-emptied", "test-emptied"], id="renamed"),
        pytest.param("    #[test]\n", "", ["test-removed", "test-emptied", "test-emptied"], id="no-test-any-more"),
        pytest.param("    #[test]\n", "    #[test]\n    #[ignore]\n", ["test-skipped", "test-emptied"], id="ignored"),
        pytest.param("(1, 2), 3", "(1, 2), -1", ["test-emptied", "test-emptied"], id="expectation-changed"),
        pytest.param("super::f(), 2", "super::f(), 1", ["test-emptied", "test-emptied"], id="in-another-module"),
        pytest.param("cfg(test)", "cfg(any())", ["test-skipped", "test-emptied"], id="module-switched-off"),
        pytest.param("#[cfg(test)]\n", "#[cfg(any())]\n#[cfg(test)]\n", ["test-skipped"], id="switched-off-above"),
        pytest.param("#[cfg(test)]\n", "#[cfg(test)]\n#[cfg(any())]\n", ["test-skipped"], id="switched-off-below"),
        pytest.param("    use super", "    #![cfg(any())]\n    use super", ["test-skipped"], id="switched-off-inside"),
        pytest.param("pub fn", "#![cfg(not(test))]\npub fn", ["test-skipped"], id="the-file-switched-off"),
        pytest.param(
            "    #[test]\n", "    #[test]\n    #[cfg(any())]\n", ["test-skipped", "test-emptied"], id="one-switched-off"
        ),
        pytest.param("        assert_eq!", "        return;\n        assert_eq!", ["test-emptied"], id="early-return"),
        pytest.param(
            "short() { ", "short() { return; ", ["test-emptied", "test-emptied"], id="early-return-in-the-line"
        ),
        pytest.param("use super::*;", "use super::*;\n    fn add() -> i32 { 3 }", ["test-emptied"], id="its-own-add"),
        pytest.param("use super::*;", "use super::*;\n    use crate::fake::add;", ["test-emptied"], id="another-add"),
    ],
)
def test_rust_tests_beside_the_code_are_kept(old: str, new: str, rules: list[str]) -> None:
    change = _change(RUST, RUST.replace(old, new, 1), "src/lib.rs")
    found = [
        refusal.rule
        for rule in (find_removed_tests, find_skipped_tests, find_emptied_tests)
        for refusal in rule(change, SCOPE)
    ]
    assert found == rules


def test_a_condition_in_rust_source_without_tests_is_its_own() -> None:
    change = _change("fn a() {}\n", "#![cfg(unix)]\nfn a() {}\n", "src/lib.rs")
    assert list(find_skipped_tests(change, SCOPE)) == []


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        pytest.param("/*\n", "*/\n", id="block-comment"),
        pytest.param('pub const NOTES: &str = r##"\n', '"##;\n', id="string"),
        pytest.param("notes! {\n", "}\n", id="macro"),
        pytest.param("#[cfg(windows)]\nmod windows {\nuse super::*;\n", "}\n", id="outer-condition"),
        pytest.param("mod parked {\n#![cfg(any())]\n", "}\n", id="inner-condition"),
    ],
)
def test_rust_tests_that_are_switched_off_by_what_is_around_them_are_missed(head: str, tail: str) -> None:
    source, tests = (
        "pub fn f() -> i32 { 1 }\n\n",
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(f() == 1); }\n}\n",
    )
    change = _change(source + tests, source + head + tests + tail, "src/lib.rs")
    assert [*find_removed_tests(change, SCOPE), *find_skipped_tests(change, SCOPE)] != []


def test_tests_that_a_macro_makes_stay_as_they_are() -> None:
    before = "proptest! {\n    #[test]\n    fn adds(a in 0..9) { assert!(add(a, 0) == a); }\n}\n"
    rules = (find_removed_tests, find_skipped_tests, find_emptied_tests)
    added = _change(before, "use std::fmt;\nlog!(1);\n" + before, "src/lib.rs")
    assert [refusal for rule in rules for refusal in rule(added, SCOPE)] == []
    assert rust_tests.find_changed_tests(before, before.replace("== a", "== add(a, 0)")) == ["adds"]
    assert rust_tests.find_removed_tests(before, "x();\n") == ["adds"]


@pytest.mark.parametrize("spelling", ["macro_rules! assert", "macro_rules ! assert", "macro_rules! /* x */ assert"])
def test_an_assertion_of_the_tests_is_not_redefined(spelling: str) -> None:
    before = "#[test]\n// why\n#[tokio::test]\nfn a() { assert!(b()); }\n"
    macro = spelling + " {\n    ($($x:tt)*) => {};\n}\n"
    assert rust_tests.find_redefined_names(before, macro + before) == ["assert"]
    assert rust_tests.find_redefined_names(macro + before, macro + before + "fn c() {}\n") == []


@pytest.mark.parametrize(
    ("mark", "is_test"),
    [
        ("#[test]", True),
        ("#[tokio::test]", True),
        ("#[ test ]", True),
        ("#[rstest]", True),
        ("#[test_case(1)]", True),
        ("#[test::other]", False),
        ("#[tests]", False),
        ("#[inline]", False),
    ],
)
def test_what_marks_a_test(mark: str, is_test: bool) -> None:
    assert rust_tests.find_removed_tests(f"{mark}\nfn a() {{}}\n", "") == ["a"] * is_test


@pytest.mark.parametrize(
    "text",
    [
        "m! {{ {} fn a() {{}} }}",
        "m! {{ {} #[x] #[y(1)] pub async fn a() {{}} }}",
        "m! {{ #[z] {} pub fn a() {{}} }}",
        "m! {{ {} async fn a() {{}} }}",
    ],
)
def test_what_marks_a_test_in_a_macro(text: str) -> None:
    for mark in ("#[test]", "#[tokio::test]", "#[tokio::test(flavor = 1)]"):
        assert rust_tests.find_removed_tests(text.format(mark), "") == ["a"]
    assert rust_tests.find_removed_tests(text.format("#[testing]"), "") == []


def test_an_ignored_test_in_a_macro_counts() -> None:
    before = "m! { #[test] fn a() {} }\n"
    assert rust_tests.count_added_ignores(before, before.replace("#[test]", "#[test] #[ignore]")) == 1
    assert rust_tests.find_added_conditions(before, f"#[cfg(any())]\nmod b {{ {before} }}\n") == ["#[cfg(any())]"]
    assert rust_tests.find_added_conditions("#[test]\nfn a() {}\n", before) == ["m!"]


def test_a_condition_that_only_tests_meet_switches_nothing_off() -> None:
    before = "#[test]\nfn a() {}\n"
    assert rust_tests.find_added_conditions(before, f"#[cfg(test)]\nmod b {{ {before} }}\n") == []
    assert rust_tests.find_added_conditions(before, before + "#[test]\n#[cfg(unix)]\nfn b() {}\n") == []
    assert rust_tests.find_added_conditions(before, "#[cfg_attr(unix, x)]\n" + before) == ["#[cfg_attr(unix, x)]"]


MODULE = "#[cfg(test)]\nmod tests {{\n{}\n    #[test]\n    fn a() {{ check(ONE, Two); }}\n}}\n"


@pytest.mark.parametrize(
    ("item", "names"),
    [
        ("fn check() {}", ["check"]),
        ("struct Two;", ["Two"]),
        ("enum Two {}", ["Two"]),
        ("type Two = i32;", ["Two"]),
        ("const ONE: i32 = 1;", ["ONE"]),
        ("static ONE: i32 = 1;", ["ONE"]),
        ("trait Two {}", ["Two"]),
        ("mod check {}", ["check"]),
        ("macro_rules! check { () => {} }", ["check"]),
        ("use crate::fake::check;", ["check"]),
        ("use crate::fake::{check, Two};", ["Two", "check"]),
        ("use crate::fake::other as check;", ["check"]),
        ("use crate::check::other;", []),
        ("use crate::fake::check as other;", []),
        ("fn other() {}", []),
    ],
)
def test_what_tests_used_is_not_defined_anew(item: str, names: list[str]) -> None:
    assert rust_tests.find_redefined_names(MODULE.format(""), MODULE.format(item)) == names
    assert rust_tests.find_redefined_names(MODULE.format(item), MODULE.format(item)) == []


def test_lines_of_a_test_module_are_counted() -> None:
    before = MODULE.format("    const B: i32 = 1;\n    const C: i32 = 2;")
    assert rust_tests.count_lost_lines(before, before.replace("    const B: i32 = 1;\n", "")) == 1
    assert rust_tests.count_lost_lines(before, "") == 6
    assert rust_tests.count_lost_lines(before, before.replace("    ", "\t").replace("\n", "\n\n")) == 0
    assert rust_tests.count_lost_lines(before.replace("cfg(test)", "cfg(unix)"), "") == 0


def test_a_test_without_a_name_is_for_the_compiler() -> None:
    assert rust_tests.find_removed_tests("#[test]\nfn () {}\n", "") == []


def test_names_are_counted_because_two_modules_may_share_one() -> None:
    twice = "#[test]\nfn a() {}\n\n#[test]\nfn a() {}\n"
    assert rust_tests.find_removed_tests(twice, "#[test]\nfn a() {}\n") == ["a"]
    assert rust_tests.find_removed_tests("#[test]\nfn a() {}\n", twice) == []


def test_an_ignored_test_that_is_run_again_is_no_skip() -> None:
    assert rust_tests.count_added_ignores("#[test]\n#[ignore]\nfn a() {}\n", "#[test]\nfn a() {}\n") == 0
    assert rust_tests.count_added_ignores("#[test]\nfn a() {}\n", "#[test]\n#[should_panic]\nfn a() {}\n") == 1
