"""Imports of JavaScript that failed: packages that are not installed, and files that are not there."""

import re

from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts

_MISSING = re.compile(
    r"(?:Cannot find (?:module|package)|Failed to resolve import|Could not resolve"
    r"|Module not found: Error: Can't resolve"
    r"|Failed to resolve entry for package|Failed to load url) ['\"]?([^'\"\s()]{1,300})['\"]?"
)
_NO_TOOL = re.compile(
    r"npx canceled due to missing packages|could not determine executable to run"
    r"|node_modules[^\n]{0,80}missing, did you mean to install"
    r"|Local package\.json exists, but node_modules missing|Couldn't find the node_modules state file"
    r""
)
_FROM_FOREIGN = re.compile(r"(?:imported from|from|Require stack:\s{0,8}-) ['\"]?[^\s'\"]{0,300}/node_modules/")
_MANAGERS = (("pnpm-lock.yaml", "pnpm install"), ("yarn.lock", "yarn install"), ("package-lock.json", "npm ci"))
_ALIASES = ("@/", "~", "#", "$")


def missing_package(reading: Reading, facts: TreeFacts) -> Cause | None:
    if _NO_TOOL.search(reading.words):
        return _not_installed("node_modules", facts)
    found = _MISSING.search(reading.words)
    if not found:
        return None
    asked = found[1].rstrip(".,;:?")
    if "/node_modules/" in asked:
        return _inside_modules(asked.rpartition("/node_modules/")[2], reading, facts)
    if asked.startswith((".", "/", *_ALIASES)):
        return _file_of_tree(asked, facts)
    if asked.startswith("node:"):
        return doubtful("toolchain", f"this Node.js has no {asked}", "use a newer Node.js")
    package = _package(asked)
    if package in facts.node_packages or package in facts.node_names:
        return _declared(asked, package, found[0], facts)
    if _FROM_FOREIGN.search(reading.text):
        return _not_installed(package, facts)
    return CODE


def _package(asked: str) -> str:
    parts = asked.split("/")
    return "/".join(parts[:2]) if asked.startswith("@") else parts[0]


def _declared(asked: str, package: str, said: str, facts: TreeFacts) -> Cause:
    # Node reports a package that is missing and a file that an installed package lacks in the same words.
    if asked != package and "Cannot find package" not in said:
        return doubtful("node-modules", f"{asked} was not found: {package} is not installed, or has no such file")
    return _not_installed(package, facts)


def _not_installed(package: str, facts: TreeFacts) -> Cause:
    install = next((command for lock, command in _MANAGERS if lock in facts.paths), "npm install")
    return environment("node-modules", f"{package} is not installed", f"`{install}`")


def _inside_modules(rest: str, reading: Reading, facts: TreeFacts) -> Cause:
    package = _package(rest)
    starts_there = "requireStack: []" in reading.text or "imported from" not in reading.text
    if package == ".bin" or (package in facts.node_packages and starts_there) or _FROM_FOREIGN.search(reading.text):
        return _not_installed(package, facts)
    return doubtful("node-modules", f"the installed {package} has no {rest}")


def _file_of_tree(asked: str, facts: TreeFacts) -> Cause:
    parts = [part for part in asked.split("/") if part not in (".", "..")]
    if inside := next(
        (each for each in facts.submodules if each in "/".join(parts) or each.rpartition("/")[2] in parts), ""
    ):
        return environment("submodule", f"the submodule {inside} is empty", "`git submodule update --init`")
    if {"dist", "build", "generated", "lib"} & {*parts[:-1]} and not {"dist", "build", "generated", "lib"} & _top(
        facts
    ):
        return doubtful("not-installed", f"{asked} is made by a build, which may not have run")
    return CODE


def _top(facts: TreeFacts) -> set[str]:
    return {folder.rpartition("/")[2] for folder in facts.folders}
