"""Fields of a frontmatter: their text and line, what is refused, and how soon."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.text.yaml_fields import MAX_BYTES, MAX_DEPTH, NO_FIELD, Scalar, YamlField, YamlMap, read_fields


def read(text: str) -> list[YamlField]:
    return list(read_fields(text.split("\n"), 2))


def word(text: str) -> Scalar:
    return Scalar(text, is_plain=True, is_one_line=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a: b # why", word("b"), id="a word"),
        pytest.param("a: 2026-11-17", word("2026-11-17"), id="a date stays text"),
        pytest.param("a: yes", word("yes"), id="a truth value stays text"),
        pytest.param("a:", word(""), id="nothing"),
        pytest.param("a: 'it''s'", Scalar("it's", is_plain=False, is_one_line=True), id="quoted"),
        pytest.param('a: "\\u202e"', Scalar("\u202e", is_plain=False, is_one_line=True), id="an escape"),
        pytest.param("a: |\n  b", Scalar("b", is_plain=False, is_one_line=False), id="a block"),
        pytest.param("a: b\n  c", Scalar("b c", is_plain=True, is_one_line=False), id="continued"),
        pytest.param("a: [b, c]", (word("b"), word("c")), id="a list on one line"),
        pytest.param("a:\n- b\n\n# why\n- c", (word("b"), word("c")), id="a list below"),
        pytest.param("a:\n  b: c\n  d: []", YamlMap((("b", word("c")), ("d", ()))), id="a map"),
    ],
)
def test_a_value_is_its_text(text: str, value: object) -> None:
    assert read(text) == [YamlField(2, "a", value)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("a: 'b", "while scanning a quoted scalar, found unexpected end of stream", id="an open quote"),
        pytest.param("a: b: c", "mapping values are not allowed in this context", id="a colon"),
        pytest.param("a: [*b, *b]", "it has an anchor, an alias or a tag", id="an alias"),
        pytest.param("a: &b [c]", "it has an anchor, an alias or a tag", id="an anchor"),
        pytest.param("a: !!python/name:os.system x", "it has an anchor, an alias or a tag", id="a tag"),
        pytest.param("a: {b: c, b: d}", "it has `b` twice", id="a key twice"),
        pytest.param("a: {[b]: c}", "a key of it is no word", id="a list as key"),
        pytest.param("a: {? {b: c} : d}", "a key of it is no word", id="a map as key"),
        pytest.param(f"a: {'[' * 21}{']' * 21}", f"it is nested deeper than {MAX_DEPTH} levels", id="too deep"),
    ],
)
def test_a_broken_field_has_its_name_and_line(text: str, problem: str) -> None:
    broken, other = read(f"{text}\nz: 1")
    assert broken == YamlField(2, "a", None, problem)
    assert (other.line, other.name, other.value) == (3, "z", word("1"))


@pytest.mark.parametrize("text", ["oops", "? a", "{a: b}", "- a", "--- a", "%YAML 1.1", "!", "[a]: b", "  a: b", "'"])
def test_other_lines_are_no_field(text: str) -> None:
    assert read(f"{text}\nz: 1")[0] == YamlField(2, "", None, NO_FIELD)
    assert read(f"{text}\nz: 1")[-1].name == "z"


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\ud800"])
def test_characters_that_yaml_does_not_have(character: str) -> None:
    assert read(f"a: {character}") == [YamlField(2, "", None, "it has a character that YAML does not allow")]


def test_more_than_a_person_writes_is_not_read() -> None:
    problem = f"the fields are longer than {MAX_BYTES:,} bytes"
    assert read(f"a: {'é' * (MAX_BYTES // 2)}") == [YamlField(2, "", None, problem)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a,*a,*a,*a,*a,*a]\n" for n in range(900)), id="aliases"),
        pytest.param("a: " + "[" * 65_000, id="lists"),
        pytest.param("a: " + "{b: " * 16_000, id="maps"),
        pytest.param("a: " + "? " * 32_000, id="keys"),
        pytest.param("a:\n" + "".join(f"{' ' * depth}-\n" for depth in range(350)), id="lists below lists"),
        pytest.param("".join(f"k{number}: {{\n" for number in range(6_000)), id="many broken fields"),
        pytest.param("a: [" + "b," * 32_000 + "]", id="a long list"),
        pytest.param("[" * 65_000, id="no field"),
    ],
)
def test_a_bomb_is_refused_or_read_quickly(text: str) -> None:
    started = time.monotonic()
    assert len(text) <= MAX_BYTES
    read(text)
    assert time.monotonic() - started < 5


@given(st.text(alphabet=":-[]{}'\"#|&*!?% \t\r\nab\x85\u2028", max_size=200))
def test_no_text_raises(text: str) -> None:
    lines = [field.line for field in read(text)]
    assert lines == sorted(lines)
