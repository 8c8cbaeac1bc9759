import pytest

from reknit.core.gate.rules.runner_tampering import runner_tampering
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "api", 20, 1000, "pytest")


def _refused(path: str, before: str | None, after: str | None) -> list[str]:
    file = FileChange(path, None if before is None else before.encode(), None if after is None else after.encode())
    refusals = list(runner_tampering(Change((file,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("runner-tampering", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("path", "is_refused"),
    [
        ("pytest.py", True),
        ("json.py", True),
        ("src/_pytest/__init__.py", True),
        ("api/dataclasses.py", True),
        ("api/src/xml/__init__.py", True),
        ("pygments/__init__.py", True),
        ("src/attr.py", True),
        ("typing_extensions.py", True),
        ("pytest_asyncio.py", True),
        ("sitecustomize/__init__.py", True),
        ("shop/pygments.py", False),
        ("attribute.py", False),
        ("src/shop/types.py", False),
        ("shop.py", False),
        ("src/shop/__init__.py", False),
    ],
)
def test_a_new_module_must_not_hide_another(path: str, is_refused: bool) -> None:
    assert bool(_refused(path, None, "x = 1\n")) == is_refused
    assert _refused(path, "x = 1\n", "x = 2\n") == []


@pytest.mark.parametrize(
    "name",
    [
        "pytest", "_pytest", "unittest", "pluggy", "pytest_mock", "hypothesis", "_hypothesis_pytestplugin", "coverage",
        "xdist", "execnet", "py", "iniconfig", "packaging", "exceptiongroup", "tomli", "pygments", "attr", "attrs",
        "typing_extensions", "sortedcontainers", "colorama", "mock", "nose", "nose2", "distutils", "_distutils_hack",
        "pkg_resources", "setuptools", "sitecustomize", "usercustomize",
    ],
)  # fmt: skip
def test_what_a_test_run_imports_is_not_replaced(name: str) -> None:
    assert _refused(f"{name}.py", None, "x = 1\n") == [
        f"{name}.py would shadow a module of Python or of the test runner"
    ]
    assert _refused(f"{name}x9.js", None, "x = 1\n") == []
