"""Whether a file belongs to the tests: by what base shows, not by its name."""

from dataclasses import replace

import pytest

from reknit.core.gate import test_evidence as evidence
from reknit.core.gate.scope import BaseFacts, Scope
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


JS = ("a.js", "a.jsx", "a.mjs", "a.cjs", "a.ts", "a.tsx", "a.mts", "a.cts")


@pytest.mark.parametrize(
    ("path", "line", "names"),
    [
        *(
            ("a.py", line, "pytest _pytest unittest unittest2 hypothesis nose nose2 hamcrest assertpy testtools ward")
            for line in ("import {}", "  from {}.x import y")
        ),
        *(
            (path, line, "node:test vitest @jest/globals jest mocha chai expect @testing-library/react ava tap tape")
            for path in JS
            for line in ("import x from '{}'", 'x = require("{}")')
        ),
        *(("a.js", line, "@playwright/test cypress") for line in ("import('{}')", "import '{}'")),
        ("a.go", '\t"{}"', "testing github.com/stretchr/testify/assert"),
        *(
            ("A.java", line, "org.junit junit org.testng org.assertj org.hamcrest org.mockito")
            for line in ("import {}.x;", "import static {}.x;")
        ),
    ],
)
def test_every_test_library_is_known(path: str, line: str, names: str) -> None:
    for name in names.split():
        assert evidence.imports_a_test_library(path, f"x\n{line.format(name)}\n"), name
        assert not evidence.imports_a_test_library(path, f"x\n{line.format('my' + name)}\n"), name
        assert not evidence.imports_a_test_library("a.txt", f"x\n{line.format(name)}\n"), name


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("a.py", ("def test_a(): ...", "    async def test_a(): ...", "class TestA: ...")),
        *(
            (path, ("it('a')", "  test.only('a')", "describe.skip.each('a')", "suite('a')", "specify('a')"))
            for path in JS
        ),
        ("a.js", ("require('assert')", "import a from 'node:assert/strict'")),
        ("A.java", ("@Test void a()", "@ParameterizedTest", "extends TestCase {", "throw new AssertionError()")),
        ("a.go", ("package a",)),
        ("a.rb", ("anything",)),
    ],
)
def test_what_shows_tests(path: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        assert evidence.has_tests(path, f"x\n{text}\n"), text
    assert evidence.has_tests(path, "x\nvisit(1)\n") is (path == "a.rb")


@pytest.mark.parametrize(
    "name", ["subprocess", "child_process", "os.system", "execv", "execvp", "ProcessBuilder", "os/exec"]
)
def test_every_way_to_start_a_program_is_known(name: str) -> None:
    assert evidence.runs_programs(f"x\n a({name})\n")
    assert not evidence.runs_programs(f"x\n a(my{name}s)\n")


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
        ("a.ts", "export function same(a) { if (!a) throw new AssertionError(a); }\n", True),
        ("a.mjs", "import { ok } from 'node:assert/strict';\nexport const same = (a) => { ok(a); return; };\n", True),
        ("a.js", "exports.same = (a) => a;\n", False),
        ("a.py", "def same(a):\n    yield from a\n    assert a\n", False),
        ("a.py", "def same(a):\n    yield\n    assert a\n", True),
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
    seen = {word: evidence.find_uses("x.py", (word,), scope) for word in ("t", "c", "s", "f", "p", "m", "d", "self")}
    assert [word for word, (by_tests, _) in seen.items() if by_tests] == ["t", "c", "s", "f", "p"]
    assert [word for word, (_, by_product) in seen.items() if by_product] == ["p", "m"]
    assert evidence.find_uses("x.py", ("t",), UNKNOWN) == (False, False)


def test_what_starts_programs_may_run_the_tests() -> None:
    assert evidence.runs_programs('require("child_process")')
    assert not evidence.runs_programs("processes = 1")
