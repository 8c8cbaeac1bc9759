import pytest

from reknit.core.gate.rules.test_awareness import (
    find_new_python_words,
    find_new_signs,
    find_test_awareness,
    find_test_values,
)
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "api", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    file = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    refusals = list(find_test_awareness(Change((file,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("test-awareness", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("import pytest\n", "imports pytest"),
        ("import os, _pytest.reports as r\n", "imports _pytest"),
        ("from unittest.mock import patch\n", "imports unittest"),
        ("def f():\n    import pluggy\n", "imports pluggy"),
        ("import sys\nsys.exit(0)\n", "ends the process on import (sys.exit)"),
        ("if x:\n    raise SystemExit\n", "ends the process on import (SystemExit)"),
        ("import os\ndef f():\n    os._exit(0)\n", "ends or hooks the process (_exit)"),
        ("from os import _exit as x\n", "ends or hooks the process (_exit)"),
        ("import os\ngetattr(os, '_exit')(0)\n", "ends or hooks the process (_exit)"),
        ("import os\nos.abort()\n", "ends or hooks the process (os.abort)"),
        ("from os import path, abort\n", "ends or hooks the process (os.abort)"),
        ("import atexit\n", "ends or hooks the process (atexit)"),
        ("import os\nos.execv('/bin/true', [])\n", "replaces the process (execv)"),
        ("import gc\ngc.get_objects()\n", "inspects the running program (get_objects)"),
        ("import sys\nsys.settrace(None)\n", "inspects the running program (settrace)"),
        ("import os\nx = os.environ.get('PYTEST_CURRENT_TEST')\n", "names PYTEST_CURRENT_TEST"),
        ("x = '_py' + 'test' + '.python'\n", "names _pytest"),
        ("x = open('/outbox/x')\n", "names /outbox"),
        ("x = f'{y}/report.xml'\n", "names report.xml"),
        ("import sys\nx = 'pytest' in sys.modules\n", "looks up a test runner (pytest)"),
        ("import sys\nx = sys.modules.get('pluggy.hooks')\n", "looks up a test runner (pluggy.hooks)"),
        ("import importlib\nimportlib.import_module('py' + 'test')\n", "looks up a test runner (pytest)"),
        ("import sys\nif 'pytest' in sys.argv[0]:\n    x = 1\n", "looks up a test runner (pytest)"),
        ("exec(base64.b64decode('eA=='))\n", "runs obfuscated code (b64decode)"),
        ("__import__('unittest.case')\n", "looks up a test runner (unittest.case)"),
        ("import sys\nx = sys._getframe(1)\n", "reads its caller's frame (_getframe)"),
        ("def f(frame):\n    return frame.f_back\n", "reads its caller's frame (f_back)"),
        ("import inspect\ninspect.stack()\n", "reads its caller's frame (inspect.stack)"),
        ("from inspect import stack\n", "reads its caller's frame (inspect.stack)"),
        ("import sys\nsys.meta_path.insert(0, x)\n", "changes Python itself (meta_path)"),
        ("import builtins\nbuiltins.AssertionError = Warning\n", "changes Python itself (builtins)"),
        ("import builtins\nbuiltins.x += 1\n", "changes Python itself (builtins)"),
        ("import builtins\nsetattr(builtins, 'len', x)\n", "changes Python itself (builtins)"),
        ("class A:\n    __eq__ = lambda s, o: True\n", "sets __eq__ by hand"),
        ("A.__ne__ = f\n", "sets __ne__ by hand"),
        ("A = type('A', (), {'__eq__': f})\n", "sets __eq__ by hand"),
        ("def f():\n    pass\n\n\nf.__doc__ = '>>> 1'\n", "sets __doc__ by hand"),
        ("setattr(f, '__doc__', '')\n", "sets __doc__ by hand"),
        ("__test__ = {}\n", "sets __test__ by hand"),
        (
            "class A:\n def __eq__(self, o):\n  'always'\n  return True\n",
            "has an __eq__ that ignores what it compares",
        ),
    ],
)
def test_source_that_tampers_is_refused(after: str, said: str) -> None:
    assert _refused("src/a.py", "x = 1\n", after) == [f"src/a.py now {said}; source must not know about its tests"]
    assert _refused("src/a.py", after, after + "y = 1\n") == [], "what base had already is not the attempt's doing"


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("src/a.py", "import sys\nif __name__ == '__main__':\n    sys.exit(main())\n"),
        ("src/a.py", "import sys\ndef main():\n    sys.exit(1)\nclass A:\n    pass\nasync def b():\n    exit(2)\n"),
        ("src/a.py", "def f():\n    raise\nraise ValueError\n"),
        ("src/a.py", "from . import pytest\nfrom .unittest import x\nfrom os import path\nimport json\n"),
        ("src/a.py", "class A:\n def __eq__(self, o):\n  return NotImplemented\n"),
        ("src/a.py", "class A:\n def __hash__(self):\n  return 1\n def __eq__(self, o):\n  return self.a == o.a\n"),
        ("src/a.py", "x = 'pytest' in names\nz = 1 < 2\n"),
        ("src/a.py", "import sys\ny = 'json' in sys.modules\nw = name in sys.modules\nz = 'pytest is fine'\n"),
        ("src/a.py", "from flask import abort\nimport numpy as np\nabort(404)\nnp.stack(x)\ntransaction.abort()\n"),
        ("src/a.py", "exec(compile(x, y, 'exec'))\nx = eval('1')\ny = base64.b64decode(x)\n"),
        ("src/a.py", "import builtins\nbuiltins.open(x)\nsetattr(x, 'y', 1)\nsetattr()\na: int = 1\nx[0] = b = 2\n"),
        (
            "src/a.py",
            "x = 'sales_report.xml' + name + 'a'\ny = 1 + 2\nz = 1 - 2\nw = 'a' + b\nv = b + 'a'\nu = '/me/outbox'\n",
        ),
        ("src/a.py", "x = ''" + " + 'a'" * 30 + "\n"),
        ("src/a.py", "def (a contest"),
        ("README.md", "process.exit(0)\n"),
        ("src/a.test.js", "process.exit(0)\n"),
        ("tests/test_a.py", "import pytest\n"),
        ("tests/helper.py", "import pytest\n"),
        ("src/a.js", "import pytest\n"),
        ("src/a.py", None),
    ],
)
def test_what_is_no_tampering(path: str, after: str | None) -> None:
    assert _refused(path, "x = 1\n", after) == []


def test_a_base_that_did_not_parse_had_no_sign() -> None:
    assert len(_refused("src/a.py", "def (", "import pytest\n")) == 1


def test_other_languages_and_newer_python_are_read_as_text() -> None:
    [sentence] = _refused("src/a.go", "package a\n", "package a\nfunc init() { os.Exit(0) }\n")
    assert sentence.startswith("src/a.go now ends the process (os.Exit); ")
    [sentence] = _refused("src/a.py", "type (X = int\n", "type (X = int\nimport pytest\n")
    assert sentence.startswith("src/a.py now names pytest;")


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
    assert find_new_signs("x\n", [line]) == [said]
    assert find_new_signs(f"x\n{line}\n", [line]) == [], "what base had already is not the attempt's doing"


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
    assert find_new_signs("x\n", [line]) == []


@pytest.mark.parametrize(
    "word",
    [
        "pytest", "_pytest", "unittest", "pluggy", "_exit", "atexit", "execv", "execve", "_getframe", "f_back",
        "currentframe", "settrace", "setprofile", "builtins", "sys.modules", "sys.exit", "PYTEST_CURRENT_TEST",
        "/outbox", "__eq__", "__ne__", "__import__",
    ],
)  # fmt: skip
def test_each_word_of_python_counts_where_it_is_new(word: str) -> None:
    assert find_new_python_words("x\n", [f"a = {word} # x"]) == [f"names {word}"]
    assert find_new_python_words(f"{word}\n", [f"a = {word} # x"]) == []
    assert find_new_python_words("x\n", [f"a = x{word.strip('/')}x"]) == []


def test_python_of_another_version_is_read_by_words() -> None:
    assert find_new_python_words("import unittest\n", ["import unittest, _pytest", "os._exit(0)", "contest = 1"]) == [
        "names _exit",
        "names _pytest",
    ]


TEST = """
def test_discount():
    assert discount(250, 20) == 200


def test_name():
    assert name(777) == "seven"
"""
BEFORE = "def discount(price, percent):\n    return price - percent\n"
HONEST = "def discount(price, percent):\n    return price * (100 - percent) / 100\n"


def _sentences(
    after: str | None, *, path: str = "shop.py", failure: str = "assert 230 == 200", text: str = TEST
) -> list[str]:
    scope = Scope((), "", 20, 1000, "pytest", failure=failure, failing_text=text)
    change = Change((FileChange(path, BEFORE.encode(), None if after is None else after.encode()),))
    return [each.sentence for each in find_test_values(change, scope)]


def test_the_sentence_names_two_of_them() -> None:
    said = _sentences(BEFORE.replace("return", "if (price, percent) == (250, 20):\n        return 200\n    return"))
    assert said == ["shop.py now has values of the failing test (20 and 200); it may know the answer to nothing else"]


@pytest.mark.parametrize(
    ("after", "is_said"),
    [
        pytest.param(BEFORE + "TABLE = {250: 200}\n", True, id="a-table"),
        pytest.param(BEFORE + "TABLE = {2_50: 2_00}\n", True, id="another-spelling"),
        pytest.param(BEFORE + "250\n200\n", True, id="on-lines-of-their-own"),
        pytest.param(BEFORE + "LIMIT = 250\n", False, id="one-value"),
        pytest.param(BEFORE + "TABLE = {777: 'seven'}\n", True, id="of-another-test-of-the-file"),
        pytest.param(BEFORE + "TABLE = {778: 'eight'}\n", False, id="of-no-test"),
        pytest.param(BEFORE + "x250 = 20.25 + a.200\n", False, id="parts-of-words"),
        pytest.param(HONEST, False, id="a-fix"),
        pytest.param(None, False, id="deleted"),
    ],
)
def test_values_of_the_failing_test(after: str | None, is_said: bool) -> None:
    assert bool(_sentences(after)) is is_said


@pytest.mark.parametrize(
    ("path", "is_said"), [("answers.csv", True), ("README.md", False), ("tests/test_shop.py", False)]
)
def test_which_files_are_read(path: str, is_said: bool) -> None:
    assert bool(_sentences("250,200\n", path=path)) is is_said


def test_words_count_and_are_taken_from_the_file_of_the_test() -> None:
    text = "test('name', () => {\n  assert.equal(nameOf(`seven`), 'eight')\n})\n"
    fix = "if (n === 'seven') return \"eight\"\n"
    assert _sentences(fix, path="a.js", failure="'nine' !== 'eight'", text=text)
    assert not _sentences(fix, path="a.js", failure="'nine' !== 'ten'", text=text.replace("seven", "six"))


def test_tables_of_parameters_are_read_wherever_they_are_in_the_file() -> None:
    text = (
        "CASES = [\n    ('4242', 'visa'),\n    ('3782', 'amex'),\n]\n\n@pytest.mark.parametrize('card, brand', CASES)\n"
    )
    assert _sentences("if card == '4242': return 'visa'\n", failure="assert None == 'amex'", text=text)
    assert not _sentences("if card[0] == '4': return 'visa'\n", failure="assert None == 'amex'", text=text)


def test_what_was_there_before_is_not_new() -> None:
    scope = Scope((), "", 20, 1000, "pytest", failure="1 != 200", failing_text=TEST)
    before, after = b"a = [250]\nb = [20]\n", b"a = [250, 200]\nb = [20]\n"
    assert not [*find_test_values(Change((FileChange("shop.py", before, after),)), scope)]
    after = b"a = [250]\nb = [20, 200, 250]\nc = 20\n"
    assert not [*find_test_values(Change((FileChange("shop.py", before, after),)), scope)]


def test_small_and_round_numbers_are_in_any_fix() -> None:
    text = "assert total(1, 10) == 1000\n"
    assert not _sentences("if price == 10: return 1000\nx = 1\n", failure="assert 5 == 1000", text=text)
    assert _sentences("if price == 11: return 1001\n", failure="11 != 1001", text="")


def test_a_very_long_line_is_not_read() -> None:
    text = f"expect(f(250), 200, '{'x' * 2000}')"
    assert not _sentences("TABLE = {250: 200}\n", failure="1 != 200", text=text)
