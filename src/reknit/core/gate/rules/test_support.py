"""Rule for what tests stand on: helpers and data that only they use, and where their imports lead."""

import posixpath
import re
from collections.abc import Iterator

from reknit.core.gate.base_facts import BaseFacts
from reknit.core.gate.mention_words import (
    import_words,
    is_data,
    may_support_tests,
    pattern_words,
    qualified_name,
    use_words,
)
from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import (
    holds_only_checks,
    imports_a_test_library,
    is_of_tests,
    is_test_code,
    place_of,
    uses_of,
)
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_below, is_code, is_installed, is_python, is_snapshot

_TEST_AFFIX = re.compile(r"^test[-_]?(?!ing)|[-_.]?(?:tests?|spec)$", re.I)
_JS_FAMILY = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")


def support_of_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    facts = scope.facts
    if facts is None:
        return
    left = facts.near.union(change.paths) - {file.path for file in change.files if file.after is None}
    for file in change.files:
        if file.before is None:
            why = _shadows(file.path, left, facts, scope)
        elif file.before != file.after and not _is_protected_anyway(file, scope):
            why = _is_used_by_tests(file, facts, scope)
        else:
            continue
        if why:
            yield Refusal("test-support", file.path, f"{file.path} {why}")


def _is_protected_anyway(file: FileChange, scope: Scope) -> bool:
    return file.path in scope.started_files or is_snapshot(file.path) or is_test_code(file, scope)


def _is_used_by_tests(file: FileChange, facts: BaseFacts, scope: Scope) -> str:
    path = file.path
    if is_data(path):
        name, *rest = use_words(path, facts)
        # Only where nobody names the file itself, its stem or its folder tells who reads it.
        by_name = uses_of(path, (name,), scope)
        by_tests, by_product = by_name if any(by_name) else uses_of(path, tuple(rest), scope)
        is_refused = by_tests and not by_product and not _is_read_by_pattern(path, facts, scope)
        return "holds data that only tests read; change the source instead" if is_refused else ""
    if not may_support_tests(file) or _is_tested_product(file, facts, scope):
        return ""
    by_tests, by_product = uses_of(path, use_words(path, facts), scope)
    is_sure = by_tests or imports_a_test_library(path, file.text_before)
    return (
        "helps the tests, and no product code uses it; change the source instead" if is_sure and not by_product else ""
    )


def _is_read_by_pattern(path: str, facts: BaseFacts, scope: Scope) -> bool:
    """Return whether code of the package that ships the file reads files of this kind by a computed name."""
    place = place_of(path, scope)
    users = facts.mentioning(pattern_words(path), but=path) if place else ()
    return any(is_below(user, place) and is_code(user) and not is_of_tests(user, scope) for user in users)


def _is_tested_product(file: FileChange, facts: BaseFacts, scope: Scope) -> bool:
    """Return whether the module is shipped and, if it holds checks, no tests but its own stand on them."""
    path, text = file.path, file.text_before
    if not place_of(path, scope) or not (imports_a_test_library(path, text) or holds_only_checks(path, text)):
        return bool(place_of(path, scope))
    users = [user for user in facts.mentioning(use_words(path, facts), but=path) if is_of_tests(user, scope)]
    own = _stem(path if _stem(path) not in ("__init__", "index") else posixpath.dirname(path))
    return bool(users) and all(_TEST_AFFIX.sub("", _stem(user)).lower() == own.lower() for user in users)


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _shadows(path: str, left: frozenset[str], facts: BaseFacts, scope: Scope) -> str:
    """Why imports would lead to this new file that lead elsewhere on base."""
    if is_installed(path) or _is_go_dependency(path, facts):
        return "would take the place of an installed dependency"
    if other := _twin(path, left):
        return f"would take the place of {other} where that is imported"
    name = posixpath.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
    is_outside = _is_top_level_module(path, left) if is_python(path) else _is_foreign_class(path, facts)
    if not is_outside or (name and name in scope.failure):
        return ""  # a module that the failing test misses is welcome
    by_tests, _ = uses_of(path, import_words(path), scope)
    return "would take the place of a dependency that the tests import" if by_tests else ""


def _is_go_dependency(path: str, facts: BaseFacts) -> bool:
    root, found, _ = f"/{path}".partition("/vendor/")
    return bool(found) and posixpath.join(root, "go.mod").lstrip("/") in facts.near


def _twin(path: str, left: frozenset[str]) -> str:
    """A file that an import by the same name leads to: `price.ts` beside `price.js`, `price.py` beside `price/`."""
    stem, ending = posixpath.splitext(path)
    if ending in _JS_FAMILY:
        return next((twin for each in _JS_FAMILY if each != ending and (twin := stem + each) in left), "")
    module = path.removesuffix("/__init__.py") + ".py"
    return module if path.endswith("/__init__.py") and module in left else ""


def _is_top_level_module(path: str, left: frozenset[str]) -> bool:
    """In no package: what is in its folder may be importable by its bare name."""
    folder = posixpath.dirname(path.removesuffix("/__init__.py"))
    return not folder or posixpath.join(folder, "__init__.py") not in left


def _is_foreign_class(path: str, facts: BaseFacts) -> bool:
    """A Java class in a package, by its first two names, that base does not have."""
    if not path.endswith((".java", ".kt")):
        return False
    package = qualified_name(path).split(".")[:-1]
    depth = len(posixpath.dirname(path).split("/")) - len(package) + min(2, len(package))
    return bool(package) and "/".join(path.split("/")[:depth]) not in facts.folders
