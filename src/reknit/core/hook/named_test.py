"""Whether there is the test that a person named, as far as its file and the names in its folder tell."""

import re
from collections.abc import Iterable
from shlex import quote

from reknit.core.errors import UsageProblem

_BUILT = re.compile(r"import \*|\bglobals\(|\bsetattr\(|\bexec\(|\btype\(")
"""Such a file may have tests whose names are not in it."""
_PLAIN_BASES = frozenset({"", "object", "TestCase", "IsolatedAsyncioTestCase"})
"""Their classes inherit no tests."""
_WORD = re.compile(r"\w+")
_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)[ \t]*\(([^)]{0,1000})\)", re.M)


def lacks(text: str, file: str, test: str) -> bool:
    """`test`: what follows `::`, in a Python file as `Class::test_x[1]`. False if in doubt."""
    names = [name.partition("[")[0] for name in test.split("::")]
    if not all(names):
        return True
    if not file.endswith(".py") or _BUILT.search(text) or not all(map(str.isidentifier, names)):
        return False
    words = set(_WORD.findall(text))
    return names[0] not in words or (not words.issuperset(names) and not _may_inherit(text, names[0]))


def _may_inherit(text: str, name: str) -> bool:
    bases = [base.strip() for found, listed in _CLASS.findall(text) if found == name for base in listed.split(",")]
    return any(base.split(".")[-1] not in _PLAIN_BASES for base in bases)


def is_test_package(names: Iterable[str]) -> bool:
    """`names`: those in a folder. go names its tests by their folder, all other runners by their file."""
    return any(name.endswith("_test.go") for name in names)


def inner_repository(test: str, root: str) -> UsageProblem:
    """A check sees the files of one repository: of a submodule only what was committed, of any other nothing."""
    what = f"{test!r} is in a submodule or another repository, {root!r}: what changes there is not checked from here"
    return UsageProblem(
        "inner-repository", what, help=f"open the window in {quote(root)}, and name the test from there"
    )
