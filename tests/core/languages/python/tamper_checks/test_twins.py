"""Copies of a test with one expected value far away."""

import ast

import pytest

from reknit.core.languages.python.tamper_checks.syntax import Function
from reknit.core.languages.python.tamper_checks.twins import MAX_TWINS, change_value, make_twins


def _function(body: str, head: str = "") -> Function:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    node = ast.parse(f"{head}def test_a(self, want=1):\n{lines}\n").body[0]
    assert isinstance(node, Function)
    return node


def _bodies(body: str, head: str = "") -> list[str]:
    found = make_twins(_function(body, head))
    return [ast.unparse(ast.Module(twin.function.body, [])) for twin in found if not twin.is_near]


@pytest.mark.parametrize(
    ("body", "twin"),
    [
        pytest.param("assert f(200) == 180", "assert f(200) == 1549", id="a-number"),
        pytest.param("assert 180 == f(200)", "assert 1549 == f(200)", id="on-the-left"),
        pytest.param("assert f() == 'ab'", "assert f() == 'abbax'", id="a-text"),
        pytest.param("assert f() == b'a'", "assert f() == b'ax'", id="bytes"),
        pytest.param("assert f() is True", "assert f() is False", id="a-truth"),
        pytest.param("assert f() == -5", "assert f() == -1024", id="a-negative-number"),
        pytest.param("assert f() == [1]", "assert f() == [1012]", id="in-a-list"),
        pytest.param("assert f() == {1: (2,)}", "assert f() == {1: (1015,)}", id="a-value-of-a-dictionary"),
        pytest.param("self.assertEqual(f(1), 2)", "self.assertEqual(f(1), 1015)", id="unittest"),
        pytest.param("self.assertEqual(2, f(1), 'why')", "self.assertEqual(1015, f(1), 'why')", id="with-a-message"),
        pytest.param(
            "for x in (1, 2):\n    assert f(x) == 2", "for x in (1, 2):\n    assert f(x) == 1015", id="a-loop"
        ),
        pytest.param(
            "def g():\n    return 1\nassert g() == 1", "def g():\n    return 1\nassert g() == 1012", id="helper"
        ),
    ],
)
def test_the_expected_value_is_changed(body: str, twin: str) -> None:
    assert _bodies(body) == [twin]


@pytest.mark.parametrize(
    ("body", "twin"),
    [
        pytest.param("assert f() == approx(1)", "assert not f() == approx(1)", id="a-tolerance"),
        pytest.param("assert round(f(), 1) == 2", "assert not round(f(), 1) == 2", id="rounding"),
        pytest.param("assert abs(f() - 180) < 5", "assert not abs(f() - 180) < 5", id="a-span"),
        pytest.param("assert f(1) == g(2)", "assert not f(1) == g(2)", id="both-sides-are-computed"),
        pytest.param("assert f(1)", "assert not f(1)", id="a-condition"),
        pytest.param("assert a == b == 2", "assert not a == b == 2", id="a-chain"),
        pytest.param("assert f() == {1}", "assert not f() == {1}", id="a-set"),
        pytest.param("assert f() == None", "assert not f() == None", id="nothing-is-far-from-none"),
        pytest.param("self.assertTrue(f())", "self.assertFalse(f())", id="the-opposite-method"),
        pytest.param("self.assertIn(f(), (1, 2))", "self.assertNotIn(f(), (1, 2))", id="the-opposite-of-in"),
    ],
)
def test_otherwise_the_condition_is_negated(body: str, twin: str) -> None:
    assert _bodies(body) == [twin]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("with raises(E):\n    assert f(1) == 2", id="inside-with"),
        pytest.param("if x:\n    assert f(1) == 2", id="in-a-branch"),
        pytest.param("for x in y:\n    assert f(x) == 2", id="a-loop-that-may-be-empty"),
        pytest.param("for x in ():\n    assert f(x) == 2", id="a-loop-that-is-empty"),
        pytest.param("if x:\n    return\nassert f(1) == 2", id="after-a-return"),
        pytest.param("try:\n    f()\nexcept E:\n    pass\nassert f(1) == 2", id="after-a-handler"),
        pytest.param("for x in (1, 2):\n    if x:\n        continue\n    assert f(x) == 2", id="a-loop-that-goes-on"),
        pytest.param("self.assertAlmostEqual(f(), 2)", id="almost-equal"),
        pytest.param("self.assertEqual(1)", id="nothing-to-compare"),
        pytest.param("assert True", id="a-constant"),
        pytest.param("f(1)\nx = 2", id="no-check-at-all"),
    ],
)
def test_what_may_never_run_has_no_twin(body: str) -> None:
    assert [body for body in _bodies(body) if "assertNotEqual" not in body] == []


