"""Copies of test files that must fail."""

import pytest

from reknit.core.tamper_checks.exit_code import MOST_FILES, canary_places, failing_copies
from reknit.core.tamper_checks.names import Names


@pytest.mark.parametrize(
    ("path", "text", "failure"),
    [
        ("test_a.py", "import a\n", "raise AssertionError("),
        ("a.test.mjs", "import a from './a.mjs'\n", "throw new Error("),
        ("a.test.ts", "import a from './a'\n", "throw new Error("),
        ("a_test.go", "package a\n", "func init() { panic("),
        ("tests/a.rs", "use a::b;\n", "#[test]\nfn "),
        ("a_test.rb", "require 'a'\n", 'raise "'),
        ("check.sh", "sh -c true\n", "exit 1\n"),
        ("ATest.java", "class ATest {\n}\n", "static { if (true) throw new AssertionError("),
    ],
)
def test_the_failure_comes_after_what_is_loaded(path: str, text: str, failure: str) -> None:
    failing = failing_copies({path: text}, Names("seed"))[path]
    assert failure in failing
    assert failing.startswith(text.removesuffix("}\n"))


def test_what_cannot_be_made_to_fail_is_left_out() -> None:
    assert failing_copies({"a_test.go": "not go\n", "ATest.java": "not java\n"}, Names("seed")) == {}


def test_started_files_come_first_and_their_number_is_bounded() -> None:
    tests = [f"deep/er/test_{number}.py" for number in range(2 * MOST_FILES)]
    found = canary_places([*tests, "test_top.py", "run.sh", "README.md", "test_data.json"], ["run.sh", "tool.c"])
    assert found[:2] == ("run.sh", "test_top.py")
    assert len(found) == MOST_FILES
