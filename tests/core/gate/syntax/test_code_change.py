"""Which changes touch code, in each language that is read, and in those that are not."""

import pytest

from reknit.core.gate.syntax.code_change import code_paths
from reknit.core.repository.change import Change, FileChange

BRACES = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "php",
    "kt", "swift", "scala", "css",
]  # fmt: skip


def changes_code(path: str, before: str | None, after: str | None, mode: int = 0o100644) -> bool:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return bool(code_paths(Change((FileChange(path, old, new, 0o100644, mode),))))


@pytest.mark.parametrize("ending", BRACES)
@pytest.mark.parametrize("start", ["", "// é, 上\n"])
def test_comments_and_blanks_are_no_code(ending: str, start: str) -> None:
    php = "<?php " if ending == "php" else ""
    code = "a { color: red }" if ending == "css" else "int total = sum(1, 2);"
    start = start.replace("// é, 上", "/* é, 上 */")
    before = f"{php}{start}{code}\n"
    assert not changes_code(f"a.{ending}", before, f"{php}{start}/* better now */\n\n  {code}   \n")
    assert not changes_code(f"A.{ending.upper()}", f"{before}/* old */\n", before)
    assert changes_code(f"a.{ending}", before, before.replace("red", "blue").replace("1", "3"))
    assert changes_code(f"a.{ending}", before, f"{php}{start}/* {code} */\n")


@pytest.mark.parametrize(
    ("path", "before", "after", "is_code"),
    [
        pytest.param("a.py", "x = 1\n", "# done\nx  =  1  # fixed\n\n", False, id="python, a comment"),
        pytest.param("a.py", "x = (1,\n 2)\n", "x = (1, 2)\n", False, id="python, reformatted"),
        pytest.param("a.py", "x = 1\n", "x = 2\n", True, id="python, code"),
        pytest.param("a.py", "if a:\n  b()\nc()\n", "if a:\n  b()\n  c()\n", True, id="python, indented"),
        pytest.param("a.py", "def f(): pass\n", 'def f():\n    """Do."""\n', True, id="python, a docstring"),
        pytest.param("a.py", "def (\n", "def ( # x\n", True, id="python that cannot be read"),
        pytest.param("a.rb", "x = 1\n", "# fixed\nx = 1\n", False, id="ruby"),
        pytest.param("a.js", 'x = "// a"\n', 'x = "// b"\n', True, id="what only looks like a comment"),
        pytest.param("a.yml", "a:\n  b: 1\n", "a:\n  b: 1  \n\n", False, id="unknown, blanks at the end"),
        pytest.param("a.yml", "a:\n  b: 1\n", "a:\nb: 1\n", True, id="unknown, blanks that may mean something"),
        pytest.param("README.md", "# Shop\n", "# The shop\n", True, id="what may be a comment elsewhere"),
        pytest.param("a.py", None, "# new\n", True, id="a new file"),
        pytest.param("a.py", "# old\n", None, True, id="a removed file"),
    ],
)
def test_what_is_code(path: str, before: str | None, after: str | None, is_code: bool) -> None:
    assert changes_code(path, before, after) == is_code


def test_a_mode_is_more_than_a_comment() -> None:
    assert changes_code("a.py", "x = 1\n", "x = 1\n", 0o100755)
