"""Tests of reknit.core.languages.go.tamper_checks.twins."""

import pytest

from reknit.core.languages.go.tamper_checks.source import find_functions, parse_package
from reknit.core.languages.go.tamper_checks.twins import MAX_TWINS, make_twin_edits

TABLE = """
	for _, tt := range []struct {
		name     string
		in, want int
	}{
		{"a", 1, 2},
		{name: "b", in: 3, want: 100},
		{name: "c", want: limit},
		{},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := f(tt.in); got != tt.want {
				t.Errorf("got %d", got)
			}
		})
	}
"""


def _changes(body: str) -> list[list[tuple[str, str]]]:
    """Old and new text of each edit of each twin."""
    text = f"package shop\n\nfunc TestA(t *testing.T) {{\n{body}\n}}\n"
    (file,) = parse_package(".", {"a_test.go": text})
    ((_, function),) = find_functions(file)
    return [[(text[edit.start : edit.end], edit.new) for edit in edits] for edits in make_twin_edits(function)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("if got := f(5); got != 180 {\nt.Fatal(7)\n}", [("180", "87")], id="the-usual-comparison"),
        pytest.param("if -1 != f() {\nt.Error()\n}", [("-1", "-62")], id="a-negative-number-on-the-left"),
        pytest.param('if (f() != "x") {\npanic(1)\n}', [('"x"', '"another x"')], id="in-parentheses"),
        pytest.param("if err != nil || f() != 2.5 {\nt.Fail()\n}", [("2.5", "63.5")], id="one-of-two-conditions"),
        pytest.param("for range x {\nif f() != true {\nt.Fatal()\n}\n}", [("true", "false")], id="in-a-loop"),
        pytest.param("want := 3\nif f() != want {\nt.Fatal()\n}", [("3", "64")], id="a-variable"),
        pytest.param("var want = 3\nif f() != want {\nt.Fatal()\n}", [("3", "64")], id="a-declared-variable"),
        pytest.param("const want = 3\nif f() != want {\nt.Fatal()\n}", [("3", "64")], id="a-constant"),
        pytest.param(
            "if !reflect.DeepEqual(f(), []int{1, 2}) {\nt.Fatal()\n}", [("1", "62")], id="a-list-that-is-expected"
        ),
        pytest.param(
            'want := map[string]int{"a": x, "b": 2}\nif !reflect.DeepEqual(f(), want) {\nt.Fatal()\n}',
            [("2", "63")],
            id="a-value-of-a-map-not-its-key",
        ),
        pytest.param('assert.Equal(t, 5, f(), "words")', [("5", "66")], id="an-assertion"),
        pytest.param('check.Equal(f(), "x", "words")', [('"x"', '"another x"')], id="an-assertion-of-an-object"),
        pytest.param(TABLE, [("2", "63"), ("100", "47")], id="all-rows-of-a-table"),
    ],
)
def test_a_value_that_is_expected(body: str, expected: list[tuple[str, str]]) -> None:
    assert _changes(body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if f() == 3 {\nt.Fatal()\n}", id="equality-is-a-failure"),
        pytest.param("if f() != 3 {\nx = 1\n}", id="nothing-is-reported"),
        pytest.param("if ok && f() != 3 {\nt.Fatal()\n}", id="only-if-something-else-holds"),
        pytest.param("if ok {\nif f() != 3 {\nt.Fatal()\n}\n}", id="inside-another-condition"),
        pytest.param("go func() {\nif f() != 3 {\nt.Fatal()\n}\n}()", id="beside-the-test"),
        pytest.param("each(func() {\nif f() != 3 {\nt.Fatal()\n}\n})", id="in-a-function-that-may-not-be-called"),
        pytest.param("if math.Abs(f()-3) > 0.1 {\nt.Fatal()\n}", id="a-tolerance"),
        pytest.param("if f() != 0x3 {\nt.Fatal()\n}", id="a-literal-that-has-no-other-value"),
        pytest.param("if f() != g() {\nt.Fatal()\n}", id="no-literal"),
        pytest.param("if !ok {\nt.Fatal()\n}", id="a-truth-without-comparison"),
        pytest.param("if !near(f(), 3) {\nt.Fatal()\n}", id="a-comparison-of-the-project"),
        pytest.param("if ok {\nt.Fatal()\n}", id="no-comparison"),
        pytest.param("want := 3\nwant = 4\nif f() != want {\nt.Fatal()\n}", id="a-variable-that-changes"),
        pytest.param("a, want := 3, 4\nif f() != want {\nt.Fatal()\n}", id="two-variables-at-once"),
        pytest.param("var want int\nif f() != want {\nt.Fatal()\n}", id="a-variable-without-value"),
        pytest.param("want := g()\nif f() != want {\nt.Fatal()\n}", id="a-variable-of-a-call"),
        pytest.param("if !reflect.DeepEqual(f(), []int{}) {\nt.Fatal()\n}", id="an-empty-list"),
        pytest.param("x := assert.Equal(t, 3, f())", id="an-assertion-whose-result-is-used"),
        pytest.param('assert.Equal(t, want, f(), "words")', id="words-of-an-assertion"),
        pytest.param("check(f(), 3)", id="a-function-of-the-project"),
        pytest.param("for _, tt := range cases {\nif f() != tt.want {\nt.Fatal()\n}\n}", id="a-table-elsewhere"),
        pytest.param("for _, x := range y {\nif f() != tt.want {\nt.Fatal()\n}\n}", id="not-a-row"),
        pytest.param(
            "rows := load()\nfor _, tt := range rows {\nif f() != tt.want {\nt.Fatal()\n}\n}", id="a-table-that-is-read"
        ),
        pytest.param("n := 3\nif f(n) != n {\nt.Fatal()\n}", id="a-variable-that-is-an-argument-too"),
        pytest.param(
            "for _, tt := range []struct{ in int }{{3}} {\nif f(tt.in) != tt.in {\nt.Fatal()\n}\n}",
            id="a-field-that-is-an-argument-too",
        ),
        pytest.param("for {\nif f() != a.b.c {\nt.Fatal()\n}\n}", id="a-field-of-something-else"),
    ],
)
def test_where_a_mismatch_may_go_unnoticed_nothing_is_changed(body: str) -> None:
    assert _changes(body) == []


def test_a_table_may_have_a_name_and_rows_of_a_declared_type() -> None:
    rows = 'rows := []row{\n{name: "a", want: 2},\n{"b", 3},\n}\nvar other = 1\n'
    loop = "for _, tt := range rows {\nassert.Equal(t, tt.want, f())\n}"
    assert _changes(rows + loop) == [[("2", "63")]]


def test_rows_may_have_keys() -> None:
    rows = 'for name, tt := range map[string]struct{ want int }{"a": {want: 2}, "b": {3}} {\n'
    assert _changes(rows + "if f(name) != tt.want {\nt.Fatal()\n}\n}") == [[("2", "63"), ("3", "64")]]


def test_a_test_has_a_few_twins_each_with_one_change() -> None:
    body = "".join(f"if f() != {number} {{\nt.Fatal()\n}}\n" for number in (1, 2, 3, 4, 5))
    assert _changes(body) == [[("1", "62")], [("2", "63")], [("3", "64")], [("4", "65")]]
    assert len(_changes(body)) == MAX_TWINS


def test_the_same_change_is_made_once() -> None:
    body = "want := 3\nif f() != want {\nt.Fatal()\n}\nif g() != want {\nt.Fatal()\n}"
    assert _changes(body) == [[("3", "64")]]
