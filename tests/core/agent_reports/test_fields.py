"""Each kind of field: what it takes, what it makes of it, and how a wrong value is shown."""

import pytest

from reknit.core.agent_reports.fields import (
    LARGEST,
    Field,
    FieldReader,
    FieldRule,
    IntegerRule,
    InvalidValue,
    OneOf,
    RelativePath,
    Text,
    show_value,
)

SECRET = "ghp_" + "a1B2" * 10
SHORT, LINE, PATH = Text(10), Text(10, shortest=0, one_line=True), RelativePath()


@pytest.mark.parametrize(
    ("rule", "value", "read"),
    [
        pytest.param(SHORT, " a\nb ", "a\nb", id="text is trimmed and keeps its lines"),
        pytest.param(LINE, "a\n b\tc", "a b c", id="one line"),
        pytest.param(LINE, "", "", id="text that may be empty"),
        pytest.param(SHORT, " \n ", InvalidValue("0 characters"), id="blanks are no text"),
        pytest.param(SHORT, "x" * 11, InvalidValue("11 characters"), id="too long"),
        pytest.param(
            SHORT, "\x1b[31mred\x1b[0m\u202e", "red", id="terminal escapes and hidden characters are left out"
        ),
        pytest.param(Text(99), f"see {SECRET}", "see [GitHub token redacted]", id="no secret gets in"),
        pytest.param(SHORT, 12, InvalidValue("12"), id="a number is no text"),
        pytest.param(PATH, "./shop//pricing.py", "shop/pricing.py", id="a path is written one way"),
        pytest.param(PATH, "a..b/c", "a..b/c", id="dots in a name"),
        pytest.param(PATH, f"x/{SECRET}", "x/[GitHub token redacted]", id="no secret in a path"),
        pytest.param(PATH, "/etc/passwd", InvalidValue("'/etc/passwd'"), id="absolute"),
        pytest.param(PATH, "a/../../b", InvalidValue("'a/../../b'"), id="upwards"),
        pytest.param(PATH, "a\\b", InvalidValue("'a\\\\b'"), id="backslash"),
        pytest.param(PATH, "a\nb", InvalidValue("'a\\nb'"), id="two lines"),
        pytest.param(PATH, "a\u200bb", InvalidValue("'ab'"), id="a hidden character"),
        pytest.param(PATH, ".", InvalidValue("'.'"), id="the top itself"),
        pytest.param(PATH, "", InvalidValue("''"), id="no path"),
        pytest.param(PATH, "x" * 1_001, InvalidValue(f"'{'x' * 40}…'"), id="a path too long"),
        pytest.param(PATH, ["a"], InvalidValue("a list"), id="a list of paths"),
        pytest.param(IntegerRule(0), 0, 0, id="an integer"),
        pytest.param(IntegerRule(0), 12.0, 12, id="an integer written as a float"),
        pytest.param(IntegerRule(0), 12.5, InvalidValue("12.5"), id="a fraction"),
        pytest.param(IntegerRule(0), float("nan"), InvalidValue("nan"), id="not a number"),
        pytest.param(IntegerRule(0), float("inf"), InvalidValue("inf"), id="infinity"),
        pytest.param(IntegerRule(0), True, InvalidValue("true"), id="a bool is no integer"),
        pytest.param(IntegerRule(0), "12", InvalidValue("'12'"), id="digits in text"),
        pytest.param(IntegerRule(0), -1, InvalidValue("-1"), id="below"),
        pytest.param(IntegerRule(1, 5), 6, InvalidValue("6"), id="above"),
        pytest.param(
            IntegerRule(0), LARGEST + 1, InvalidValue("2147483648, which is too large"), id="more than a column holds"
        ),
        pytest.param(IntegerRule(0), 10**5_000, InvalidValue("a huge number, which is too large"), id="huge"),
        pytest.param(OneOf(("a", "b")), "b", "b", id="one of the words"),
        pytest.param(OneOf(("a", "b")), "c", InvalidValue("'c'"), id="another word"),
        pytest.param(OneOf(("a", "b")), ["a"], InvalidValue("a list"), id="a list of words"),
    ],
)
def test_what_a_field_takes(rule: FieldRule[str | int], value: object, read: object) -> None:
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
    assert show_value(value) == text


@pytest.mark.parametrize(
    ("rule", "expected", "schema"),
    [
        (Text(10), "text of 1 to 10 characters", {"type": "string", "minLength": 1, "maxLength": 10}),
        (IntegerRule(0), "an integer >= 0", {"type": "integer", "minimum": 0, "maximum": LARGEST}),
        (IntegerRule(1, 5), "an integer from 1 to 5", {"type": "integer", "minimum": 1, "maximum": 5}),
        (OneOf(("a", "b")), "one of a, b", {"type": "string", "enum": ["a", "b"]}),
        (RelativePath(), RelativePath.expected, {"type": "string", "minLength": 1, "maxLength": 1_000}),
    ],
    ids=["text", "from", "between", "words", "path"],
)
def test_words_and_schema_say_the_same(rule: FieldRule[str | int], expected: str, schema: dict[str, object]) -> None:
    assert (rule.expected, rule.schema()) == (expected, schema)


def test_a_default_is_in_the_schema_and_stands_for_nothing_and_null() -> None:
    effort = Field("effort", "work", IntegerRule(1, 5), default=3)
    assert effort.schema() == {"type": "integer", "minimum": 1, "maximum": 5, "description": "work", "default": 3}
    for arguments in ({}, {"effort": None}):
        reading = FieldReader(arguments, (effort,))
        assert (reading.take(effort), reading.problems) == (3, [])


def test_every_problem_is_gathered() -> None:
    line, name = Field("line", "where", IntegerRule(1)), Field("name", "who", Text(5))
    reading = FieldReader({"line": 0, "Lines": 3, "colour": "red"}, (line, name))
    assert (reading.take(line), reading.take(name)) == (1, "")
    assert reading.problems == [
        "'Lines': unknown field, did you mean 'line'?",
        "'colour': unknown field, the fields are line, name",
        "line: expected an integer >= 1, got 0",
        "name: expected text of 1 to 5 characters, got nothing",
    ]


def test_null_for_a_required_field_is_shown_as_null() -> None:
    name = Field("name", "who", Text(5))
    reading = FieldReader({"name": None}, (name,))
    reading.take(name)
    assert reading.problems == ["name: expected text of 1 to 5 characters, got null"]
