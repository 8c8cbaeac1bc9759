import pytest

from reknit.core.gate.rules.test_awareness import aware_of_tests
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "api", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    file = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    refusals = list(aware_of_tests(Change((file,)), SCOPE))
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
