"""The checks are made by the language of the runner."""

import pytest

from reknit.core.languages.tamper_checks import (
    choose_canary_files,
    make_checks,
    make_failing_copies,
    make_unreadable_copy,
)
from reknit.core.tamper_checks.checks import MAX_FILES, Names, Targets, TargetTest

TEXT = "from shop import price\n\n\ndef test_a():\n    assert price(1) == 2\n"


def test_a_runner_without_checks_has_a_reason_for_each() -> None:
    made = make_checks(Targets("playwright", (TargetTest("a::b", "a"),), {}), Names("s"))
    assert not made.probes
    assert made.harness is None
    assert made.why_not == dict.fromkeys(("canaries", "twins", "second-harness"), "there are none for playwright")


def test_of_a_command_only_the_second_harness_is_made_by_the_ending_of_the_file() -> None:
    test, files = TargetTest("tests/test_a.py::test_a", "tests/test_a.py"), {"tests/test_a.py": TEXT}
    made = make_checks(Targets("command", (test,), files), Names("s"))
    assert (made.probes, made.probe_files, bool(made.harness)) == ((), {}, True)
    assert made.why_not == dict.fromkeys(("canaries", "twins"), "there are none for command")
    unknown = make_checks(Targets("command", (test, TargetTest("a", "a.c")), files), Names("s"))
    assert unknown.harness is None


@pytest.mark.parametrize("runner", ["pytest", "unittest", "django"])
def test_python_has_all_three(runner: str) -> None:
    targets = Targets(runner, (TargetTest("tests/test_a.py::test_a", "tests/test_a.py"),), {"tests/test_a.py": TEXT})
    made = make_checks(targets, Names("s"))
    assert {probe.must for probe in made.probes} == {"pass", "fail", "error", "differ", "differ by one"}
    assert made.harness
    assert made.why_not == {}


NAMES = Names("seed")


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
    failing = make_failing_copies({path: text}, NAMES)[path]
    assert failure in failing
    assert failing.startswith(text.removesuffix("}\n"))


@pytest.mark.parametrize(
    ("endings", "failure"),
    [
        (".js .cjs .mjs .jsx .ts .cts .mts .tsx", ";throw new Error("),
        (".sh .bash", "exit 1"),
    ],
)
def test_languages_with_several_endings(endings: str, failure: str) -> None:
    for ending in endings.split():
        assert failure in make_failing_copies({f"a{ending}": "x\n"}, NAMES)[f"a{ending}"]


def test_a_class_fails_before_its_end() -> None:
    failing = make_failing_copies({"A.java": "class A {\n    void a() { }\n}\n"}, NAMES)["A.java"]
    assert failing.startswith("class A {\n    void a() { }\n    static { if (true) throw")
    assert failing.endswith("}\n}\n")


def test_a_file_is_named_once_and_the_first_in_its_folder_is_preferred() -> None:
    found = choose_canary_files(["b/test_a.py", "test_b.py", "test_a.py", "b/c/test_a.py"], ["test_b.py"])
    assert found == ("test_b.py", "test_a.py", "b/test_a.py", "b/c/test_a.py")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("run();\n", "run();\nHERE}}"),
        ("if (bad) {\n    System.exit(1);\n}\n", "System.exit(1);\n}\nHERE}}"),
        ("run();\nSystem.exit(bad ? 1 : 0);\n", "run();\nHERESystem.exit(bad ? 1 : 0);\n}}"),
        ("if (bad) System.exit(1);\nprint();\n", "print();\nHERE}}"),
    ],
)
def test_a_java_program_fails_when_its_tests_have_run(body: str, place: str) -> None:
    text = f"class ATest {{\nvoid other() {{}}\npublic static void main(String[] args) throws X {{\n{body}}}}}"
    failure = f'if (true) throw new AssertionError("{NAMES.make_word("canary")}"); '
    assert make_failing_copies({"ATest.java": text}, NAMES)["ATest.java"].endswith(place.replace("HERE", failure))
    cut = text[:-2]
    assert "static { if (true)" in make_failing_copies({"ATest.java": cut}, NAMES)["ATest.java"]


def test_a_test_at_the_top_comes_before_a_deeper_one_with_a_shorter_path() -> None:
    assert choose_canary_files(["a/test_a.py", "test_with_a_long_name.py"], []) == (
        "test_with_a_long_name.py",
        "a/test_a.py",
    )


def test_what_cannot_be_made_to_fail_is_left_out() -> None:
    assert make_failing_copies({"a_test.go": "not go\n", "ATest.java": "not java\n"}, NAMES) == {}


def test_started_files_come_first_and_their_number_is_bounded() -> None:
    tests = [f"deep/er/test_{number}.py" for number in range(2 * MAX_FILES)]
    found = choose_canary_files([*tests, "test_top.py", "run.sh", "README.md", "test_data.json"], ["run.sh", "tool.c"])
    assert found[:2] == ("run.sh", "test_top.py")
    assert len(found) == MAX_FILES


def test_an_unreadable_copy_is_refused_by_python_and_differs_by_the_seed() -> None:
    with pytest.raises(SyntaxError):
        compile(make_unreadable_copy(NAMES), "a.py", "exec")
    assert make_unreadable_copy(NAMES) != make_unreadable_copy(Names("other"))
