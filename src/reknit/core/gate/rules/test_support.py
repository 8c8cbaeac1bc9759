"""Rule for files that tests depend on: helpers and data that only they use, and the targets of their imports."""

import posixpath
import re
from collections.abc import Iterator

from reknit.core.gate.mention_words import (
    is_data,
    list_import_words,
    list_pattern_words,
    list_use_words,
    may_support_tests,
    to_qualified_name,
)
from reknit.core.gate.rules.runner_tampering import is_module_of_a_test_run
from reknit.core.gate.scope import BaseFacts, Scope
from reknit.core.gate.test_evidence import (
    changes_plain_functions,
    find_shipped_place,
    find_uses,
    holds_only_checks,
    imports_a_test_library,
    is_of_tests,
    is_test_code,
)
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import (
    is_below,
    is_code,
    is_config,
    is_installed,
    is_python,
    is_recorded_expectation,
    is_snapshot,
    is_test_file,
)

_TEST_AFFIX = re.compile(r"^test[-_]?(?!ing)|[-_.]?(?:tests?|spec)$", re.I)
_JS_FAMILY = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_SNAPSHOT = (".snap", ".ambr")


def find_test_support(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse changes of the tests' helpers and data, and files that redirect their imports."""
    facts = scope.facts
    if facts is None:
        return
    remaining_paths = facts.near.union(change.paths) - {file.path for file in change.files if file.after is None}
    for file in change.files:
        if file.before is None:
            why = _explain_shadowing(file.path, remaining_paths, facts, scope)
        elif file.before != file.after and not _is_protected_anyway(file, scope):
            why = _explain_use_by_tests(file, facts, scope)
        else:
            continue
        if why:
            yield Refusal("test-support", file.path, f"{file.path} {why}")


def _is_protected_anyway(file: FileChange, scope: Scope) -> bool:
    return file.path in scope.started_files or is_snapshot(file.path) or is_test_code(file, scope)


def _explain_use_by_tests(file: FileChange, facts: BaseFacts, scope: Scope) -> str:
    path = file.path
    if is_data(path):
        name, *rest = list_use_words(path, facts)
        # The words for its stem and its folder count only if no file contains its full name.
        by_name = find_uses(path, (name,), scope)
        by_tests, by_product = by_name if any(by_name) else find_uses(path, tuple(rest), scope)
        is_refused = by_tests and not by_product and not _is_read_by_pattern(path, facts, scope)
        return "holds data that only tests read; change the source instead" if is_refused else ""
    if not may_support_tests(file) or _is_tested_product(file, facts, scope):
        return ""
    by_tests, by_product = find_uses(path, list_use_words(path, facts), scope)
    is_sure = by_tests or imports_a_test_library(path, file.text_before)
    return (
        "helps the tests, and no product code uses it; change the source instead" if is_sure and not by_product else ""
    )


def _is_read_by_pattern(path: str, facts: BaseFacts, scope: Scope) -> bool:
    """Return True if code in the shipped folder of the file reads such files by a computed name."""
    place = find_shipped_place(path, scope)
    users = facts.find_mentions(list_pattern_words(path), but=path) if place else ()
    return any(is_below(user, place) and is_code(user) and not is_of_tests(user, scope) for user in users)


def _is_tested_product(file: FileChange, facts: BaseFacts, scope: Scope) -> bool:
    """Return True if the module is shipped and, if it contains checks, only its own tests use it."""
    path, text = file.path, file.text_before
    if not find_shipped_place(path, scope) or not (imports_a_test_library(path, text) or holds_only_checks(path, text)):
        return bool(find_shipped_place(path, scope))
    if changes_plain_functions(path, text, file.text_after):
        return True
    users = [user for user in facts.find_mentions(list_use_words(path, facts), but=path) if is_of_tests(user, scope)]
    own = _stem(path if _stem(path) not in ("__init__", "index") else posixpath.dirname(path))
    return bool(users) and all(_TEST_AFFIX.sub("", _stem(user)).lower() == own.lower() for user in users)


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _explain_shadowing(path: str, remaining_paths: frozenset[str], facts: BaseFacts, scope: Scope) -> str:
    """Return why imports that find another file on base would find this new file; empty: they would not."""
    if is_installed(path) or _is_go_dependency(path, facts):
        return "would take the place of an installed dependency"
    if other := _find_twin(path, remaining_paths):
        return f"would take the place of {other} where that is imported"
    name = posixpath.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
    is_outside = _is_top_level_module(path, remaining_paths) if is_python(path) else _is_foreign_class(path, facts)
    if not is_outside or (name and name in scope.failure):
        return ""  # the failing test may need a new module
    by_tests, _ = find_uses(path, list_import_words(path), scope)
    return "would take the place of a dependency that the tests import" if by_tests else ""


def _is_go_dependency(path: str, facts: BaseFacts) -> bool:
    root, separator, _ = f"/{path}".partition("/vendor/")
    return bool(separator) and posixpath.join(root, "go.mod").lstrip("/") in facts.near


def _find_twin(path: str, remaining_paths: frozenset[str]) -> str:
    """Return the file that the same import leads to: `price.ts` beside `price.js`, `price.py` beside `price/`."""
    stem, ending = posixpath.splitext(path)
    if ending in _JS_FAMILY:
        return next((twin for other in _JS_FAMILY if other != ending and (twin := stem + other) in remaining_paths), "")
    module = path.removesuffix("/__init__.py") + ".py"
    return module if path.endswith("/__init__.py") and module in remaining_paths else ""


def _is_top_level_module(path: str, remaining_paths: frozenset[str]) -> bool:
    """Return True if it is in no package, so that imports may find it by its bare name."""
    folder = posixpath.dirname(path.removesuffix("/__init__.py"))
    return not folder or posixpath.join(folder, "__init__.py") not in remaining_paths


def _is_foreign_class(path: str, facts: BaseFacts) -> bool:
    """Return True if base has no folder for the first two names of this class's package."""
    if not path.endswith((".java", ".kt")):
        return False
    package = to_qualified_name(path).split(".")[:-1]
    depth = len(posixpath.dirname(path).split("/")) - len(package) + min(2, len(package))
    return bool(package) and "/".join(path.split("/")[:depth]) not in facts.folders


def supports_a_new_test(file: FileChange, change: Change, scope: Scope) -> bool:
    """Return True if a new file belongs to a new test of the same change, and to no other test."""
    path, facts = file.path, scope.facts
    tests = [file.path for file in change.files if file.before is None and is_test_file(file.path)]
    tests = [test for test in tests if not is_recorded_expectation(test)]
    if facts is None or not tests or is_config(path):
        return False
    folder, name = posixpath.split(path)
    if name == "__init__.py":
        return folder not in facts.folders and any(is_below(test, folder) for test in tests)
    if name.lower().endswith(_SNAPSHOT):
        recorded = posixpath.splitext(name)[0]
        return any(recorded in (posixpath.basename(test), _stem(test)) for test in tests)
    if is_python(path) and is_module_of_a_test_run(_stem(path)):
        return False
    words = (*list_use_words(path, facts), *(list_import_words(path) if is_python(path) else ()))
    own = tuple(word for word in words if _stem(path) in word)
    return not any(find_uses(path, own, scope))
