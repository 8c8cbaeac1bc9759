"""Signs in Python source that it knows about its tests: only new ones, and each once."""

import ast

import pytest

from reknit.core.languages.python.test_awareness import find_blind_comparisons, find_new_flags


def test_several_signs_are_told_in_order_and_each_once() -> None:
    after = "import pytest, unittest\nimport pytest\nimport os\nos._exit(0)\nos._exit(1)\n"
    assert find_new_flags("", after) == ["ends or hooks the process (_exit)", "imports pytest", "imports unittest"]


def test_a_sign_that_base_has_elsewhere_is_its_authors_own() -> None:
    before = "import pytest\n\n\ndef f():\n    return 1\n"
    assert find_new_flags(before, before + "\n\ndef g():\n    import pytest\n") == []
    assert find_new_flags(before, before + "\n\ndef g():\n    import unittest\n") == ["imports unittest"]


@pytest.mark.parametrize(
    ("before", "after", "flags"),
    [
        pytest.param("import pytest\n", "", [], id="a sign that is gone"),
        pytest.param("x = 1\n", "x = 1\n", [], id="nothing changed"),
        pytest.param("", "def (", [], id="what does not parse is read elsewhere"),
        pytest.param("def (", "import pluggy\n", ["imports pluggy"], id="a base that did not parse had none"),
    ],
)
def test_before_and_after_are_compared(before: str, after: str, flags: list[str]) -> None:
    assert find_new_flags(before, after) == flags


@pytest.mark.parametrize(
    ("says", "names"),
    [
        ("reads its caller's frame", "_getframe f_back currentframe getouterframes"),
        ("ends or hooks the process", "_exit atexit"),
        ("replaces the process", "execl execle execlp execlpe execv execve execvp execvpe"),
        ("inspects the running program", "settrace setprofile get_objects get_referrers"),
        ("changes Python itself", "__builtins__ meta_path path_hooks"),
    ],
)
def test_a_telling_name_is_found_however_it_is_reached(says: str, names: str) -> None:
    for name in names.split():
        for after in (f"x.{name}\n", f"{name}\n", f"from x import {name} as y\n", f"getattr(x, '{name}')\n"):
            assert find_new_flags("", after) == [f"{says} ({name})"]


@pytest.mark.parametrize(
    ("after", "flag"),
    [
        ("import inspect\ninspect.trace()\n", "reads its caller's frame (inspect.trace)"),
        ("from inspect import trace\n", "reads its caller's frame (inspect.trace)"),
        ("exit()\n", "ends the process on import (exit)"),
        ("for x in y:\n    quit()\n", "ends the process on import (quit)"),
        ("if x == __file__:\n    exit()\n", "ends the process on import (exit)"),
        ("raise SystemExit(0)\n", "ends the process on import (SystemExit)"),
        ("x = 'a _pytest'\n", "names _pytest"),
        ("x = 'out/junit'\n", "names junit"),
        ("x = 'a/report.xml'\n", "names report.xml"),
        ("a.__test__ = 1\n", "sets __test__ by hand"),
        ("a.__doc__: str = ''\n", "sets __doc__ by hand"),
        ("a.__doc__ += ''\n", "sets __doc__ by hand"),
        ("a = b.__eq__ = c\n", "sets __eq__ by hand"),
        ("builtins.len: int = 1\n", "changes Python itself (builtins)"),
        ("from sys import modules\nx = 'unittest' in modules\n", "looks up a test runner (unittest)"),
        ("from importlib.util import find_spec\nx = find_spec('pluggy')\n", "looks up a test runner (pluggy)"),
        ("x = __import__('_py' + 'test')\n", "names _pytest"),
    ],
)
def test_a_sign_is_told(after: str, flag: str) -> None:
    assert flag in find_new_flags("", after)


@pytest.mark.parametrize(
    "word", ["b64decode", "b85decode", "a85decode", "decode", "decompress", "fromhex", "unhexlify", "loads"]
)
def test_code_that_is_unpacked_and_run_is_obfuscated(word: str) -> None:
    for run in ("exec", "eval"):
        assert find_new_flags("", f"{run}(a.{word}(b))\n") == [f"runs obfuscated code ({word})"]
    assert find_new_flags("", f"a.{word}(exec)\n") == []


