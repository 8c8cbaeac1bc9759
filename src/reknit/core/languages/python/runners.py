"""Detects and parses the commands of pytest, unittest and Django, and adds reports and selection."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reknit.core.repository.manifest_text import get_table, read_toml
from reknit.core.repository.paths import is_foreign
from reknit.core.testing.command import (
    JUNIT,
    UNITTEST_WORD,
    Files,
    RunnerCall,
    TestCommand,
    drop_options,
    split_runner_call,
)

PYTEST_FLAGS = (
    "--rootdir=.",
    "--continue-on-collection-errors",
    "-p",
    "no:cacheprovider",
    "-o",
    "junit_family=xunit1",
    f"--junitxml={JUNIT}",
)
SELECT = ("{id}",)
WHOLE = ("--maxfail=0",)
"""Option after the user's own arguments: a suite that stops at its first failure hides other failures."""
_NO_THRESHOLD = ("--cov-fail-under=0",)
"""Option that switches off the threshold of coverage; only for commands with pytest-cov, since pytest rejects it."""
ONLY = "--pick="
"""Prefix of each id for `adapters/testing/unittest_wrapper.py`."""
_LAUNCHERS = ("uv", "poetry", "pipenv", "hatch", "pdm", "rye", "pixi")
_PYTHON = re.compile(r"python[\d.]{0,8}|pypy[\d.]{0,8}")
PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
REQUIREMENTS = (
    "requirements.txt", "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "requirements-test.txt",
    "requirements_test.txt", "test-requirements.txt", "requirements/dev.txt", "requirements/test.txt",
    "requirements/tests.txt", "Pipfile", "environment.yml",
)  # fmt: skip
_NAMING = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", *REQUIREMENTS)
"""Files in which a project names the packages that its tests need."""
READ = tuple(dict.fromkeys(posixpath.basename(name) for name in (*PYTEST_FILES, *_NAMING)))
_PYTEST_SECTION = {"tox.ini": re.compile(r"^\[pytest\]", re.M), "setup.cfg": re.compile(r"^\[tool:pytest\]", re.M)}
_PYTEST_WORD = re.compile(r"\bpytest\b")
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_DJANGO_TEST = re.compile(r"(^|/)(tests?|test_[^/]*|[^/]*_test)\.py$")
_UNITTEST_MODULE = re.compile(r"(^|/)tests?\.py$")
"""Files that unittest's discovery finds and pytest's does not."""
_DJANGO_WORD = re.compile(r"\bdjango\b", re.I)


def build_pytest_command(call: RunnerCall, *, has_coverage: bool = False) -> TestCommand:
    """Return the command with reports. `has_coverage`: the settings use pytest-cov."""
    arguments = drop_options(call.arguments, (), ("--junitxml", "--junit-xml"))
    has_coverage = has_coverage or any(argument.startswith("--cov") for argument in arguments)
    argv = (*call.start, *PYTEST_FLAGS, *arguments, *WHOLE, *(_NO_THRESHOLD if has_coverage else ()))
    return TestCommand("pytest", argv, "junit", JUNIT, SELECT, call.origin, call.env, typed=call.typed)


def build_unittest_command(call: RunnerCall) -> TestCommand:
    """Return the command with reports. `call.start`: `python -m unittest`."""
    return _build_wrapped_command("unittest", call, call.start[:-2], ("unittest",), ("-f", "--failfast"))


def build_django_command(call: RunnerCall) -> TestCommand:
    """Return the command with reports. `call.start`: `python manage.py test`."""
    *before, program, verb = call.start
    return _build_wrapped_command(
        "django", call, tuple(before), (program, verb, "--noinput"), ("--noinput", "--no-input", "--failfast")
    )


def _build_wrapped_command(
    runner: str, call: RunnerCall, python: tuple[str, ...], program: tuple[str, ...], dropped: tuple[str, ...]
) -> TestCommand:
    argv = (*(python or ("python",)), "-c", UNITTEST_WORD, JUNIT, *program, *drop_options(call.arguments, dropped))
    return TestCommand(runner, argv, "junit", JUNIT, (f"{ONLY}{{id}}",), call.origin, call.env, typed=call.typed)


def parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """Return the command with reports and selection; None if it starts no runner of Python."""
    start = 2 if posixpath.basename(words[0]) in _LAUNCHERS and words[1:2] == ("run",) else 0
    program = posixpath.basename(words[start]) if words[start:] else ""
    if program in ("pytest", "py.test"):
        return build_pytest_command(split_runner_call(words, start + 1, origin, env))
    if program == "manage.py":
        return _parse_django(words, start, origin, env)
    if not _PYTHON.fullmatch(program):
        return None
    if tuple(words[start + 1 : start + 3]) == ("-m", "pytest"):
        return build_pytest_command(split_runner_call(words, start + 3, origin, env))
    if tuple(words[start + 1 : start + 3]) == ("-m", "unittest"):
        return build_unittest_command(split_runner_call(words, start + 3, origin, env))
    return _parse_django(words, start + 1, origin, env)


