"""Renders a Java class of assertions with the names, types and messages of those of JUnit."""

from reknit.core.languages.programs import fill, read_program

_BOXES = {
    "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float", "double": "Double",
    "char": "Character",
}  # fmt: skip
_LISTS = ("Object", "int", "long", "byte", "char", "short", "boolean", "float", "double")
_SIMPLE = {
    "assertTrue(boolean actual)": "holds(MESSAGE, true, actual);",
    "assertFalse(boolean actual)": "holds(MESSAGE, false, actual);",
    "assertNull(Object actual)": "if (actual != null) { differ(MESSAGE, null, actual); }",
    "assertNotNull(Object actual)": "holds(MESSAGE, true, actual != null);",
    "assertSame(Object expected, Object actual)": "holds(MESSAGE, true, both(expected, actual));",
    "assertNotSame(Object expected, Object actual)": "holds(MESSAGE, false, both(expected, actual));",
    "assertEquals(double expected, double actual, double delta)": "near(MESSAGE, expected, actual, delta);",
    "assertEquals(float expected, float actual, float delta)": "near(MESSAGE, expected, actual, delta);",
}


def _list_type_pairs(*, is_junit_4: bool) -> list[tuple[str, str]]:
    """Return all pairs of types that JUnit compares, so that the compiler chooses the same overload as there."""
    if is_junit_4:
        return [("Object", "Object"), ("long", "long"), ("double", "double")]
    mixed = [(one, other) for plain, box in _BOXES.items() for one in (plain, box) for other in (plain, box)]
    return [("Object", "Object"), *mixed]


def _render_methods(*, is_junit_4: bool) -> str:
    """Render each assertion with and without a message, which is first in JUnit 4."""
    texts = dict(_SIMPLE)
    for one, other in _list_type_pairs(is_junit_4=is_junit_4):
        texts[f"assertEquals({one} expected, {other} actual)"] = "same(MESSAGE, expected, actual);"
        negated = "holds(MESSAGE, false, Objects.equals(expected, actual));"
        texts[f"assertNotEquals({one} expected, {other} actual)"] = negated
    for kind in _LISTS:
        texts[f"assertArrayEquals({kind}[] expected, {kind}[] actual)"] = "list(MESSAGE, expected, actual);"
    message = "String message"
    methods = []
    for head, body in texts.items():
        head_with_message = head.replace("(", f"({message}, ") if is_junit_4 else head.replace(")", f", {message})")
        methods += [(head, fill(body, MESSAGE="null")), (head_with_message, fill(body, MESSAGE="message"))]
    return "".join(f"\n    public static void {head} {{\n        {body}\n    }}\n" for head, body in methods)


def render_assertions(*, is_junit_4: bool) -> str:
    """Return a class of assertions whose messages are those of that JUnit."""
    text = fill(read_program("java", "Checks.java"), IS_JUNIT_4=str(is_junit_4).lower())
    return f"{text.rpartition('}')[0]}{_render_methods(is_junit_4=is_junit_4)}}}\n"