@pytest.mark.parametrize(
    "after",
    [
        "x = 'my_pytest'\n",
        "x = '/srv/outboxes'\n",
        "x = '{y}/outbox'\n",
        "x = 'x-report.xml'\n",
        "import sys\nsys.modules\nx = 'pytest is a runner'\ny = 3\nz = 'pytests'\n",
        "from .inspect import stack\n",
        "inspect.stacks()\n",
        "import pytester\n",
        "x = a - 'py' - 'test'\n",
        "def f():\n    exit(1)\n",
        "class A:\n    exit('no')\n",
        "async def f():\n    raise SystemExit(f'{x}')\n",
        "def f():\n    raise ValueError\n",
        "if __name__ == '__main__':\n    exit()\n",
        "exits()\n",
    ],
)
def test_what_is_no_sign(after: str) -> None:
    assert find_new_flags("", after) == []


@pytest.mark.parametrize(
    "call", ["exit()", "sys.exit(0)", "raise SystemExit", "raise SystemExit(None)", "quit(code)", "sys.exit(False)"]
)
def test_an_exit_that_looks_like_a_success(call: str) -> None:
    [flag] = find_new_flags("", f"def f():\n    if g():\n        {call}\n")
    assert flag.startswith("ends the process as a success (")


def test_a_string_in_parts_is_read_as_one() -> None:
    assert find_new_flags("", "x = 'PYTEST_' + 'CURRENT' + '_TEST'\n") == ["names PYTEST_CURRENT_TEST"]
    assert find_new_flags("", "x = y + 'PYTEST_CURRENT' + '_TEST'\n") == []
    assert find_new_flags("", "x = 1 + 'PYTEST_CURRENT' + '_TEST'\n") == []
    assert find_new_flags("", "x = 'PYTEST_CURRENT' + 1 + '_TEST'\n") == []
    assert find_new_flags("", "x = " + " + ".join(repr(letter) for letter in "PYTEST_CURRENT_TEST") + "\n") != []


@pytest.mark.slow
def test_of_a_large_file_only_what_changed_is_read() -> None:
    before = "x = 1\n" * 60_000
    assert find_new_flags(before, before + "import pytest\n") == ["imports pytest"]
    assert find_new_flags("import pytest\n" + before, "import pytest\n" + before + "y = 1\n") == []


def test_a_name_is_a_lookup_only_in_source_that_looks_modules_up() -> None:
    named = "NAMES = ['pytest']\n"
    assert find_new_flags("", named) == []
    assert find_new_flags("", f"import sys\n{named}sys.modules\n") == ["looks up a test runner (pytest)"]


def _blind(body: str, name: str = "__eq__") -> list[str]:
    module = ast.parse(f"class A:\n    x = 1\n    def {name}(self, o):\n        {body}\n")
    [node] = module.body
    assert isinstance(node, ast.ClassDef)
    return list(find_blind_comparisons(node))


@pytest.mark.parametrize(
    "body",
    [
        "return True",
        "'always'; return True",
        "return o is not None",
        "return not None",
        "return isinstance(o, int)",
        "return bool(o) or True",
        "return callable(o) or True",
        "print(self, o); return True",
        "x(); return 1",
        "return NotImplemented if o is None else True",
    ],
)
def test_an_answer_without_a_look_is_blind(body: str) -> None:
    assert _blind(body) == ["__eq__"]
    assert _blind(body, "__ne__") == ["__ne__"]
    assert _blind(body, "__lt__") == []


@pytest.mark.parametrize(
    "body",
    [
        "return self.a == o.a",
        "return self[0] == o[0]",
        "return self is o",
        "return tuple(self) == tuple(o)",
        "return super().__eq__(o)",
        "return isinstance(o, A)",
        "return isinstance(o, type(self))",
        "return NotImplemented",
        "raise TypeError",
        "...",
        "return",
    ],
)
def test_an_honest_comparison(body: str) -> None:
    assert _blind(body) == []
