"""How the tests of a Python project are run, from its files: pytest, Django or unittest."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.repository.manifest_text import read_toml, table
from reknit.core.repository.paths import is_foreign
from reknit.core.testing.command import TestCommand
from reknit.core.testing.runners import python
from reknit.core.testing.runners.call import RunnerCall

PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
REQUIREMENTS = (
    "requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "requirements-test.txt",
    "requirements_test.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt",
    "requirements/tests.txt", "Pipfile", "environment.yml",
)  # fmt: skip
_NAMING = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", *REQUIREMENTS)
"""Where a project says which packages its tests need."""
READ = tuple(dict.fromkeys(posixpath.basename(name) for name in (*PYTEST_FILES, *_NAMING)))

_PYTEST_SECTION = {"tox.ini": re.compile(r"^\[pytest\]", re.M), "setup.cfg": re.compile(r"^\[tool:pytest\]", re.M)}
_PYTEST_WORD = re.compile(r"\bpytest\b")
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_DJANGO_TEST = re.compile(r"(^|/)(tests?|test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_MODULE = re.compile(r"(^|/)tests?\.py$")
"""Found by unittest's discovery and not by pytest's."""
_DJANGO_WORD = re.compile(r"\bdjango\b", re.I)

Files = Mapping[str, str | None]


def find(files: Files) -> Iterator[TestCommand]:
    """Without any sign of pytest, unittest is the second choice: pytest runs its tests too, if it is installed."""
    tests = [path for path in files if _TEST_FILE.search(path) and not is_foreign(path)]
    first = min(tests, key=lambda path: (path.count("/"), path), default="")
    configured = _configured(files)
    named = configured or next((name for name in _NAMING if _PYTEST_WORD.search(files.get(name) or "")), "")
    django = None if configured else _django(files)
    if django and not named:
        yield django
    if configured or first:
        yield _pytest(files, configured or first)
    if django and named:
        yield django
    modules = [] if tests else _unittest_modules(files)
    if (first or modules) and not named and not any(posixpath.basename(path) == "conftest.py" for path in files):
        yield _unittest(files, tests or modules)


def _unittest_modules(files: Files) -> list[str]:
    """Those of a Django app cannot be run without its settings."""
    if "manage.py" in files or any(_DJANGO_WORD.search(files.get(name) or "") for name in _NAMING):
        return []
    return [path for path in files if _UNITTEST_MODULE.search(path) and not is_foreign(path)]


def _configured(files: Files) -> str:
    """The file with pytest's settings."""
    if "pytest" in _tools(files.get("pyproject.toml")):
        return "pyproject.toml"
    for name in PYTEST_FILES:
        if name in files:
            return name
    for name, section in _PYTEST_SECTION.items():
        if section.search(files.get(name) or ""):
            return name
    return ""


def _pytest(files: Files, origin: str) -> TestCommand:
    call = RunnerCall(("python", "-m", "pytest", "-q"), (), origin)
    return python.pytest(call, has_coverage="--cov" in _settings(files, origin))


def _settings(files: Files, origin: str) -> str:
    """pytest's own settings, as text: what else such a file has may call pytest-cov without needing it here."""
    text = files.get(origin) or ""
    if origin == "pyproject.toml":
        return str(_tools(text).get("pytest"))
    section = _PYTEST_SECTION.get(origin)
    found = section.search(text) if section else None
    return text[found.end() :].partition("\n[")[0] if found else text if origin in PYTEST_FILES else ""


def _unittest(files: Files, tests: list[str]) -> TestCommand:
    """Discovery only enters packages, so it starts in the folder above them."""
    starts = Counter(_start(path, files) for path in tests)
    start, above = min(starts, key=lambda place: (-starts[place], place))
    inside = [posixpath.basename(path) for path in tests if _start(path, files) == (start, above)]
    arguments = ["discover"]
    if start:
        arguments += ["-s", start]
    if above:
        arguments += ["-t", above]
    if not any(name.startswith("test") for name in inside):
        arguments += ["-p", "*_test.py"]
    first = min(tests, key=lambda path: (path.count("/"), path))
    return python.unittest(RunnerCall(("python", "-m", "unittest"), tuple(arguments), first))


def _start(test: str, files: Files) -> tuple[str, str]:
    """Where discovery starts, and what it takes for the top of the packages if that is another folder.

    Below `src`, a folder that is not a package is a namespace: with it on the path, `jaraco/functools` would hide the
    module of that name.
    """
    package, folder = "", posixpath.dirname(test)
    while folder and f"{folder}/__init__.py" in files:
        package, folder = folder, posixpath.dirname(folder)
    return (package, "src") if package and folder.startswith("src/") else (folder, "")


def _django(files: Files) -> TestCommand | None:
    has_settings = any(_is_settings(path) for path in files)
    has_tests = any(_DJANGO_TEST.search(path) and not is_foreign(path) for path in files)
    if "manage.py" not in files or not has_settings or not has_tests:
        return None
    return python.django(RunnerCall(("python", "manage.py", "test"), (), "manage.py"))


def _is_settings(path: str) -> bool:
    """`settings/base.py`, `settings.py`, `test_settings.py`"""
    *folders, name = path.split("/")
    return "settings" in folders or (name.endswith(".py") and "settings" in name.removesuffix(".py").split("_"))


def _tools(text: str | None) -> Mapping[str, Any]:
    return table(read_toml(text), "tool")
