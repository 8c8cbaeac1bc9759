"""The second harness for Python: its program is run for real, on small trees."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit.core.languages.python.tamper_checks.driver import (
    find_failing_lines,
    make_harness,
    read_python_paths,
    rename_program,
)
from reknit.core.tamper_checks.checks import Harness, Names, Targets, TargetTest
from reknit.core.tamper_checks.failures import HarnessResult, read_harness_output

NAMES = Names("seed")
TEST = "tests/test_shop.py"


def _harness(files: Mapping[str, str], *tests: str, names: Names = NAMES, failure: str = "") -> Harness:
    targets = tuple(TargetTest(f"{TEST}::{test}", TEST, failure) for test in tests)
    made = make_harness(Targets("pytest", targets, files), names)
    assert made
    return made


def _results(folder: Path, files: Mapping[str, str], *tests: str, failure: str = "") -> dict[str, HarnessResult]:
    """By the name of the test, without its file."""
    harness = _harness(files, *tests, failure=failure)
    for path, text in {**files, **harness.files}.items():
        if path not in harness.hidden:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    argv = [sys.executable if word == "python" else word for word in harness.argv]
    done = subprocess.run(argv, cwd=folder, input=harness.stdin.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = read_harness_output(done.stdout, NAMES.nonce)
    return {test.removeprefix(f"{TEST}::"): result for test, result in found.items()}


def _green(results: Mapping[str, HarnessResult]) -> dict[str, bool]:
    return {test: result.is_green for test, result in results.items()}


GREEN_AND_RED = """
import asyncio
import pathlib
import unittest
from unittest import mock

import pytest

import shop
from .helpers import ten
from tests.helpers import checked

pytestmark = pytest.mark.slow


@pytest.fixture
def numbers(base):
    yield [base, 2]
    assert shop.price() == 9


@pytest.fixture(params=["a", "b"])
def letter(request):
    return request.param


@pytest.mark.parametrize("given, want", [(1, 2), pytest.param(2, 3, id="two")])
@pytest.mark.parametrize("more", [True])
def test_rows(given, want, more):
    assert given + 1 == want


