"""Rules for files that the agent may not change: tests, what they expect, and configuration."""

import posixpath
import re
from collections.abc import Collection, Iterator

from reknit.core.gate.rules.new_test_support import supports_a_new_test
from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.manifest_text import has_repeated_keys, read_json
from reknit.core.repository.paths import (
    is_below,
    is_config,
    is_in_folder_of_tests,
    is_in_test_folder,
    is_recorded_expectation,
    is_snapshot,
    is_test_file,
)

_TEST_WORD = re.compile(r"(?:.*[-_. ])?(?:tests?|testing|specs?|checks?|acceptance|e2e|scenarios?)(?:[-_. ].*)?", re.I)
_ENTRY_POINTS = frozenset({"main", "module", "types", "typings"})
"""Keys of package.json that name one source file: to change one is no more than to change the source.

Not `exports`: its conditions can lead a test run to other files than a user's program.
"""
# In these languages tests are next to the source, so a package `spec` or `checks` is not a test folder.
_BESIDE_SOURCE = re.compile(r".*(?:_test\.go|\.(?:test|spec)\.[cm]?[jt]sx?)", re.I)


def protected_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    folders = _test_folders(scope.findings_files)
    for file in change.files:
        sentence = _touches_tests(file, change, scope, folders)
        if sentence:
            yield Refusal("protected-test", file.path, sentence)


def protected_config(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if is_config(file.path) and not _is_entry_point(file):
            why = "which decides how code is built, checked or run; change the source instead"
            yield Refusal("protected-config", file.path, f"the fix {_verb(file)} {file.path}, {why}")


def _is_entry_point(file: FileChange) -> bool:
    if posixpath.basename(file.path) != "package.json" or file.after is None:
        return False
    if has_repeated_keys(file.text_after):
        return False
    before, after = read_json(file.text_before), read_json(file.text_after)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return bool(before) and bool(changed) and changed <= _ENTRY_POINTS


def _touches_tests(file: FileChange, change: Change, scope: Scope, folders: Collection[str]) -> str:
    if file.path in scope.started_files:
        return f"the fix {_verb(file)} {file.path}, which the test command starts; change the source instead"
    path, is_known = file.path, scope.facts is not None
    if file.before is None and is_test_file(path) and not is_recorded_expectation(path):
        return ""  # another test is welcome: with such a name it cannot change how the others run
    if file.before is None and supports_a_new_test(file, change, scope):
        return ""
    if is_snapshot(path) or (not is_known and is_recorded_expectation(path)):
        return f"the fix {_verb(file)} {path}, which records what a test expects; change the source instead"
    by_place = is_in_folder_of_tests(path) or (not is_known and is_in_test_folder(path))
    is_among_tests = by_place or any(is_below(path, folder) for folder in folders)
    if file.before is None and is_among_tests:
        return f"the fix added {path}, which can change how the tests run; only new test files may be added there"
    if is_among_tests or is_test_code(file, scope):
        return f"the fix {_verb(file)} the test file {path}; change the source instead"
    return ""


def _test_folders(test_files: Collection[str]) -> frozenset[str]:
    """Folders that contain tests and are named like it: other files in them support the tests."""
    folders = {posixpath.dirname(path) for path in test_files if not _BESIDE_SOURCE.fullmatch(path)}
    return frozenset(folder for folder in folders if _TEST_WORD.fullmatch(posixpath.basename(folder)))


def _verb(file: FileChange) -> str:
    if file.before is None:
        return "added"
    return "deleted" if file.after is None else "changed"
