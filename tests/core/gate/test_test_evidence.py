"""Whether a file belongs to the tests: by what base shows, not by its name."""

from dataclasses import replace

import pytest

from reknit.core.gate import test_evidence as evidence
from reknit.core.gate.base_facts import BaseFacts
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import FileChange

UNKNOWN = Scope(("checks/login.py",), "", 20, 1000, "pytest")
KNOWN = replace(UNKNOWN, facts=BaseFacts())


@pytest.mark.parametrize(
    ("path", "text", "is_test"),
    [
        ("checks/login.py", "x = 1\n", True),
        ("tests/helpers.py", "x = 1\n", True),
        ("shop/ab_test.py", "def bucket(user):\n    return user % 3\n", False),
        ("shop/tests.py", "from django.test import TestCase\nclass TestA(TestCase):\n    pass\n", True),
        ("shop/ab_test.py", "import pytest\n", True),
        ("src/commands/test.js", "module.exports = 1;\n", False),
        ("src/commands/test.js", "program.test(1);\n", False),
        ("test.js", 'const assert = require("assert");\n', True),
        ("src/a.test.ts", 'describe.each(x)("a", () => {});\n', True),
        ("a_test.go", "package shop\n", True),
        ("src/LoadTest.java", "class LoadTest {}\n", False),
        ("src/LoadTest.java", "class LoadTest { @Test void a() {} }\n", True),
        ("lib/a_test.rb", "x = 1\n", True),
        ("spec/openapi.json", "{}\n", False),
        ("spec/a.js", "exports.a = 1;\n", False),
        ("shop/price.py", "import pytest\n", False),
    ],
)
def test_code_of_tests(path: str, text: str, is_test: bool) -> None:
    assert evidence.is_test_code(FileChange(path, text.encode(), b"y"), KNOWN) is is_test
    assert evidence.is_test_code(FileChange(path, None, text.encode()), KNOWN) is is_test


def test_a_name_decides_if_nothing_is_known() -> None:
    assert evidence.is_test_code(FileChange("shop/ab_test.py", b"x = 1\n", b"y"), UNKNOWN)
    assert not evidence.is_test_code(FileChange("shop/price.py", b"x = 1\n", b"y"), UNKNOWN)


@pytest.mark.parametrize(
    ("path", "text", "are_checks"),
    [
        ("a.py", "def same(a, b):\n    assert a == b\n", True),
        ("a.py", "async def same(a, b):\n    if a != b:\n        raise AssertionError(a)\n    return\n", True),
        ("a.py", "def half(a):\n    assert a\n    return a / 2\n", False),
        ("a.py", "def half(a):\n    assert a\n    yield a / 2\n", False),
        ("a.py", "def a():\n    assert b\ndef b():\n    pass\n", False),
        ("a.py", "assert x\n", False),
        ("a.py", "def (assert", False),
        ("a.py", "x = 1\n", False),
        ("a.js", 'const assert = require("node:assert");\nmodule.exports = (a, b) => assert.equal(a, b);\n', True),
        ("a.js", 'const assert = require("assert");\nexports.f = (a) => { assert(a); return a + 1; };\n', False),
        ("A.java", "void same(int a) { if (a != 1) throw new AssertionError(a); }\n", True),
        ("A.java", "int same(int a) { if (a != 1) throw new AssertionError(a); return a; }\n", False),
        ("a.rb", "raise AssertionError\n", False),
    ],
)
def test_a_module_of_checks(path: str, text: str, are_checks: bool) -> None:
    assert evidence.holds_only_checks(path, text) is are_checks


def test_who_uses_a_file() -> None:
    scope = replace(KNOWN, started_files=("all.sh",), facts=BaseFacts(mentions={
        "t": ("tests/test_a.py", "README.md"), "c": ("conftest.py",), "s": ("all.sh",), "f": ("checks/login.py",),
        "p": ("shop/a.py", "tests/test_a.py"), "m": ("pyproject.toml",), "d": ("data/x.csv",), "self": ("x.py",),
    }))  # fmt: skip
    seen = {word: evidence.uses_of("x.py", (word,), scope) for word in ("t", "c", "s", "f", "p", "m", "d", "self")}
    assert [word for word, (by_tests, _) in seen.items() if by_tests] == ["t", "c", "s", "f", "p"]
    assert [word for word, (_, by_product) in seen.items() if by_product] == ["p", "m"]
    assert evidence.uses_of("x.py", ("t",), UNKNOWN) == (False, False)


def test_what_starts_programs_may_run_the_tests() -> None:
    assert evidence.runs_programs('require("child_process")')
    assert not evidence.runs_programs("processes = 1")
