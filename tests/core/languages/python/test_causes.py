"""Imports of Python: what is declared or known was not installed, what the tree should have is the code's."""

from dataclasses import replace

import pytest

from reknit.core.causes.cause import Cause
from reknit.core.causes.reading import read_message
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import find_cause
from reknit.core.languages.python.causes import (
    explain_missing_module,
    explain_missing_name,
    explain_missing_plugin,
    explain_old_python,
)

FACTS = TreeFacts(
    frozenset({"pyproject.toml", "src/shop/__init__.py", "src/shop/cart.py", "src/shop/redis.py"}),
    {
        "pyproject.toml": (
            '[project]\nrequires-python = ">=3.11"\ndependencies = ["pytest-asyncio", "google-cloud-storage"]\n'
        ),
    },
)  # fmt: skip
FOREIGN = "/x/lib/python3.12/site-packages/flask/app.py:7: in <module>"
OWN = "src/shop/cart.py:7: in <module>"


def told(cause: Cause | None) -> tuple[str, str] | None:
    return (cause.verdict, cause.kind) if cause else None


@pytest.mark.parametrize(
    ("name", "frame", "expected"),
    [
        ("shop.cart", OWN, ("doubtful", "not-installed")),
        ("tomllib", OWN, ("environment", "toolchain")),
        ("zoneinfo", OWN, ("environment", "toolchain")),
        ("blinkerx_core", FOREIGN, ("environment", "missing-module")),
        ("frobnicate", OWN, ("doubtful", "missing-module")),
        ("redis", OWN, ("doubtful", "missing-module")),
        ("django.utils.six", FOREIGN, ("environment", "missing-module")),
        ("google.cloud", OWN, ("environment", "missing-module")),
        ("django.utils.sixx", OWN, ("doubtful", "missing-module")),
    ],
)
def test_modules(name: str, frame: str, expected: tuple[str, str]) -> None:
    message = (
        f"ModuleNotFoundError: No module named '{name}'\n{frame}\nE   ModuleNotFoundError: No module named '{name}'"
    )
    assert told(explain_missing_module(read_message(message), FACTS)) == expected


def test_a_project_that_passing_tests_import_is_installed() -> None:
    message = read_message("ModuleNotFoundError: No module named 'shop'")
    assert told(explain_missing_module(message, FACTS)) == ("environment", "not-installed")
    passing = replace(FACTS, passing_texts=("import os\nfrom shop.cart import Cart\n",))
    assert told(explain_missing_module(message, passing)) == ("code", "")
    assert told(explain_missing_module(message, replace(FACTS, texts={}))) == ("doubtful", "not-installed")


def test_a_module_that_a_recent_commit_removed_is_the_code() -> None:
    message = read_message("ModuleNotFoundError: No module named 'factory'")
    assert told(explain_missing_module(message, FACTS)) == ("environment", "missing-module")
    removed = replace(FACTS, removed_paths=frozenset({"src/factory.py", "README.md"}))
    assert told(explain_missing_module(message, removed)) == ("code", "")


def test_a_module_that_no_python_of_the_project_has_is_the_code() -> None:
    old = replace(FACTS, texts={"setup.cfg": "python_requires = >=3.8"})
    assert told(explain_missing_module(read_message("ModuleNotFoundError: No module named 'tomllib'"), old)) == (
        "code",
        "",
    )


@pytest.mark.parametrize(
    ("where", "frame", "expected"),
    [
        ("/x/lib/python3.12/site-packages/werkzeug/urls.py", FOREIGN, ("environment", "missing-module")),
        ("/x/lib/python3.12/site-packages/werkzeug/urls.py", OWN, ("doubtful", "missing-module")),
        ("/usr/lib/python3.9/typing.py", OWN, ("environment", "toolchain")),
        ("/usr/lib/python3.12/typing.py", OWN, ("code", "")),
        ("/w/src/shop/cart.py", OWN, ("code", "")),
    ],
)
def test_names(where: str, frame: str, expected: tuple[str, str]) -> None:
    said = f"ImportError: cannot import name 'quote' from 'some.module' ({where})"
    assert told(explain_missing_name(read_message(f"{said}\n{frame}\nE   {said}"), FACTS)) == expected


def test_a_name_that_is_missing_somewhere_is_the_code() -> None:
    assert told(explain_missing_name(read_message("ImportError: cannot import name 'x'"), FACTS)) == ("code", "")
    assert explain_missing_name(read_message("ValueError: x"), FACTS) is None


def test_an_old_python_is_known_by_its_path_or_its_words() -> None:
    assert told(explain_old_python(read_message("ERROR: package 'shop' requires a different Python: 3.9"), FACTS)) == (
        "environment",
        "toolchain",
    )
    assert explain_old_python(read_message("SyntaxError: invalid syntax"), FACTS) is None
    assert explain_old_python(read_message("ValueError: x"), FACTS) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("async def functions are not natively supported.", ("environment", "missing-module")),
        ("fixture 'mocker' not found", ("doubtful", "missing-module")),
        ("fixture 'wallet' not found", ("code", "")),
        ("pytest: error: unrecognized arguments: -n4 --dist=load", ("environment", "missing-module")),
        ("pytest: error: unrecognized arguments: --own-option", None),
        ("ValueError: x", None),
    ],
)
def test_plugins(message: str, expected: tuple[str, str] | None) -> None:
    assert told(explain_missing_plugin(read_message(message), FACTS)) == expected


def test_a_fixture_that_the_tree_defines_is_the_code() -> None:
    defined = replace(FACTS, texts={"tests/conftest.py": "def mocker():\n    pass\n"})
    assert told(explain_missing_plugin(read_message("fixture 'mocker' not found"), defined)) == ("code", "")
    assert told(explain_missing_plugin(read_message("async def functions are not natively supported."), defined)) == (
        "code",
        "",
    )


UNITTEST = """ImportError: Failed to import test module: tests.test_absent
Traceback (most recent call last):
  File "/usr/lib/python3.11/unittest/loader.py", line 419, in _find_test_path
    module = self._get_module_from_name(name)
  File "/shop/tests/test_absent.py", line 3, in <module>
    import {module}
ModuleNotFoundError: No module named '{module}'
"""


@pytest.mark.parametrize(("module", "verdict"), [("absent_package", "environment"), ("shop.prices", "code")])
def test_what_unittest_wraps_is_read(module: str, verdict: str) -> None:
    paths = frozenset({"requirements.txt", "tests/test_absent.py", "shop/__init__.py"})
    facts = TreeFacts(paths, {"requirements.txt": "absent-package\n"}, roots=("/shop",))
    assert find_cause(UNITTEST.format(module=module), facts).verdict == verdict
