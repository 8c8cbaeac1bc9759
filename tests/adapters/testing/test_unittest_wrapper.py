"""The wrapper is run as it is in a box: its source with `-c`, by a Python in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from reknit.adapters.testing.boxed_command import read_source
from reknit.core.testing.junit import parse_junit
from reknit.core.testing.reported import ReportedTests

SOURCE = read_source("unittest_wrapper.py")

EVERY_RESULT = """
import unittest

class Base(unittest.TestCase):
    def test_case(self): pass
    def test_red(self): self.assertEqual(1, 2, "why <&>\\x00")
    def test_error(self): raise ValueError("oops")
    @unittest.skip("later")
    def test_off(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    @unittest.expectedFailure
    def test_surprise(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
    def test_skipped_part(self):
        with self.subTest("a"): self.skipTest("b")
    def test_red_and_skipped_parts(self):
        with self.subTest("a"): self.fail()
        with self.subTest("b"): self.skipTest("c")
    class Inner(unittest.TestCase):
        def test_deep(self): pass

Inner = Base.Inner

class NoClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no database")
    def test_never(self): pass

class Late(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise OSError("not closed")
    def test_ok(self): pass
"""
NO_MODULE = """
import unittest
def setUpModule(): raise OSError("no server")
class C(unittest.TestCase):
    def test_never(self): pass
"""
DOCTESTS = """
import doctest, unittest, shop
def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite(shop))
    return tests
"""
RUNS_UNITTEST = """
import unittest
class C(unittest.TestCase):
    def test_outer(self):
        class Inner(unittest.TestCase):
            def test_inner(self): self.fail()
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Inner)
        result = unittest.TextTestRunner(stream=open("/dev/null", "w")).run(suite)
        self.assertEqual(len(result.failures), 1)
"""
PASSING = "import unittest\nclass C(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): pass\n"
MANAGE = """
import os, sys, unittest
if __name__ == "__main__":
    assert sys.argv == ["manage.py", "test", "--noinput"], sys.argv
    suite = unittest.defaultTestLoader.discover("shop", top_level_dir=".")
    result = unittest.TextTestRunner(verbosity=1, resultclass=None).run(suite)
    sys.exit(bool(result.failures or result.errors))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").write_text("")
    return tmp_path


def _run(tree: Path, *arguments: str) -> tuple[int, ReportedTests | None]:
    report = tree / "report.xml"
    report.unlink(missing_ok=True)
    argv = (sys.executable, "-c", SOURCE, str(report), *arguments)
    done = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False)
    return done.returncode, parse_junit([report.read_bytes()]) if report.exists() else None


def test_every_result_is_counted_by_its_id(tree: Path) -> None:
    (tree / "tests" / "test_a.py").write_text(EVERY_RESULT)
    code, found = _run(tree, "unittest")
    assert found
    base = "tests/test_a.py::Base::"
    assert (code, found.results) == (
        1,
        {
            f"{base}test_case": "passed",
            f"{base}test_red": "failed",
            f"{base}test_error": "failed",
            f"{base}test_off": "skipped",
            f"{base}test_known": "skipped",
            f"{base}test_surprise": "failed",
            f"{base}test_parts": "failed",
            f"{base}test_skipped_part": "skipped",
            f"{base}test_red_and_skipped_parts": "failed",
            f"{base}Inner::test_deep": "passed",
            "tests/test_a.py::NoClass": "failed",
            "tests/test_a.py::Late": "failed",
            "tests/test_a.py::Late::test_ok": "passed",
        },
    )
    assert found.messages[f"{base}test_red"].startswith("AssertionError: 1 != 2 : why <&>?\n")
    assert "(number=1)" in found.messages[f"{base}test_parts"]
    assert found.messages["tests/test_a.py::NoClass"].startswith("OSError: no database")
    assert found.messages[f"{base}test_surprise"].startswith("unexpected success")
    assert set(found.files.values()) == {"tests/test_a.py"}


