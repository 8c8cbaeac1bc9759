"""Explains failed imports of JavaScript: packages that are not installed, and files that do not exist."""

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
)
_FROM_FOREIGN = re.compile(r"(?:imported from|from|Require stack:\s{0,8}-) ['\"]?[^\s'\"]{0,300}/node_modules/")
_MANAGERS = (("pnpm-lock.yaml", "pnpm install"), ("yarn.lock", "yarn install"), ("package-lock.json", "npm ci"))
_ALIASES = ("@/", "~", "#", "$")


def find_missing_package(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a failed import; None if no import failed."""
    if _NO_TOOL.search(reading.words):
        return _package_not_installed("node_modules", facts)
    match = _MISSING.search(reading.words)
    if not match:
        return None
    specifier = match[1].rstrip(".,;:?")
    if "/node_modules/" in specifier:
        return _explain_installed_module(specifier.rpartition("/node_modules/")[2], reading, facts)
    if specifier.startswith((".", "/", *_ALIASES)):
        return _explain_missing_file(specifier, facts)
    if specifier.startswith("node:"):
        return doubtful("toolchain", f"this Node.js has no {specifier}", "use a newer Node.js")
    package = _package_name(specifier)
    if package in facts.node_packages or package in facts.node_names:
        return _explain_declared_package(specifier, package, match[0], facts)
    if _FROM_FOREIGN.search(reading.text):
        return _package_not_installed(package, facts)
    return CODE


def _package_name(specifier: str) -> str:
    parts = specifier.split("/")
    return "/".join(parts[:2]) if specifier.startswith("@") else parts[0]


def _explain_declared_package(specifier: str, package: str, message: str, facts: TreeFacts) -> Cause:
    # Node reports a package that is missing and a file that an installed package lacks in the same words.
    if specifier != package and "Cannot find package" not in message:
        return doubtful("node-modules", f"{specifier} was not found: {package} is not installed, or has no such file")
    return _package_not_installed(package, facts)


def _package_not_installed(package: str, facts: TreeFacts) -> Cause:
    install = next((command for lock, command in _MANAGERS if lock in facts.paths), "npm install")
    return environment("node-modules", f"{package} is not installed", f"`{install}`")


def _explain_installed_module(module_path: str, reading: Reading, facts: TreeFacts) -> Cause:
    package = _package_name(module_path)
    starts_there = "requireStack: []" in reading.text or "imported from" not in reading.text
    if package == ".bin" or (package in facts.node_packages and starts_there) or _FROM_FOREIGN.search(reading.text):
        return _package_not_installed(package, facts)
    return doubtful("node-modules", f"the installed {package} has no {module_path}")


def _explain_missing_file(specifier: str, facts: TreeFacts) -> Cause:
    parts = [part for part in specifier.split("/") if part not in (".", "..")]
    if inside := next(
        (
            submodule
            for submodule in facts.submodules
            if submodule in "/".join(parts) or submodule.rpartition("/")[2] in parts
        ),
        "",
    ):
        return environment("submodule", f"the submodule {inside} is empty", "`git submodule update --init`")
    build_folders = {"dist", "build", "generated", "lib"}
    if build_folders & {*parts[:-1]} and not build_folders & {folder.rpartition("/")[2] for folder in facts.folders}:
        return doubtful("not-installed", f"{specifier} is made by a build, which may not have run")
    return CODE


RULES = (find_missing_package,)