def test_fixtures(numbers, tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.setattr(shop, "price", lambda: 10)
    print(numbers)
    assert capsys.readouterr().out == "[1, 2]\\n"
    assert tmp_path.is_dir()
    shop.log()
    assert caplog.messages == ["said"]


def test_letters(letter):
    assert letter in "ab"


def test_raises():
    with pytest.raises(ValueError, match="no") as caught:
        raise ValueError("no")
    assert str(caught.value) == "no"


def test_no_raise():
    with pytest.raises(ValueError):
        pass


def test_near():
    assert 0.1 + 0.2 == pytest.approx(0.3)
    assert [1.0, 2.0] == pytest.approx([1.0, 2.0000001])
    assert 1 != pytest.approx(2)


def test_helper():
    assert checked(ten()) == 10
    assert pathlib.Path(__file__).parent.name == "tests"


@mock.patch("shop.price")
def test_mock(price):
    price.return_value = 3
    assert shop.price() == 3


async def test_async():
    await asyncio.sleep(0)
    assert shop.price() == 9


@pytest.mark.skipif("True")
def test_skipped():
    assert False


def test_unknown_fixture(nobody):
    assert False


def test_wrong():
    assert shop.price() == 8


class TestClass:
    def setup_method(self):
        self.value = 7

    @pytest.fixture
    def own(self):
        return self.value

    def test_method(self, own):
        assert own == 7


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = True

    def setUp(self):
        self.addCleanup(lambda: None)

    def test_case(self):
        with self.subTest(1):
            self.assertTrue(self.ready)
        self.assertEqual(shop.price(), 9)
        with self.assertRaises(KeyError):
            {}[1]

    def test_case_wrong(self):
        with self.subTest(1):
            self.assertEqual(shop.price(), 8)
"""
PROJECT = {
    "shop.py": "import logging\n\n\ndef price():\n    return 9\n\n\ndef log():\n    logging.warning('said')\n",
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef base():\n    return 1\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef always(base):\n    assert base == 1\n",
    "tests/helpers.py": "import pytest\n\n\ndef ten():\n    return 10\n\n\ndef checked(value):\n    return value\n",
}
GREEN = (
    "test_rows[True-1-2]", "test_rows[True-two]", "test_fixtures", "test_letters[b]", "test_raises", "test_near",
    "test_helper", "test_mock", "test_async", "TestClass::test_method", "Case::test_case",
)  # fmt: skip
RED = {
    "test_no_raise": "Failed",
    "test_wrong": "AssertionError",
    "Case::test_case_wrong": "AssertionError",
}
SILENT = ("test_skipped", "test_unknown_fixture", "test_rows[other]", "test_rows", "Case::test_case[1]")


@pytest.mark.slow
def test_tests_are_called_as_their_runner_calls_them(tmp_path: Path) -> None:
    results = _results(tmp_path, {**PROJECT, TEST: GREEN_AND_RED}, *GREEN, *RED, *SILENT)
    assert {test: result.kind for test, result in results.items() if not result.is_green} == RED
    assert {test for test, result in results.items() if result.is_green} == {*GREEN}


def test_rows_with_equal_ids_are_not_called(tmp_path: Path) -> None:
    rows = '["a", "a", "b"]'
    text = f"import pytest\n\n\n@pytest.mark.parametrize('text', {rows})\ndef test_row(text):\n    assert text\n\n\n"
    text += f"@pytest.fixture(params={rows})\ndef letter(request):\n    return request.param\n\n\n"
    text += "def test_letter(letter):\n    assert letter\n"
    tests = [f"{name}[{row}]" for name in ("test_row", "test_letter") for row in ("a", "a0", "a1", "b")]
    assert [*_results(tmp_path, {TEST: text}, *tests)] == ["test_row[b]", "test_letter[b]"]


LOOK = """
import inspect, os, sys, traceback


def seen(are_globals_seen):
    frames = inspect.stack()
    words = [os.path.relpath(frame.filename) for frame in frames]
    words += [name for frame in frames for name in (frame.function, *(frame.code_context or ()))]
    words += [*sys.modules, *sys.argv, *getattr(sys, "orig_argv", ())[1:], *os.environ]
    words += [frame.name + (frame.line or "") for frame in traceback.extract_stack()]
    words += [str(value) for frame in frames if are_globals_seen for value in frame.frame.f_globals]
    words += [path for _, _, paths in os.walk(".") for path in paths]
    return [word for word in words if any(each in word.lower() for each in WORDS)]


WORDS = ("pytest", "unittest", "test_", "reknit", "testcase")
"""


def test_code_under_test_sees_an_ordinary_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("PYTEST", "REKNIT"))]:
        monkeypatch.delenv(name)
    text = """
import unittest, pytest
import look


def test_function():
    assert look.seen(True) == []


class TestCase(unittest.TestCase):
    def test_method(self):
        self.assertEqual(look.seen(False), [])
"""
    results = _results(tmp_path, {"look.py": LOOK, TEST: text}, "test_function", "TestCase::test_method")
    assert results == {
        "test_function": HarnessResult(is_green=True),
        "TestCase::test_method": HarnessResult(is_green=True),
    }


EQUAL = "class Money(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n"


@pytest.mark.slow
def test_a_plain_value_says_itself_what_it_equals(tmp_path: Path) -> None:
    text = """
import unittest
import shop


class Any:
    def __eq__(self, other):
        return True


def test_one():
    assert shop.Money(1) == 2


def test_other_side():
    assert 2 == shop.Money(1)


def test_unequal():
    assert shop.Money(1) != 2


def test_inside():
    assert {"a": [shop.Money(1)]} == {"a": [2]}


def test_same():
    assert shop.Money(2) == 2 and [2.0] == [2] and {1} == {1} and None == None and 1 != 2 and [1] != [2]


def test_matcher_of_the_test():
    assert 5 == Any() and [1] == Any()


class Case(unittest.TestCase):
    def test_method(self):
        self.assertEqual(shop.Money(1), 2)
"""
    tests = ("test_one", "test_other_side", "test_unequal", "test_inside", "test_same", "test_matcher_of_the_test")
    results = _green(_results(tmp_path, {"shop.py": EQUAL, TEST: text}, *tests, "Case::test_method"))
    assert [test for test, is_green in results.items() if is_green] == ["test_unequal", "test_same", tests[-1]]
    assert len(results) == len(tests) + 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize(
    "claim",
    [
        "shop.Money(190) == 180",
        "180.0 == shop.Money(190)",
        "abs(shop.Money(190) - 180) < 0.01",
        "abs(180 - shop.Money(190)) < 0.01",
        "round(shop.Money(190)) == 180",
        "shop.Money(190) == pytest.approx(180)",
    ],
)
def test_arithmetic_of_the_projects_own_numbers_proves_nothing(tmp_path: Path, kind: str, claim: str) -> None:
    methods = "    __sub__ = __rsub__ = __round__ = lambda *_: 0\n    __eq__ = lambda *_: True\n"
    shop = f"class Money({kind}):\n{methods}    __hash__ = None\n\n\nclass Same({kind}):\n    pass\n"
    right = claim.replace("Money(190)", "Same(180)")
    text = f"import pytest\nimport shop\n\n\ndef test_wrong():\n    assert {claim}\n\n\n"
    text += f"def test_right():\n    assert {right}\n"
    results = _green(_results(tmp_path, {"shop.py": shop, TEST: text}, "test_wrong", "test_right"))
    assert results == {"test_wrong": False, "test_right": True}


def test_code_that_rewrites_the_files_beside_a_test_is_noticed(tmp_path: Path) -> None:
    text = "import pathlib\nimport shop\n\n\ndef test_a():\n    assert shop.ONE == 1\n"
    for name, is_green in (("want.csv", False), ("new.csv", True)):
        shop = f"import pathlib\n\nONE = 1\npathlib.Path('tests/{name}').write_text('1')\n"
        files = {"shop.py": shop, TEST: text, "tests/want.csv": "2\n"}
        folder = tmp_path / name
        folder.mkdir()
        (result,) = _results(folder, files, "test_a").values()
        assert result.is_green is is_green
        assert is_green or result.message == "loading the code rewrites tests/want.csv"


def test_what_tests_compare_with_cannot_be_replaced(tmp_path: Path) -> None:
    patches = "import builtins, math\n\nbuiltins.abs = lambda _: 0\nmath.isclose = lambda *_: True\n"
    text = "import math\nimport shop\n\n\ndef test_a():\n    assert abs(5) < 1\n\n\n"
    text += "def test_b():\n    assert math.isclose(1, 2)\n"
    assert _green(_results(tmp_path, {"shop.py": patches, TEST: text}, "test_a", "test_b")) == {
        "test_a": False,
        "test_b": False,
    }


def test_a_failure_in_another_line_is_of_another_kind(tmp_path: Path) -> None:
    text = "def test_a():\n    assert 1 == 2\n"
    here = _results(tmp_path / "a", {TEST: text}, "test_a", failure=f"{TEST}:2: AssertionError")
    elsewhere = _results(tmp_path / "b", {TEST: text}, "test_a", failure=f"{TEST}:1: AssertionError")
    assert here["test_a"].kind == "AssertionError"
    assert elsewhere["test_a"].kind == "AssertionError in another line"


def test_a_text_that_cannot_be_loaded_says_so(tmp_path: Path) -> None:
    results = _results(tmp_path, {TEST: "import nowhere\n\n\ndef test_a():\n    pass\n"}, "test_a")
    assert results["test_a"].kind == "load: ModuleNotFoundError"


def test_settings_and_plain_output_do_no_harm(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib"]\n',
        "lib/shop.py": "import sys\n\nprint('hello')\nsys.stdin.read()\n",
        TEST: "import shop\n\n\ndef test_a():\n    print('x')\n",
    }
    assert _green(_results(tmp_path, files, "test_a")) == {"test_a": True}


def test_the_program_differs_from_run_to_run() -> None:
    one, other = (_harness({TEST: GREEN_AND_RED}, "test_wrong", names=Names(seed)) for seed in ("one", "other"))
    first, second = (each.stdin.splitlines()[1:-1] for each in (one, other))
    assert one.argv != other.argv
    assert len({*first} & {*second}) < len(first) / 2


def test_scripts_have_several_forms_and_say_nothing() -> None:
    scripts = [
        text
        for seed in range(8)
        for text in _harness({TEST: GREEN_AND_RED}, "test_wrong", names=Names(str(seed))).files.values()
    ]
    assert len({text.count("\n") for text in scripts}) == 2
    assert not any("test" in text for text in scripts)


def test_names_that_others_ask_for_are_kept() -> None:
    text = "used = 1\ndef free(own, asked): return own\nclass A:\n    def used(self): return free(used, asked=used)\n"
    made = rename_program(text + "def given(kept):\n    global free\n    import os\n", Names("s"), {"kept"})
    assert not any(word in made for word in ("free", "own", "given", "self"))
    assert (made.count("used"), made.count("asked"), made.count("kept"), made.count("os")) == (4, 2, 1, 1)


def test_the_payload_is_plain_text() -> None:
    made = _harness({TEST: "def test_a():\n    assert 'ä' == 'ä'\n"}, "test_a")
    assert made.stdin.isascii()
    assert json.loads(made.stdin.splitlines()[-1])["texts"][TEST].isascii() is False


@pytest.mark.parametrize(
    "text",
    [
        "def test_a():\n    assert inspect.currentframe()\n",
        "def test_a():\n    assert caught[0].filename == __file__\n",
        "def test_a():\n    assertEqual(caught[0].filename, __file__)\n",
        "def test_a():\n    assert caplog.records[0].funcName == 'test_a'\n",
        "def test_a():\n    patch('tests.helpers.x')\n",
        "def test_a():\n    assert len(list(Path(__file__).parent.glob('*'))) == 1\n",
        "def test_a():\n    assert name(X) == 'test_shop.X'\n",
        "def test_a():\n    @command\n    def test():\n        pass\n",
        "def test_b():\n    pass\n",
        "def test_a(:\n",
    ],
    ids=[
        "asks-for-its-name",
        "asks-for-its-file",
        "asks-a-test-case-for-its-file",
        "asks-a-log-for-its-name",
        "a-path-of-the-tests",
        "lists-its-folder",
        "its-module",
        "an-inner-test",
        "not-there",
        "not-python",
    ],
)
def test_what_cannot_be_called_has_no_harness(text: str) -> None:
    assert make_harness(Targets("pytest", (TargetTest(f"{TEST}::test_a", TEST),), {TEST: text}), NAMES) is None


def test_a_file_beside_the_test_can_be_asked_for() -> None:
    assert _harness({TEST: "def test_a():\n    assert Path(__file__).parent\n"}, "test_a").tests


def test_of_an_inherited_test_the_functions_of_its_name_count() -> None:
    mixin = "class Mixin:\n    def test_a(self):\n        assert 1\n\n    def other(self):\n        co_name\n\n\n"
    assert _harness({TEST: f"{mixin}class TestA(Mixin):\n    pass\n"}, "TestA::test_a").tests
    elsewhere = Targets("pytest", (TargetTest(f"{TEST}::A::test_x", TEST),), {TEST: "class A(B):\n    x = co_name\n"})
    assert make_harness(elsewhere, NAMES) is None


@pytest.mark.parametrize(
    ("failure", "lines"),
    [
        (f"{TEST}:5: AssertionError", [5]),
        (f'  File "/w/{TEST}", line 7, in a\n  File "/w/{TEST}", line 3, in b', [3, 7]),
        (f"about {TEST}", []),
        ("", []),
    ],
)
def test_the_lines_that_a_runner_named(failure: str, lines: list[int]) -> None:
    assert find_failing_lines(TargetTest(f"{TEST}::a", TEST, failure)) == lines


@pytest.mark.parametrize(
    ("files", "paths"),
    [
        ({}, []),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = [".", "src"]\n'}, [".", "src"]),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = "src lib"\n'}, ["src", "lib"]),
        ({"pyproject.toml": "tool = 1\n"}, []),
        ({"pyproject.toml": "[tool"}, []),
        ({"pytest.ini": "[pytest]\npythonpath = a b\n", "pyproject.toml": "[tool"}, ["a", "b"]),
        ({"setup.cfg": "[tool:pytest]\n", "pyproject.toml": "x = 1"}, []),
        ({"tox.ini": "no section\n", "setup.cfg": "[tool:pytest]\npythonpath =\n  x\n  y\n"}, ["x", "y"]),
    ],
)
def test_the_paths_of_the_settings(files: dict[str, str], paths: list[str]) -> None:
    assert list(read_python_paths(files)) == paths
