"""Imports of Python that failed: what is not installed, and what is not written right."""

import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts, is_near
from reknit.core.repository.manifest_text import normalized

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


def missing_module(reading: Reading, facts: TreeFacts) -> Cause | None:
    found = _MISSING.search(reading.words)
    if not found:
        return None
    name, top = found[1].rstrip("."), found[1].partition(".")[0]
    if inside := next((each for each in facts.submodules if top == each.rpartition("/")[2]), ""):
        return _submodule(inside)
    if found[2]:
        return CODE  # a file of the tree has the name of the package
    if top in facts.python_tops:
        return _own(name, top, facts)
    return _foreign(name, top, reading, facts)


def _submodule(path: str) -> Cause:
    return environment("submodule", f"the submodule {path} is empty", "`git submodule update --init`")


def _own(name: str, top: str, facts: TreeFacts) -> Cause:
    if name == top:
        if facts.is_imported_by_passing(top):
            return CODE
        said = f"{top} is in this repository ({facts.python_tops[top]}) but is not installed"
        return (environment if facts.is_installable else doubtful)("not-installed", said, _INSTALL)
    if facts.is_built(name):
        return environment("not-installed", f"{name} is made when the project is built, and it is not", _INSTALL)
    if facts.has_module(name):
        return doubtful(
            "not-installed", f"{name} is in this repository, but another copy of {top} is imported", _INSTALL
        )
    return CODE


def _foreign(name: str, top: str, reading: Reading, facts: TreeFacts) -> Cause:
    package = _package_of(name, top)
    needed = f"{name} is not installed"
    install = f"`pip install {package}`, in the environment the tests run in"
    if top in known_names.BUILT_WITH_PYTHON:
        return environment("toolchain", f"this Python was built without {top}", "use a complete Python")
    if since := known_names.SINCE_PYTHON.get(top):
        return _wrong_python(since, facts) or CODE
    if name == top or normalized(package) in facts.python_packages:
        if normalized(package) in facts.python_packages or normalized(top) in facts.python_packages:
            return environment("missing-module", needed, install)
        if reading.raised == "foreign":
            return environment("missing-module", f"{needed}, and an installed package needs it", install)
        if top in facts.former_names:
            return CODE
        if top in known_names.THIRD_PARTY:
            of_tree = top in facts.python_names
            return (doubtful if of_tree else environment)("missing-module", needed, install)
        if top in facts.python_names or is_near(top, _all_names(facts)):
            return CODE
        return doubtful("missing-module", needed, install)
    of_namespace = any(each.startswith(f"{normalized(name)}-") for each in facts.python_packages)
    if of_namespace or reading.raised == "foreign":
        return environment("missing-module", needed, install)
    return doubtful("missing-module", f"the installed {top} has no {name}")


def _package_of(name: str, top: str) -> str:
    known = known_names.IMPORT_TO_PACKAGE
    return (
        known.get(".".join(name.split(".")[:2])) or known.get(top) or (top if name == top else name).replace(".", "-")
    )


def _all_names(facts: TreeFacts) -> list[str]:
    declared = [package.replace("-", "_") for package in facts.python_packages]
    return [*declared, *facts.python_tops, *facts.python_names, *known_names.THIRD_PARTY]


def missing_name(reading: Reading, facts: TreeFacts) -> Cause | None:
    """`cannot import name`: of the tree it is the code; of an installed package, its version may be wrong."""
    found = _NAME.search(reading.words)
    if not found:
        return CODE if "cannot import name" in reading.words else None
    name, module, path = found.groups()
    if "-packages/" not in path and "/lib/python" not in path:
        return CODE
    if "-packages/" not in path:
        return _wrong_python(facts.python_needed, facts, reading) or CODE
    said = f"the installed {module} has no {name}"
    if reading.raised == "foreign":
        return environment(
            "missing-module", f"{said}: installed packages do not fit together", "reinstall what is locked"
        )
    return doubtful("missing-module", said)


def old_python(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Only if the Python that ran is known to be older than the project allows."""
    if _OLD_PACKAGE.search(reading.words):
        return environment("toolchain", "this Python is older than the project allows", "use a newer Python")
    if not _NEWER.search(reading.words):
        return None
    return _wrong_python(facts.python_needed, facts, reading)


def _wrong_python(least: tuple[int, int], facts: TreeFacts, reading: Reading | None = None) -> Cause | None:
    """Without a reading, the missing module itself shows that Python is older than `least`."""
    needed = facts.python_needed
    ran = reading.python if reading else (least[0], least[1] - 1)
    if ran == (0, 0) or needed == (0, 0) or ran >= needed:
        return None
    shown = f"Python {ran[0]}.{ran[1]}" + ("" if reading else " or older")
    said = f"the tests ran with {shown}, and the project needs {needed[0]}.{needed[1]}"
    return environment("toolchain", said, f"use Python {needed[0]}.{needed[1]} or newer")


def missing_plugin(reading: Reading, facts: TreeFacts) -> Cause | None:
    if found := _FIXTURE.search(reading.words):
        return _plugin(known_names.FIXTURES.get(found[1], ""), f"the fixture {found[1]}", found[1], facts)
    if _ASYNC in reading.words:
        plugins = [name for name in ("pytest-asyncio", "anyio", "pytest-trio") if name in facts.python_packages]
        return _plugin(plugins[0] if plugins else "", "asynchronous tests", "", facts)
    if found := _OPTIONS.search(reading.words):
        options = [option.partition("=")[0] for option in found[1].split()]
        known = known_names.PYTEST_OPTIONS
        plugin = next((known[each] for option in options for each in known if _is_option(option, each)), "")
        if plugin:
            return environment("missing-module", f"{plugin} is not installed", f"`pip install {plugin}`")
    return None


def _is_option(option: str, known: str) -> bool:
    return (
        option.startswith(f"{known}-")
        or option == known
        or (known == "-n" and option[:2] == "-n" and option[2:].isdigit())
    )


def _plugin(plugin: str, what: str, fixture: str, facts: TreeFacts) -> Cause:
    defined = fixture and any(f"def {fixture}(" in text for text in facts.texts.values())
    if not plugin or defined:
        return CODE
    said, install = f"{plugin} is not installed; {what} needs it", f"`pip install {plugin}`"
    return (environment if normalized(plugin) in facts.python_packages else doubtful)("missing-module", said, install)
