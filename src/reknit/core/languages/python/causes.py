"""Explains failed imports, fixtures and options of Python: a package is not installed, or a name is misspelled."""

import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts, is_near
from reknit.core.repository.manifest_text import normalize_package_name

_MISSING = re.compile(
    r"(?:No module named|[Mm]issing optional dependency) ['\"]?([A-Za-z_][\w.]{0,200})['\"]?"
    r"(; '[\w.]{1,200}' is not a package)?"
)
_NAME = re.compile(
    r"cannot import name '(\w{1,200})' from (?:partially initialized module )?'([\w.]{1,200})' \(([^()\n]{1,400})\)"
)
_NEWER = re.compile(r"SyntaxError|unsupported operand type\(s\) for \|: '\w{1,60}' and|is not subscriptable")
_FIXTURE = re.compile(r"fixture '(\w{1,100})' not found")
_OPTIONS = re.compile(r"unrecognized arguments: ([^\n]{1,400})")
_ASYNC = "async def functions are not natively supported"
_INSTALL = "install the project in the environment the tests run in: `pip install -e .`"
_OLD_PACKAGE = re.compile(r"package .{1,100} requires a different Python|requires Python ['\"]?>=")


def explain_missing_module(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a module that cannot be imported."""
    match = _MISSING.search(reading.words)
    if not match:
        return None
    name, top = match[1].rstrip("."), match[1].partition(".")[0]
    if inside := next((submodule for submodule in facts.submodules if top == submodule.rpartition("/")[2]), ""):
        return environment("submodule", f"the submodule {inside} is empty", "`git submodule update --init`")
    if match[2]:
        return CODE  # a file of the tree hides the package of this name
    if top in facts.python_tops:
        return _explain_own_module(name, top, facts)
    return _explain_foreign_module(name, top, reading, facts)


def _explain_own_module(name: str, top: str, facts: TreeFacts) -> Cause:
    if name == top:
        if facts.is_imported_by_passing(top):
            return CODE
        sentence = f"{top} is in this repository ({facts.python_tops[top]}) but is not installed"
        return (environment if facts.is_installable else doubtful)("not-installed", sentence, _INSTALL)
    if facts.is_built(name):
        return environment("not-installed", f"{name} is made when the project is built, and it is not", _INSTALL)
    if facts.has_module(name):
        return doubtful(
            "not-installed", f"{name} is in this repository, but another copy of {top} is imported", _INSTALL
        )
    return CODE


def _explain_foreign_module(name: str, top: str, reading: Reading, facts: TreeFacts) -> Cause:
    package = _find_package(name, top)
    sentence = f"{name} is not installed"
    install = f"`pip install {package}`, in the environment the tests run in"
    if top in known_names.BUILT_WITH_PYTHON:
        return environment("toolchain", f"this Python was built without {top}", "use a complete Python")
    if since := known_names.SINCE_PYTHON.get(top):
        return _explain_wrong_python(since, facts) or CODE
    if name == top or normalize_package_name(package) in facts.python_packages:
        if (
            normalize_package_name(package) in facts.python_packages
            or normalize_package_name(top) in facts.python_packages
        ):
            return environment("missing-module", sentence, install)
        if reading.origin == "foreign":
            return environment("missing-module", f"{sentence}, and an installed package needs it", install)
        if top in facts.removed_names:
            return CODE
        if top in known_names.THIRD_PARTY:
            of_tree = top in facts.python_names
            return (doubtful if of_tree else environment)("missing-module", sentence, install)
        if top in facts.python_names or is_near(top, _list_import_names(facts)):
            return CODE
        return doubtful("missing-module", sentence, install)
    of_namespace = any(package.startswith(f"{normalize_package_name(name)}-") for package in facts.python_packages)
    if of_namespace or reading.origin == "foreign":
        return environment("missing-module", sentence, install)
    return doubtful("missing-module", f"the installed {top} has no {name}")


def _find_package(name: str, top: str) -> str:
    packages = known_names.IMPORT_TO_PACKAGE
    return (
        packages.get(".".join(name.split(".")[:2]))
        or packages.get(top)
        or (top if name == top else name).replace(".", "-")
    )


def _list_import_names(facts: TreeFacts) -> list[str]:
    declared = [package.replace("-", "_") for package in facts.python_packages]
    return [*declared, *facts.python_tops, *facts.python_names, *known_names.THIRD_PARTY]


def explain_missing_name(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of `cannot import name`: the code, unless a package has the wrong version."""
    match = _NAME.search(reading.words)
    if not match:
        return CODE if "cannot import name" in reading.words else None
    name, module, path = match.groups()
    if "-packages/" not in path and "/lib/python" not in path:
        return CODE
    if "-packages/" not in path:
        return _explain_wrong_python(facts.least_python, facts, reading) or CODE
    sentence = f"the installed {module} has no {name}"
    if reading.origin == "foreign":
        return environment(
            "missing-module", f"{sentence}: installed packages do not fit together", "reinstall what is locked"
        )
    return doubtful("missing-module", sentence)


def explain_old_python(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return a cause if the Python that ran is known to be older than the project allows."""
    if _OLD_PACKAGE.search(reading.words):
        return environment("toolchain", "this Python is older than the project allows", "use a newer Python")
    if not _NEWER.search(reading.words):
        return None
    return _explain_wrong_python(facts.least_python, facts, reading)


def _explain_wrong_python(least: tuple[int, int], facts: TreeFacts, reading: Reading | None = None) -> Cause | None:
    """Return a cause if Python is too old. Without a reading, its version is known to be older than `least`."""
    required = facts.least_python
    actual = reading.python_version if reading else (least[0], least[1] - 1)
    if actual == (0, 0) or required == (0, 0) or actual >= required:
        return None
    version = f"Python {actual[0]}.{actual[1]}" + ("" if reading else " or older")
    sentence = f"the tests ran with {version}, and the project needs {required[0]}.{required[1]}"
    return environment("toolchain", sentence, f"use Python {required[0]}.{required[1]} or newer")


def explain_missing_plugin(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of an unknown fixture, option or asynchronous test of pytest."""
    if match := _FIXTURE.search(reading.words):
        return _explain_plugin(known_names.FIXTURES.get(match[1], ""), f"the fixture {match[1]}", match[1], facts)
    if _ASYNC in reading.words:
        plugins = [name for name in ("pytest-asyncio", "anyio", "pytest-trio") if name in facts.python_packages]
        return _explain_plugin(plugins[0] if plugins else "", "asynchronous tests", "", facts)
    if match := _OPTIONS.search(reading.words):
        options = [option.partition("=")[0] for option in match[1].split()]
        plugins_by_option = known_names.PYTEST_OPTIONS
        plugin = next(
            (
                plugins_by_option[known_option]
                for option in options
                for known_option in plugins_by_option
                if _is_option(option, known_option)
            ),
            "",
        )
        if plugin:
            return environment("missing-module", f"{plugin} is not installed", f"`pip install {plugin}`")
    return None


def _is_option(option: str, option_name: str) -> bool:
    return (
        option.startswith(f"{option_name}-")
        or option == option_name
        or (option_name == "-n" and option[:2] == "-n" and option[2:].isdigit())
    )


def _explain_plugin(plugin: str, user: str, fixture: str, facts: TreeFacts) -> Cause:
    defined = fixture and any(f"def {fixture}(" in text for text in facts.texts.values())
    if not plugin or defined:
        return CODE
    sentence, install = f"{plugin} is not installed; {user} needs it", f"`pip install {plugin}`"
    return (environment if normalize_package_name(plugin) in facts.python_packages else doubtful)(
        "missing-module", sentence, install
    )


RULES = (explain_missing_plugin, explain_old_python, explain_missing_module, explain_missing_name)
