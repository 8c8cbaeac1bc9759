"""Signs in Python source that it knows about its tests: only new ones, and each once."""

import pytest

from reknit.core.gate.syntax.python_test_awareness import new_flags


def test_several_signs_are_told_in_order_and_each_once() -> None:
    after = "import pytest, unittest\nimport pytest\nimport os\nos._exit(0)\nos._exit(1)\n"
    assert new_flags("", after) == ["ends or hooks the process (_exit)", "imports pytest", "imports unittest"]


def test_a_sign_that_base_has_elsewhere_is_its_authors_own() -> None:
    before = "import pytest\n\n\ndef f():\n    return 1\n"
    assert new_flags(before, before + "\n\ndef g():\n    import pytest\n") == []
    assert new_flags(before, before + "\n\ndef g():\n    import unittest\n") == ["imports unittest"]


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
    assert new_flags(before, after) == flags


def test_a_name_is_a_lookup_only_in_source_that_looks_modules_up() -> None:
    named = "NAMES = ['pytest']\n"
    assert new_flags("", named) == []
    assert new_flags("", f"import sys\n{named}sys.modules\n") == ["looks up a test runner (pytest)"]
