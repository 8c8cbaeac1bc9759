"""Each kind of field: what it takes, what it makes of it, and how a wrong value is shown."""

import pytest

from reknit.core.agent_reports.fields import (
    LARGEST,
    Field,
    OneOf,
    Reading,
    RelativePath,
    Rule,
    Text,
    Whole,
    Wrong,
    shown,
)

SECRET = "ghp_" + "a1B2" * 10
SHORT, LINE, PATH = Text(10), Text(10, shortest=0, one_line=True), RelativePath()


@pytest.mark.parametrize(
    ("rule", "value", "read"),
    [
        pytest.param(SHORT, " a\nb ", "a\nb", id="text is trimmed and keeps its lines"),
        pytest.param(LINE, "a\n b\tc", "a b c", id="one line"),
        pytest.param(LINE, "", "", id="text that may be empty"),
        pytest.param(SHORT, " \n ", Wrong("0 characters"), id="blanks are no text"),
        pytest.param(SHORT, "x" * 11, Wrong("11 characters"), id="too long"),
        pytest.param(
            SHORT, "\x1b[31mred\x1b[0m\u202e", "red", id="terminal escapes and hidden characters are left out"
        ),
        pytest.param(Text(99), f"see {SECRET}", "see [GitHub token redacted]", id="no secret gets in"),
        pytest.param(SHORT, 12, Wrong("12"), id="a number is no text"),
        pytest.param(PATH, "./shop//pricing.py", "shop/pricing.py", id="a path is written one way"),
        pytest.param(PATH, "a..b/c", "a..b/c", id="dots in a name"),
        pytest.param(PATH, f"x/{SECRET}", "x/[GitHub token redacted]", id="no secret in a path"),
        pytest.param(PATH, "/etc/passwd", Wrong("'/etc/passwd'"), id="absolute"),
        pytest.param(PATH, "a/../../b", Wrong("'a/../../b'"), id="upwards"),
        pytest.param(PATH, "a\\b", Wrong("'a\\\\b'"), id="backslash"),
        pytest.param(PATH, "a\nb", Wrong("'a\\nb'"), id="two lines"),
        pytest.param(PATH, "a\u200bb", Wrong("'ab'"), id="a hidden character"),
        pytest.param(PATH, ".", Wrong("'.'"), id="the top itself"),
        pytest.param(PATH, "", Wrong("''"), id="no path"),
        pytest.param(PATH, "x" * 1_001, Wrong(f"'{'x' * 40}…'"), id="a path too long"),
        pytest.param(PATH, ["a"], Wrong("a list"), id="a list of paths"),
        pytest.param(Whole(0), 0, 0, id="an integer"),
        pytest.param(Whole(0), 12.0, 12, id="an integer written as a float"),
        pytest.param(Whole(0), 12.5, Wrong("12.5"), id="a fraction"),
        pytest.param(Whole(0), float("nan"), Wrong("nan"), id="not a number"),
        pytest.param(Whole(0), float("inf"), Wrong("inf"), id="infinity"),
        pytest.param(Whole(0), True, Wrong("true"), id="a bool is no integer"),
        pytest.param(Whole(0), "12", Wrong("'12'"), id="digits in text"),
        pytest.param(Whole(0), -1, Wrong("-1"), id="below"),
        pytest.param(Whole(1, 5), 6, Wrong("6"), id="above"),
        pytest.param(Whole(0), LARGEST + 1, Wrong("2147483648, which is too large"), id="more than a column holds"),
        pytest.param(Whole(0), 10**5_000, Wrong("a huge number, which is too large"), id="huge"),
        pytest.param(OneOf(("a", "b")), "b", "b", id="one of the words"),
        pytest.param(OneOf(("a", "b")), "c", Wrong("'c'"), id="another word"),
        pytest.param(OneOf(("a", "b")), ["a"], Wrong("a list"), id="a list of words"),
    ],
)
def test_what_a_field_takes(rule: Rule[str | int], value: object, read: object) -> None:
    got = rule.read(value)
    assert (got, type(got)) == (read, type(read))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (False, "false"),
        (1.5, "1.5"),
        ([], "a list"),
        ({}, "an object"),
        ("it's", '"it\'s"'),
        (SECRET, "'[GitHub token redacted]'"),
        (-(10**20), "a huge number"),
    ],
    ids=repr,
)
def test_how_a_wrong_value_is_shown(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("rule", "expected", "schema"),
    [
        (Text(10), "text of 1 to 10 characters", {"type": "string", "minLength": 1, "maxLength": 10}),
        (Whole(0), "an integer >= 0", {"type": "integer", "minimum": 0, "maximum": LARGEST}),
        (Whole(1, 5), "an integer from 1 to 5", {"type": "integer", "minimum": 1, "maximum": 5}),
        (OneOf(("a", "b")), "one of a, b", {"type": "string", "enum": ["a", "b"]}),
        (RelativePath(), RelativePath.expected, {"type": "string", "minLength": 1, "maxLength": 1_000}),
    ],
    ids=["text", "from", "between", "words", "path"],
)
def test_words_and_schema_say_the_same(rule: Rule[str | int], expected: str, schema: dict[str, object]) -> None:
    assert (rule.expected, rule.schema()) == (expected, schema)


def test_a_default_is_in_the_schema_and_stands_for_nothing_and_null() -> None:
    effort = Field("effort", "work", Whole(1, 5), default=3)
    assert effort.schema() == {"type": "integer", "minimum": 1, "maximum": 5, "description": "work", "default": 3}
    for arguments in ({}, {"effort": None}):
        reading = Reading(arguments, (effort,))
        assert (reading.take(effort), reading.problems) == (3, [])


def test_every_problem_is_gathered() -> None:
    line, name = Field("line", "where", Whole(1)), Field("name", "who", Text(5))
    reading = Reading({"line": 0, "Lines": 3, "colour": "red"}, (line, name))
    assert (reading.take(line), reading.take(name)) == (1, "")
    assert reading.problems == [
        "'Lines': unknown field, did you mean 'line'?",
        "'colour': unknown field, the fields are line, name",
        "line: expected an integer >= 1, got 0",
        "name: expected text of 1 to 5 characters, got nothing",
    ]


def test_null_for_a_required_field_is_shown_as_null() -> None:
    name = Field("name", "who", Text(5))
    reading = Reading({"name": None}, (name,))
    reading.take(name)
    assert reading.problems == ["name: expected text of 1 to 5 characters, got null"]