@pytest.mark.parametrize(
    ("source", "test"),
    [
        pytest.param("import nope\n", "tests/test_a.py", id="a module that cannot be loaded"),
        pytest.param(NO_MODULE, "tests/test_a.py", id="setUpModule"),
    ],
)
def test_a_module_that_fails_is_its_file(tree: Path, source: str, test: str) -> None:
    (tree / "tests" / "test_a.py").write_text(source)
    code, found = _run(tree, "unittest", "discover")
    assert found
    assert (code, found.results) == (1, {test: "failed"})
    assert _run(tree, "unittest", "discover", f"--pick={test}")[1] == found


def test_files_are_named_from_the_folder_where_the_command_runs(tree: Path) -> None:
    (tree / "unit").mkdir()
    (tree / "unit" / "test_a.py").write_text(PASSING)
    (tree / "unit" / "test_b.py").write_text("import nope\n")
    _, found = _run(tree, "unittest", "discover", "-s", "unit")
    assert found
    assert found.results == {
        "unit/test_a.py::C::test_a": "passed",
        "unit/test_a.py::C::test_b": "passed",
        "unit/test_b.py": "failed",
    }


@pytest.mark.parametrize(
    ("only", "tests"),
    [
        (["tests/test_a.py::C::test_a"], {"tests/test_a.py::C::test_a"}),
        (["tests/test_a.py::C"], {"tests/test_a.py::C::test_a", "tests/test_a.py::C::test_b"}),
        (["tests/test_b.py"], {"tests/test_b.py::C::test_a", "tests/test_b.py::C::test_b"}),
        (["tests/test_a.py::C::test_a", "tests/test_b.py::C::test_b"], None),
        (["tests/test_a.py::C::test"], set()),
    ],
)
def test_only_chosen_tests_are_run(tree: Path, only: list[str], tests: set[str] | None) -> None:
    for name in ("test_a.py", "test_b.py"):
        (tree / "tests" / name).write_text(PASSING)
    _, found = _run(tree, "unittest", "discover", *(f"--pick={test}" for test in only))
    assert found
    assert set(found.results) == (set(only) if tests is None else tests)


def test_doctests_are_named_in_the_file_that_has_them(tree: Path) -> None:
    (tree / "shop.py").write_text('def add():\n    """\n    >>> 1 + 1\n    3\n    """\n')
    (tree / "tests" / "test_a.py").write_text(DOCTESTS)
    _, found = _run(tree, "unittest")
    assert found
    assert found.results == {"shop.py::shop.add": "failed"}


def test_tests_that_run_unittest_themselves_add_nothing(tree: Path) -> None:
    (tree / "tests" / "test_a.py").write_text(RUNS_UNITTEST)
    code, found = _run(tree, "unittest")
    assert found
    assert (code, found.results) == (0, {"tests/test_a.py::C::test_outer": "passed"})


def test_a_manage_py_is_run_as_a_program(tree: Path) -> None:
    (tree / "manage.py").write_text(MANAGE)
    (tree / "shop").mkdir()
    (tree / "shop" / "__init__.py").write_text("")
    (tree / "shop" / "test_a.py").write_text(PASSING)
    code, found = _run(tree, "manage.py", "test", "--noinput", "--pick=shop/test_a.py::C::test_a")
    assert found
    assert (code, found.results) == (0, {"shop/test_a.py::C::test_a": "passed"})


@pytest.mark.parametrize("line", ["os._exit(0)", "raise KeyboardInterrupt"], ids=["dies", "is interrupted"])
def test_a_run_that_was_cut_short_leaves_no_report(tree: Path, line: str) -> None:
    (tree / "tests" / "test_a.py").write_text(f"import os\n{PASSING}    def test_c(self): {line}\n")
    _, found = _run(tree, "unittest")
    assert found is None


def test_a_forked_worker_writes_no_report(tree: Path) -> None:
    text = (
        "import os, unittest\nclass C(unittest.TestCase):\n    def test_a(self):\n        if os.fork():\n"
        "            self.assertEqual(os.wait()[1], 0)\n            self.assertFalse(os.path.exists('report.xml'))\n"
    )
    (tree / "tests" / "test_a.py").write_text(text)
    code, found = _run(tree, "unittest")
    assert found
    assert (code, found.results) == (0, {"tests/test_a.py::C::test_a": "passed"})
