"""What tools print for people is told from what they print for programs."""

import pytest

from reknit.core.issues.formats.plain_text import is_text, printed_by


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        pytest.param("F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n", "ruff", id="ruff"),
        pytest.param("a.py:1:8: F401 [*] `os` imported but unused\n", "ruff", id="ruff, concise"),
        pytest.param("a.py:1:8: E501 Line too long\nFound 1 error.\n", "ruff", id="ruff, nothing can be fixed"),
        pytest.param("All checks passed!\n", "ruff", id="ruff, clean"),
        pytest.param("a.py:2: error: Incompatible types in assignment  [assignment]\r\n", "mypy", id="mypy"),
        pytest.param("Success: no issues found in 1 source file\n", "mypy", id="mypy, clean"),
        pytest.param("Found 1 error in 1 file (errors prevented further checking)\n", "mypy", id="mypy, stopped"),
        pytest.param("\n/a/b.js\n  1:5  error  'x' is unused  no-unused-vars\n", "eslint", id="eslint"),
        pytest.param("✖ 3 problems (3 errors, 0 warnings)\n", "eslint", id="eslint, its end"),
        pytest.param("  /a/b.py:1:8 - error: Import could not be resolved\n", "pyright", id="pyright"),
        pytest.param("==== FAILURES ====\n", "pytest", id="pytest"),
        pytest.param("a.py:1:8: F401 'os' imported but unused\n", "", id="flake8, which nobody here reads"),
        pytest.param("Killed\n", "", id="nobody"),
    ],
)
def test_a_text_is_somebodys(text: str, tool: str) -> None:
    assert printed_by(text.encode(), b"")[0] == tool
    assert printed_by(b"x" * 5000, b"\n" + text.encode())[0] == tool


def test_each_has_the_option_that_it_needs() -> None:
    assert printed_by(b"All checks passed!\n", b"") == ("ruff", "--output-format json")
    assert printed_by(b"", b"") == ("", "")


@pytest.mark.parametrize(
    ("head", "expected"),
    [(b" \n{", False), (b"[", False), (b"<a", False), (b"", False), (b"\0<", False), (b"mypy: ", True)],
)
def test_a_text_begins_as_no_format_does(head: bytes, expected: bool) -> None:
    assert is_text(head) is expected
