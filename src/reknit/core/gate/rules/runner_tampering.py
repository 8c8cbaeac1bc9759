"""Rule that the tests are run as before: what runs them is not replaced, and its settings stay."""

import posixpath
import re
import sys
from collections.abc import Iterator

from reknit.core.gate.rules.test_settings import changed_test_settings
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_python

# What a test run imports besides the project: the runner, its plugins and their dependencies.
_TEST_STACK = re.compile(
    r"_?pytest|pluggy|pytest_\w+|_?hypothesis\w*|coverage|xdist|execnet|py|iniconfig|packaging|exceptiongroup|tomli|pygments"
    r"|attrs?|typing_extensions|sortedcontainers|colorama|mock|nose2?|_?distutils\w*|pkg_resources|setuptools|(?:site|user)customize"
)


def runner_tampering(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if file.before is None and is_python(file.path) and _shadows_a_module(file.path, scope.project_root):
            yield Refusal(
                "runner-tampering", file.path, f"{file.path} would shadow a module of Python or of the test runner"
            )
        for change_of_settings in changed_test_settings(file):
            what = f"{file.path} {change_of_settings}, which decides how the tests run"
            yield Refusal("runner-tampering", file.path, what)


def _shadows_a_module(path: str, project_root: str) -> bool:
    """Only a folder on the import path can shadow a module: a package may well have its own `types.py`."""
    package = path.removesuffix("/__init__.py").removesuffix(".py")
    roots = {"", "src", project_root, posixpath.join(project_root, "src")}
    name = posixpath.basename(package)
    return posixpath.dirname(package) in roots and is_module_of_a_test_run(name)


def is_module_of_a_test_run(name: str) -> bool:
    """Of Python itself, or of the runner and what it needs."""
    return name in sys.stdlib_module_names or bool(_TEST_STACK.fullmatch(name))
