"""A new test brings what it needs, and touches no other test."""

import pytest

from reknit.core.gate.base_facts import BaseFacts
from reknit.core.gate.rules.new_test_support import supports_a_new_test
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

FACTS = BaseFacts(
    folders=frozenset({"tests"}),
    mentions={"old.json": ("tests/test_old.py",), "import helper": ("tests/test_old.py",)},
)
SCOPE = Scope(("tests/test_old.py",), "", 20, 1000, "pytest", facts=FACTS)


@pytest.mark.parametrize(
    ("path", "is_welcome"),
    [
        ("tests/data/new.json", True),
        ("tests/data/old.json", False),
        ("tests/__snapshots__/test_new.ambr", True),
        ("tests/__snapshots__/test_new.py.snap", True),
        ("tests/__snapshots__/test_old.ambr", False),
        ("tests/__snapshots__/test_new.SNAP", True),
        ("tests/__snapshots__/unit.snap", False),
        ("tests/pytest.py", False),
        ("tests/package.json", False),
        ("unit/__init__.py", False),
        ("tests/unit/__init__.py", True),
        ("tests/__init__.py", False),
        ("tests/more/__init__.py", False),
        ("tests/builders.py", True),
        ("tests/helper.py", False),
        ("tests/json.py", False),
        ("tests/conftest.py", False),
    ],
)
def test_what_a_new_test_may_bring(path: str, is_welcome: bool) -> None:
    file = FileChange(path, None, b"x")
    test = FileChange("tests/unit/test_new.py", None, b"def test_new(): pass\n")
    assert supports_a_new_test(file, Change((file, test)), SCOPE) is is_welcome
    assert not supports_a_new_test(file, Change((file,)), SCOPE)
    recorded = FileChange("testdata/test_x.py", None, b"x")
    assert not supports_a_new_test(file, Change((file, recorded)), SCOPE)


def test_one_of_several_new_tests_is_enough() -> None:
    tests = tuple(FileChange(f"tests/{name}/test_new.py", None, b"def test_a(): pass\n") for name in ("api", "unit"))
    for path in ("tests/unit/__init__.py", "tests/unit/__snapshots__/test_new.snap"):
        file = FileChange(path, None, b"x")
        assert supports_a_new_test(file, Change((file, *tests)), SCOPE)


def test_nothing_is_welcome_where_nothing_is_known() -> None:
    file, test = (FileChange(path, None, b"x") for path in ("tests/data/new.json", "tests/test_new.py"))
    assert not supports_a_new_test(file, Change((file, test)), Scope((), "", 20, 1000, "pytest"))
