"""A test file that only gained tests is as it was; anything else may change what its tests say."""

import pytest

from reknit.core.gate.code_change import list_code_paths, only_adds_tests
from reknit.core.repository.change import Change, FileChange

PY = '''"""Prices."""
import pytest
from shop.price import discount, total

RATE = 2


@pytest.fixture
def basket():
    return [1, 2]


def helper(x):
    return x


class TestTotal:
    size = 1

    def test_total(self, basket):
        assert total(basket) == 3


def test_discount():
    assert discount(200, 10) == 180


if __name__ == "__main__":
    pytest.main()
'''
NEW = "\n\ndef test_more():\n    assert discount(50, 50) == 25\n"


def test_nothing_at_all_is_no_change() -> None:
    assert only_adds_tests("a_test.py", PY, PY)


@pytest.mark.parametrize(
    "added",
    [
        pytest.param(NEW, id="a test"),
        pytest.param(NEW.replace("def", "async def"), id="an asynchronous test"),
        pytest.param("\n\n# why\ndef _make(n=3):\n    return n\n" + NEW, id="a private function for it"),
        pytest.param("\n\nclass TestMore:\n    '''More.'''\n\n    def test_a(self):\n        assert 1\n", id="a class"),
        pytest.param(
            "\nimport unittest\nclass MoreTest(unittest.TestCase):\n    def test_a(self):\n        assert 1\n",
            id="a case",
        ),
        pytest.param("\nimport decimal\nfrom shop.tax import vat as tax\n" + NEW, id="imports of new names"),
        pytest.param(
            "\n@pytest.mark.parametrize('a', [(1, 2), pytest.param(3, id='x')])\ndef test_n(a):\n    assert a\n",
            id="parameters",
        ),
    ],
)
def test_tests_may_be_added_to_python(added: str) -> None:
    assert only_adds_tests("tests/test_a.py", PY, PY + added)
    assert only_adds_tests("tests/test_a.py", PY, PY.replace("\n\nif __name__", f"{added}\n\nif __name__"))
    crlf = [text.replace("\n", "\r\n") for text in (PY, PY + added)]
    assert only_adds_tests("tests/test_a.py", *crlf)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("discount, total", "discount, rebate, total", id="one more name is imported"),
        pytest.param("import pytest\n", "import os\nimport pytest\n", id="an import in its place"),
        pytest.param(
            "== 3\n", "== 3\n\n    def test_none(self):\n        assert total([]) == 0\n", id="a class gains a test"
        ),
        pytest.param('"""Prices."""\n', '# -*- coding: utf-8 -*-\n"""Prices."""\n', id="a comment"),
        pytest.param("\n\nif __name__", "\n\n# The end.\nif __name__", id="another comment"),
    ],
)
def test_what_else_may_be_added_to_python(old: str, new: str) -> None:
    assert only_adds_tests("tests/test_a.py", PY, PY.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("== 180", "== 190", id="another expectation"),
        pytest.param(
            "    assert discount(200, 10) == 180\n", "    return\n    assert discount(200, 10) == 180\n", id="a return"
        ),
        pytest.param("def test_discount", "@pytest.mark.skip\ndef test_discount", id="a skip"),
        pytest.param("class TestTotal:", "@pytest.mark.skip\nclass TestTotal:", id="a skipped class"),
        pytest.param("class TestTotal:", "class TestTotal(Base):", id="another base"),
        pytest.param("    size = 1\n", "    size = 2\n", id="another member"),
        pytest.param("    size = 1\n", "    size = 1\n    __test__ = False\n", id="a member that is no test"),
        pytest.param(
            "    size = 1\n", "    size = 1\n\n    def setup_method(self):\n        pass\n", id="a hook of the class"
        ),
        pytest.param("    size = 1\n", "    size = 1\n\n    def _run(self):\n        pass\n", id="a private method"),
        pytest.param("    size = 1\n", "    size = 1\n    import os\n", id="an import in a class"),
        pytest.param(
            "    size = 1\n", "    size = 1\n\n    def test_total(self):\n        pass\n", id="a test of the same name"
        ),
        pytest.param("    return x\n", "    return None\n", id="another helper"),
        pytest.param("@pytest.fixture\n", "@pytest.fixture(autouse=True)\n", id="another fixture"),
        pytest.param("discount, total", "total, discount", id="another order of imports"),
        pytest.param("discount, total", "discount", id="an import less"),
        pytest.param("from shop.price", "from shop.other", id="another origin"),
        pytest.param("import pytest\n", "from __future__ import annotations\nimport pytest\n", id="another language"),
        pytest.param("import pytest\n", "import pytest\nfrom evil import *\n", id="all names"),
        pytest.param("import pytest\n", "import pytest\nfrom evil import helper\n", id="an import over a helper"),
        pytest.param("import pytest\n", "import pytest\nimport evil as total\n", id="an import over an import"),
        pytest.param(PY[-30:], PY[-30:] + "\npytestmark = pytest.mark.skip\n", id="a mark of the module"),
        pytest.param(PY[-30:], PY[-30:] + "\npytest_plugins = ['evil']\n", id="a plugin"),
        pytest.param(PY[-30:], PY[-30:] + "\ntotal = len\n", id="an assignment"),
        pytest.param(PY[-30:], PY[-30:] + "\nimport shop.price\nshop.price.total = len\n", id="an effect"),
        pytest.param(PY[-30:], PY[-30:] + "\ndel helper\n", id="a deletion"),
        pytest.param(PY[-30:], PY[-30:] + "\n'PYTEST_DONT_REWRITE'\n", id="a constant"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef setup_module():\n    pass\n", id="a hook"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef pytest_runtest_call():\n    pass\n", id="a hook of pytest"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef __getattr__(name):\n    pass\n", id="a hook of Python"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef helper(x):\n    return 1\n", id="a second helper"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef test_discount():\n    pass\n", id="a second test"),
        pytest.param(
            PY[-30:], PY[-30:] + "\nclass TestTotal:\n    def test_x(self):\n        pass\n", id="a second class"
        ),
        pytest.param(PY[-30:], PY[-30:] + "\n@pytest.fixture\ndef test_f():\n    pass\n", id="a fixture"),
        pytest.param(
            PY[-30:], PY[-30:] + "\n@pytest.fixture(autouse=True)\ndef _f():\n    pass\n", id="an automatic fixture"
        ),
        pytest.param(PY[-30:], PY[-30:] + "\ndef test_x(a=evil()):\n    pass\n", id="a default that runs"),
        pytest.param(PY[-30:], PY[-30:] + "\ndef test_x() -> evil():\n    pass\n", id="an annotation that runs"),
        pytest.param(
            PY[-30:],
            PY[-30:] + "\n@pytest.mark.parametrize('a', [evil()])\ndef test_x(a):\n    pass\n",
            id="a value that runs",
        ),
        pytest.param(
            PY[-30:],
            PY[-30:] + "\n@pytest.mark.skipif((total := 1), reason='')\ndef test_x():\n    pass\n",
            id="a name in a mark",
        ),
        pytest.param(PY[-30:], PY[-30:] + "\ndef test_x():\n    global RATE\n    RATE = 1\n", id="a global"),
        pytest.param(
            PY[-30:], PY[-30:] + "\nclass TestX(Base):\n    def test_x(self):\n        pass\n", id="a class with a base"
        ),
        pytest.param(
            PY[-30:],
            PY[-30:] + "\nclass TestX(metaclass=M):\n    def test_x(self):\n        pass\n",
            id="a class with a metaclass",
        ),
        pytest.param(
            PY[-30:], PY[-30:] + "\n@evil\nclass TestX:\n    def test_x(self):\n        pass\n", id="a decorated class"
        ),
        pytest.param(PY[-30:], PY[-30:] + "\nclass TestX:\n    evil()\n", id="a class that runs something"),
        pytest.param(PY[-30:], PY[-30:] + "\nif True:\n    def test_x():\n        pass\n", id="a condition"),
        pytest.param('"""Prices."""\n', '# coding: utf-7\n"""Prices."""\n', id="another encoding"),
        pytest.param('"""Prices."""\n', '"""Prices."""\rimport evil; evil.run()\n', id="a line end that few see"),
        pytest.param("def test_discount", "def (test_discount", id="no Python any more"),
        pytest.param("RATE = 2\n", "", id="a statement less"),
        pytest.param("RATE = 2\n", "RATE = 2; total = len\n", id="a second statement in a line"),
        pytest.param("Prices", "\ufffd", id="bytes that are no text"),
    ],
)
def test_all_else_in_python_stays(old: str, new: str) -> None:
    assert old in PY
    assert not only_adds_tests("tests/test_a.py", PY, PY.replace(old, new, 1))


def test_a_class_that_may_have_tests_of_its_base_gains_none() -> None:
    before = "class TestA(Base):\n    def test_a(self):\n        pass\n"
    assert only_adds_tests("test_a.py", before, before)
    assert not only_adds_tests("test_a.py", before, before + "\n    def test_b(self):\n        pass\n")
    one_line = "class TestA: x = 1\n"
    assert not only_adds_tests("test_a.py", one_line, one_line.replace("x = 1", "x = 2"))


def test_names_that_nobody_sees_could_be_replaced() -> None:
    before = "from base import *\n\n\ndef test_a():\n    pass\n"
    assert not only_adds_tests("test_a.py", before, before + NEW)


BRACES = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "php",
    "kt", "swift", "scala", "css",
]  # fmt: skip


def changes_code(path: str, before: str | None, after: str | None, mode: int = 0o100644) -> bool:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return bool(list_code_paths(Change((FileChange(path, old, new, 0o100644, mode),))))


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
