"""Rules for files that the agent may not change: tests, what they expect, and configuration."""

import posixpath
from collections.abc import Iterator

from reknit.core.gate.code_change import only_adds_tests
from reknit.core.gate.rules.file_kinds import is_read_by_a_tool
from reknit.core.gate.rules.test_support import supports_a_new_test
from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import is_among_tests, is_packaged, is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.manifest_text import has_repeated_keys, read_json
from reknit.core.repository.paths import is_recorded_expectation, is_snapshot, is_test_file

_ENTRY_POINTS = frozenset({"main", "module", "types", "typings"})
"""Keys of package.json that name one source file; changing one is like changing the source.

`exports` is not one of them: by its conditions, tests could load other files than a user's program.
"""


def find_protected_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse changes of existing tests and of what they expect."""
    for file in change.files:
        sentence = _explain_touched_tests(file, change, scope)
        if sentence:
            yield Refusal("protected-test", file.path, sentence)


def find_protected_config(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse changes of configuration."""
    for file in change.files:
        if is_read_by_a_tool(file, scope) and not _is_entry_point(file):
            why = "which decides how code is built, checked or run; change the source instead"
            yield Refusal("protected-config", file.path, f"the fix {_describe_change(file)} {file.path}, {why}")


def _is_entry_point(file: FileChange) -> bool:
    if posixpath.basename(file.path) != "package.json" or file.after is None:
        return False
    if has_repeated_keys(file.text_after):
        return False
    before, after = read_json(file.text_before), read_json(file.text_after)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    return bool(before) and bool(changed) and changed <= _ENTRY_POINTS


def _explain_touched_tests(file: FileChange, change: Change, scope: Scope) -> str:
    if file.path in scope.started_files:
        return f"the fix {_describe_change(file)} {file.path}, which the test command starts; change the source instead"
    path, has_facts = file.path, scope.facts is not None
    if file.before is None and is_test_file(path) and not is_recorded_expectation(path):
        return ""  # a new test may be added: a file with such a name cannot change how other tests run
    if file.before is None and supports_a_new_test(file, change, scope):
        return ""
    if (is_snapshot(path) and not is_packaged(path, scope)) or (not has_facts and is_recorded_expectation(path)):
        return f"the fix {_describe_change(file)} {path}, which records what a test expects; change the source instead"
    if file.before is None and is_among_tests(path, scope):
        return f"the fix added {path}, which can change how the tests run; only new test files may be added there"
    if is_test_code(file, scope) and not _only_gained_tests(file, scope):
        return f"the fix {_describe_change(file)} the test file {path}; change the source instead"
    return ""


def _only_gained_tests(file: FileChange, scope: Scope) -> bool:
    """Return True if the file has tests and is unchanged except for new ones."""
    has_tests = is_test_file(file.path) or file.path in scope.findings_files
    return (
        has_tests
        and None not in (file.before, file.after)
        and only_adds_tests(file.path, file.text_before, file.text_after)
    )


def _describe_change(file: FileChange) -> str:
    if file.before is None:
        return "added"
    return "deleted" if file.after is None else "changed"
