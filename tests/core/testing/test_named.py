import pytest

from reknit.core.testing.named import is_asked, is_named


@pytest.mark.parametrize(
    ("name", "named", "asked"),
    [
        ("tests/a.py::T::one", True, True),
        ("tests/a.py::T", True, True),
        ("tests/a.py", True, True),
        ("tests", False, True),
        ("tests/a", False, False),
        ("tests/a.py::T::on", False, False),
    ],
)
def test_a_name_is_a_test_or_what_it_belongs_to(name: str, *, named: bool, asked: bool) -> None:
    assert (is_named("tests/a.py::T::one", [name]), is_asked("tests/a.py::T::one", [name])) == (named, asked)
    assert is_named("tests/a.py::T::one[x-1]", ["tests/a.py::T::one"])