def _parse_django(
    words: Sequence[str], position: int, origin: str, env: tuple[tuple[str, str], ...]
) -> TestCommand | None:
    program = words[position : position + 2]
    is_test = len(program) == 2 and posixpath.basename(program[0]) == "manage.py" and program[1] == "test"
    return build_django_command(split_runner_call(words, position + 2, origin, env)) if is_test else None


def find_commands(files: Files) -> Iterator[TestCommand]:
    """Yield possible commands. Without a sign of pytest, unittest is second: pytest runs its tests too."""
    tests = [path for path in files if _TEST_FILE.search(path) and not is_foreign(path)]
    first = min(tests, key=lambda path: (path.count("/"), path), default="")
    configured = _find_settings_file(files)
    sign = configured or next((name for name in _NAMING if _PYTEST_WORD.search(files.get(name) or "")), "")
    django = None if configured else _detect_django(files)
    if django and not sign:
        yield django
    if configured or first:
        yield _detect_pytest(files, configured or first)
    if django and sign:
        yield django
    modules = [] if tests else _find_unittest_modules(files)
    if (first or modules) and not sign and not any(posixpath.basename(path) == "conftest.py" for path in files):
        yield _detect_unittest(files, tests or modules)


def _find_unittest_modules(files: Files) -> list[str]:
    """Return modules of unittest, except in a Django app: it cannot run without its settings."""
    if "manage.py" in files or any(_DJANGO_WORD.search(files.get(name) or "") for name in _NAMING):
        return []
    return [path for path in files if _UNITTEST_MODULE.search(path) and not is_foreign(path)]


def _find_settings_file(files: Files) -> str:
    """Return the file with pytest's settings; empty if there is none."""
    if "pytest" in _read_tools(files.get("pyproject.toml")):
        return "pyproject.toml"
    for name in PYTEST_FILES:
        if name in files:
            return name
    for name, section in _PYTEST_SECTION.items():
        if section.search(files.get(name) or ""):
            return name
    return ""


def _detect_pytest(files: Files, origin: str) -> TestCommand:
    call = RunnerCall(("python", "-m", "pytest", "-q"), (), origin)
    return build_pytest_command(call, has_coverage="--cov" in _read_pytest_settings(files, origin))


def _read_pytest_settings(files: Files, origin: str) -> str:
    """Return pytest's own settings as text: other sections may name pytest-cov without using it."""
    text = files.get(origin) or ""
    if origin == "pyproject.toml":
        return str(_read_tools(text).get("pytest"))
    section = _PYTEST_SECTION.get(origin)
    header = section.search(text) if section else None
    return text[header.end() :].partition("\n[")[0] if header else text if origin in PYTEST_FILES else ""


def _detect_unittest(files: Files, tests: list[str]) -> TestCommand:
    """Return the command for discovery. It starts above the packages, because it enters only packages."""
    starts = Counter(_find_discovery_start(path, files) for path in tests)
    start, above = min(starts, key=lambda place: (-starts[place], place))
    inside = [posixpath.basename(path) for path in tests if _find_discovery_start(path, files) == (start, above)]
    arguments = ["discover"]
    if start:
        arguments += ["-s", start]
    if above:
        arguments += ["-t", above]
    if not any(name.startswith("test") for name in inside):
        arguments += ["-p", "*_test.py"]
    first = min(tests, key=lambda path: (path.count("/"), path))
    return build_unittest_command(RunnerCall(("python", "-m", "unittest"), tuple(arguments), first))


def _find_discovery_start(test: str, files: Files) -> tuple[str, str]:
    """Return the folder where discovery starts, and the top of the packages if it is another one.

    Below `src`, a folder that is not a package is a namespace. It must not be on the path, where `jaraco/functools`
    would hide Python's own `functools`.
    """
    package, folder = "", posixpath.dirname(test)
    while folder and f"{folder}/__init__.py" in files:
        package, folder = folder, posixpath.dirname(folder)
    return (package, "src") if package and folder.startswith("src/") else (folder, "")


def _detect_django(files: Files) -> TestCommand | None:
    has_settings = any(_is_settings(path) for path in files)
    has_tests = any(_DJANGO_TEST.search(path) and not is_foreign(path) for path in files)
    if "manage.py" not in files or not has_settings or not has_tests:
        return None
    return build_django_command(RunnerCall(("python", "manage.py", "test"), (), "manage.py"))


def _is_settings(path: str) -> bool:
    """Return True if it is a settings file: `settings/base.py`, `settings.py` or `test_settings.py`."""
    *folders, name = path.split("/")
    return "settings" in folders or (name.endswith(".py") and "settings" in name.removesuffix(".py").split("_"))


def _read_tools(text: str | None) -> Mapping[str, Any]:
    return get_table(read_toml(text), "tool")
