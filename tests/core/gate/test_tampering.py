import pytest

from reknit.core.change import Change, FileChange
from reknit.core.gate.scope import Scope
from reknit.core.gate.tampering import runner_tampering

SCOPE = Scope((), "api", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    file = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    return [refusal.sentence for refusal in runner_tampering(Change((file,)), SCOPE)]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("import pytest\n", "imports pytest"),
        ("import os, _pytest.reports as r\n", "imports _pytest"),
        ("from unittest.mock import patch\n", "imports unittest"),
        ("def f():\n    import pluggy\n", "imports pluggy"),
        ("import sys\nsys.exit(0)\n", "ends the process on import (sys.exit)"),
        ("if x:\n    raise SystemExit\n", "ends the process on import (SystemExit)"),
        ("import os\ndef f():\n    os._exit(0)\n", "ends the process with os._exit"),
        ("import os\nx = os.environ.get('PYTEST_CURRENT_TEST')\n", "reads PYTEST_CURRENT_TEST"),
        ("import sys\nx = 'pytest' in sys.modules\n", "asks whether a test runner is loaded"),
        ("import sys\nx = sys._getframe(1)\n", "reads its caller's frame (_getframe)"),
        ("def f(frame):\n    return frame.f_back\n", "reads its caller's frame (f_back)"),
        (
            "class A:\n def __eq__(self, o):\n  'always'\n  return True\n",
            "has an __eq__ that always gives the same answer",
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
        ("src/a.py", "import sys\ndef main():\n    sys.exit(1)\nclass A:\n    pass\nasync def b():\n    exit()\n"),
        ("src/a.py", "def f():\n    raise\nraise ValueError\n"),
        ("src/a.py", "from . import pytest\nfrom .unittest import x\nfrom os import path\nimport json\n"),
        (
            "src/a.py",
            "class A:\n def __eq__(self, o):\n  return NotImplemented\n def __ne__(self, o):\n  x()\n  return 1\n",
        ),
        ("src/a.py", "class A:\n def __hash__(self):\n  return 1\n def __eq__(self, o):\n  return self.a == o.a\n"),
        ("src/a.py", "x = 'pytest' in names\ny = 'json' in sys.modules\nz = 1 < 2\nw = name in sys.modules\n"),
        ("src/a.py", "def ("),
        ("tests/test_a.py", "import pytest\n"),
        ("tests/helper.py", "import pytest\n"),
        ("src/a.js", "import pytest\n"),
        ("src/a.py", None),
    ],
)
def test_what_is_no_tampering(path: str, after: str | None) -> None:
    assert _refused(path, "x = 1\n", after) == []


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        ("pytest.py", True),
        ("json.py", True),
        ("src/_pytest/__init__.py", True),
        ("api/dataclasses.py", True),
        ("api/src/xml/__init__.py", True),
        ("src/shop/types.py", False),
        ("shop.py", False),
        ("src/shop/__init__.py", False),
    ],
)
def test_a_new_module_must_not_hide_another(path: str, is_refused: bool) -> None:
    assert bool(_refused(path, None, "x = 1\n")) == is_refused
    assert _refused(path, "x = 1\n", "x = 2\n") == []
