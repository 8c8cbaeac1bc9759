import pytest

from reknit.core.gate.syntax.text_test_awareness import new_python_words, new_signs


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("process.exit(0);", "ends the process (process.exit)"),
        ("process . exit (0)", "ends the process (process . exit)"),
        ("process['exit'](0);", "ends the process (process)"),
        ("func init() { os.Exit(0) }", "ends the process (os.Exit)"),
        ("std::process::exit(0);", "ends the process (process::exit)"),
        ("System.exit(0);", "ends the process (System.exit)"),
        ("Runtime.getRuntime().halt(0);", "ends the process (getRuntime().halt)"),
        ("at_exit { exit! 0 }", "ends the process (at_exit)"),
        ("process.abort();", "ends the process (process.abort)"),
        ("process.reallyExit(0);", "ends the process (process.reallyExit)"),
        ("Deno.exit(0);", "ends the process (Deno.exit)"),
        ("syscall.Exit(0)", "ends the process (syscall.Exit)"),
        ("std::process::abort();", "ends the process (process::abort)"),
        ("Runtime.getRuntime().exit(0);", "ends the process (getRuntime().exit)"),
        ("exitProcess(0)", "ends the process (exitProcess)"),
        ("Environment.Exit(0);", "ends the process (Environment.Exit)"),
        ("Environment.FailFast(x);", "ends the process (Environment.FailFast)"),
        ("exit! 0", "ends the process (exit!)"),
        ("_exit(0);", "ends the process (_exit)"),
        ("if (process.env.VITEST) return 3;", "refers to its test runner (VITEST)"),
        ("if (env.VITEST_POOL_ID) return 3;", "refers to its test runner (VITEST_POOL_ID)"),
        ("ENV['PYTEST_CURRENT_TEST']", "refers to its test runner (PYTEST_CURRENT_TEST)"),
        ("if testing.Testing() { return 3 }", "refers to its test runner (testing.Testing)"),
        ("macro_rules! assert { () => {} }", "redefines an assertion (macro_rules! assert)"),
        ("macro_rules! debug_assert_ne { () => {} }", "redefines an assertion (macro_rules! debug_assert_ne)"),
        ("macro_rules! panic { () => {} }", "redefines an assertion (macro_rules! panic)"),
        ("macro_rules! matches { () => {} }", "redefines an assertion (macro_rules! matches)"),
        ("if (process.env.JEST_WORKER_ID) return 3;", "refers to its test runner (JEST_WORKER_ID)"),
        ("fs.writeFileSync('/outbox/report.xml', x)", "refers to its test runner (/outbox)"),
        ("#[cfg(not(test))]", "refers to its test runner (cfg(not(test)"),
        ("if cfg!(test) { 2 } else { 1 }", "refers to its test runner (cfg!(test)"),
        ("macro_rules! assert_eq { ($($t:tt)*) => {} }", "redefines an assertion (macro_rules! assert_eq)"),
    ],
)
def test_a_new_sign_is_named(line: str, said: str) -> None:
    assert new_signs("x\n", [line]) == [said]
    assert new_signs(f"x\n{line}\n", [line]) == [], "what base had already is not the attempt's doing"


@pytest.mark.parametrize(
    "line",
    [
        "processor.exit(1)",
        "const exit = processed[0]",
        "macro_rules! assert_close { }",
        "#[cfg(test)]",
        "/users/me/outbox",
    ],
)
def test_what_is_no_sign(line: str) -> None:
    assert new_signs("x\n", [line]) == []


@pytest.mark.parametrize(
    "word",
    [
        "pytest", "_pytest", "unittest", "pluggy", "_exit", "atexit", "execv", "execve", "_getframe", "f_back",
        "currentframe", "settrace", "setprofile", "builtins", "sys.modules", "sys.exit", "PYTEST_CURRENT_TEST",
        "/outbox", "__eq__", "__ne__", "__import__",
    ],
)  # fmt: skip
def test_each_word_of_python_counts_where_it_is_new(word: str) -> None:
    assert new_python_words("x\n", [f"a = {word} # x"]) == [f"names {word}"]
    assert new_python_words(f"{word}\n", [f"a = {word} # x"]) == []
    assert new_python_words("x\n", [f"a = x{word.strip('/')}x"]) == []


def test_python_of_another_version_is_read_by_words() -> None:
    assert new_python_words("import unittest\n", ["import unittest, _pytest", "os._exit(0)", "contest = 1"]) == [
        "names _exit",
        "names _pytest",
    ]