def test_there_are_a_few_each_with_one_change() -> None:
    found = _bodies("assert f() == [1, 2]\nassert g() == 3\nassert h() == 4")
    assert len(found) == MAX_TWINS
    assert found[0] == "assert f() == [1012, 2]\nassert g() == 3\nassert h() == 4"
    assert found[2] == "assert f() == [1, 2]\nassert g() == 1018\nassert h() == 4"


@pytest.mark.parametrize(
    ("body", "near"),
    [
        ("assert f() == 180", ["assert f() == 179"]),
        ("assert f() == 1", ["assert f() == 2"]),
        ("assert f() == 'a'\nassert g() == [True, 5, 6]", ["assert f() == 'a'\nassert g() == [True, 4, 6]"]),
        ("assert f() == 1.5", []),
        ("assert f() is True", []),
        ("assert round(f()) == 2", []),
    ],
)
def test_one_expects_the_next_whole_number(body: str, near: list[str]) -> None:
    found = [twin for twin in make_twins(_function(body)) if twin.is_near]
    assert [ast.unparse(ast.Module(twin.function.body, [])) for twin in found] == near


ROWS = "@pytest.mark.parametrize({names}, {rows}{more})\n"


def _head(names: str, rows: str, more: str = "") -> str:
    return ROWS.format(names=names, rows=rows, more=more)


@pytest.mark.parametrize(
    ("head", "changed"),
    [
        (_head("'p, want'", "[(200, 180), (50, 25)]"), _head("'p, want'", "[(200, 1549)]", ", ids=['first']")),
        (
            _head("('p', 'want')", "((200, 180),)", ", ids=str"),
            _head("('p', 'want')", "((200, 1549),)", ", ids=['first']"),
        ),
        (_head("'want'", "[180]"), _head("'want'", "[1549]", ", ids=['first']")),
        (
            _head("'p, want'", "[pytest.param(2, 180, id='x')]"),
            _head("'p, want'", "[pytest.param(2, 1549)]", ", ids=['first']"),
        ),
    ],
    ids=["rows", "tuples-with-ids", "one-column", "a-row-with-an-id"],
)
def test_the_column_that_is_only_compared_is_changed_in_the_first_row(head: str, changed: str) -> None:
    found = make_twins(_function("assert f(1) == want", head))
    assert [twin.parameters for twin in found] == ["[first]"]
    assert f"@{ast.unparse(found[0].function.decorator_list[0])}\n" == changed


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param(_head("'want'", "[180]"), "assert f(want) == want", id="also-an-input"),
        pytest.param(_head("'want'", "ROWS"), "assert f(1) == want", id="rows-made-elsewhere"),
        pytest.param(_head("'want'", "[]"), "assert f(1) == want", id="no-row"),
        pytest.param(_head("NAMES", "[1]"), "assert f(1) == want", id="names-made-elsewhere"),
        pytest.param(_head("'p, want'", "[make()]"), "assert f(1) == want", id="a-row-made-elsewhere"),
        pytest.param(_head("'p, want'", "[row]"), "assert f(1) == want", id="a-row-by-name"),
        pytest.param(_head("'want'", "[pytest.param(1, marks=m)]"), "assert f(1) == want", id="a-row-with-marks"),
        pytest.param(_head("'want'", "[1]") * 2, "assert f(1) == want", id="two-of-them"),
        pytest.param("@pytest.mark.parametrize('want')\n", "assert f(1) == want", id="no-rows-at-all"),
        pytest.param(_head("'want'", "[1]"), "assert f(1) == approx(want)", id="within-a-tolerance"),
    ],
)
def test_other_rows_are_left_alone(head: str, body: str) -> None:
    assert [twin.parameters for twin in make_twins(_function(body, head))] == [None]  # the negated condition


@pytest.mark.parametrize("value", [0, 1, 0.5, -7, 1j, "", "a", b"", True])
def test_far_is_far(value: object) -> None:
    assert change_value(value) != value


def test_nothing_is_far_from_none() -> None:
    assert change_value(None) is None
