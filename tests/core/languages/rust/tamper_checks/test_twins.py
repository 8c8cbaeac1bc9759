"""Tests of reknit.core.languages.rust.tamper_checks.twins."""

import pytest

from reknit.core.languages.rust.tamper_checks.source import find_target
from reknit.core.languages.rust.tamper_checks.twins import MAX_TWINS, make_twin_edits


def _changes(body: str, attribute: str = "#[test]") -> list[tuple[str, str]]:
    text = f"{attribute}\nfn a() {{\n{body}\n}}\n"
    target = find_target("x.rs::a", {"x.rs": text})
    assert target
    return [(text[edit.start : edit.end], edit.new) for edit in make_twin_edits(target.function)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("assert_eq!(f(5), 180);", [("180", "87")], id="on-the-right"),
        pytest.param("std::assert_eq!(-4, f(5),);", [("-4", "-65")], id="negative-on-the-left"),
        pytest.param('assert_eq!(f(), 3u8, "{} is {}", 4, 5);', [("3u8", "64u8")], id="not-in-the-message"),
        pytest.param("assert_eq!(f(), Some(3));", [("3", "64")], id="wrapped"),
        pytest.param("assert_eq!(f(), vec![x, 3]);", [], id="a-list-with-a-name"),
        pytest.param("assert_eq!(f(), vec![1, 3]);", [("1", "62")], id="the-first-of-a-list"),
        pytest.param("assert_eq!(f(), &[-1, 3]);", [("-1", "-62")], id="the-first-of-a-slice"),
        pytest.param('assert_eq!(f(), "é".to_string());', [('"é"', '"another é"')], id="a-text"),
        pytest.param("assert_eq!(f(), true);", [("true", "false")], id="a-truth"),
        pytest.param("for x in y {\nassert_eq!(f(x), 3);\n}", [("3", "64")], id="in-a-loop"),
        pytest.param("unsafe { assert_eq!(f(), 3); }", [("3", "64")], id="in-an-unsafe-block"),
        pytest.param("let w = Ok(3);\nassert_eq!(f(), w);", [("3", "64")], id="a-variable"),
        pytest.param("assert!(f() == 3);", [("3", "64")], id="a-condition"),
        pytest.param("assert!(f() == 3 && g() == -1, 4);", [("3", "64"), ("-1", "-62")], id="two-conditions"),
    ],
)
def test_a_value_that_is_expected(body: str, expected: list[tuple[str, str]]) -> None:
    assert _changes(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("assert_ne!(f(), 3);", id="inequality"),
        pytest.param("if x {\nassert_eq!(f(), 3);\n}", id="inside-a-condition"),
        pytest.param("each(|x| assert_eq!(x, 3));", id="inside-a-closure"),
        pytest.param("assert!(f() == 3 || g());", id="one-of-two-conditions"),
        pytest.param("assert!(!(f() == 3));", id="not-equal"),
        pytest.param("assert!(f() == 3 + x);", id="a-sum"),
        pytest.param("assert!(f());", id="no-comparison"),
        pytest.param("assert!();", id="nothing"),
        pytest.param("assert!((f() - 3.0).abs() < 0.1);", id="a-tolerance"),
        pytest.param("assert_eq!(f(3), g(4));", id="arguments"),
        pytest.param("assert_eq!(f(), 0xff);", id="a-literal-that-has-no-other-value"),
        pytest.param("assert_eq!(f(), Money { cents: 3 });", id="a-value-of-the-project"),
        pytest.param("let n = 3;\nassert_eq!(f(n), n);", id="a-variable-that-is-an-argument-too"),
        pytest.param("let w = 3;\nlet w = 4;\nassert_eq!(f(), w);", id="a-variable-that-changes"),
        pytest.param("assert_eq!(f(), W);", id="a-constant-elsewhere"),
    ],
)
def test_where_a_mismatch_may_go_unnoticed_nothing_is_changed(body: str) -> None:
    assert _changes(body) == []


def test_a_test_that_expects_a_panic_has_no_twin() -> None:
    assert _changes("assert_eq!(f(), 3);", '#[test]\n#[should_panic(expected = "x")]') == []


def test_a_test_has_a_few_twins_each_with_one_change() -> None:
    body = "".join(f"assert_eq!(f(), {number});\n" for number in (1, 2, 3, 4, 5))
    assert _changes(body) == [("1", "62"), ("2", "63"), ("3", "64"), ("4", "65")]
    assert len(_changes(body)) == MAX_TWINS


def test_the_same_change_is_made_once() -> None:
    assert _changes("let w = 3;\nassert_eq!(f(), w);\nassert_eq!(g(), w);") == [("3", "64")]
