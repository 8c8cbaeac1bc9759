"""Parts of a JSON text: where they are, and the text with one more or one less."""

import json

import pytest

from reknit.core.hook.json_spans import Container, InvalidJsonError, JsonText


def at(text: str, *, comments: bool = False) -> tuple[JsonText, Container]:
    document = JsonText(text, comments=comments)
    found = document.find_container(document.start, text[document.start])
    assert found is not None
    return document, found


@pytest.mark.parametrize(
    "text", ['{"a": [1, "x,]}"], "b" : {} ,"c":null}', '\n{ "a":\n1\n}\n', "[]", " [1 , [2, 3] ] "]
)
def test_every_part_is_found_at_its_place(text: str) -> None:
    document, container = at(text)
    value = json.loads(text)
    keys = list(value) if isinstance(value, dict) else [""] * len(value)
    values = list(value.values()) if isinstance(value, dict) else value
    assert [part.key for part in container.parts] == keys
    assert [json.loads(text[part.value : part.end]) for part in container.parts] == values
    assert [document.read_value(part.value) for part in container.parts] == values
    assert (text[container.first - 1], text[container.last]) in [("{", "}"), ("[", "]")]


def test_something_else_is_no_container() -> None:
    document = JsonText("[1]")
    assert document.find_container(0, "{") is None
    assert document.find_container(1, "[") is None


def test_of_two_members_the_last_counts() -> None:
    document, container = at('{"a": 1, "a": 2}')
    part = container.find_member("a")
    assert part is not None
    assert document.read_value(part.value) == 2
    assert container.find_member("b") is None


@pytest.mark.parametrize(
    ("text", "index", "left"),
    [
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[\n  1 ,\n\n  2\n]", 1, "[\n  1 \n]"),
        ("[1]", 0, "[]"),
        ("[1 ]", 0, "[ ]"),
        ("[ 1 ]", 0, "[]"),
        ("[ /* a */ 1 // b\n]", 0, "[ /* a */  // b\n]"),
        ("[1 /* a */, /* b */ 2]", 0, "[ /* a *//* b */ 2]"),
        ("[1, // a\n 2 // b\n]", 1, "[1 // a // b\n]"),
    ],
)
def test_a_part_is_removed_with_its_comma(text: str, index: int, left: str) -> None:
    document, container = at(text, comments="/" in text)
    assert document.remove(container, container.parts[index]) == left
    JsonText(left, comments=True)


def test_comments_are_whitespace_only_outside_strings_and_only_if_allowed() -> None:
    text = '// a "\n{"a": "// \\" /*", /* { "b": 1 */ "c": 1}\r\n// end'
    document, container = at(text, comments=True)
    assert [part.key for part in container.parts] == ["a", "c"]
    assert not document.is_alone(container, container.parts[0])
    with pytest.raises(InvalidJsonError):
        JsonText(text)
    for wrong in ('{"a": 1 /* never closed', '{"a": "never closed', "/"):
        with pytest.raises(InvalidJsonError):
            JsonText(wrong, comments=True)


def test_a_problem_has_its_line() -> None:
    with pytest.raises(InvalidJsonError, match="delimiter") as problem:
        JsonText('{"a": /* one\ntwo */ 1\n"b": 2}', comments=True)
    assert problem.value.line == 3


@pytest.mark.slow
def test_a_large_file_takes_no_time() -> None:
    """Quadratic work would take minutes, and the test's time limit."""
    members = {f"key {number}": ["// x"] * 10 for number in range(20_000)}
    document, container = at(json.dumps(members, indent=2), comments=True)
    del members["key 19999"]
    assert document.remove(container, container.parts[-1]) == json.dumps(members, indent=2)
