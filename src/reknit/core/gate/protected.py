"""Rules for files that are not the agent's to change: tests, what they expect, and configuration."""

from collections.abc import Iterator

from reknit.core.change import Change, FileChange
from reknit.core.gate.paths import is_config, is_in_test_folder, is_python, is_recorded_expectation, is_test_file
from reknit.core.gate.python_tests import doctests_of
from reknit.core.gate.scope import Scope
from reknit.core.verdict import Refusal


def protected_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        sentence = _touches_tests(file, scope)
        if sentence:
            yield Refusal("protected-test", file.path, sentence)


def protected_config(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if is_config(file.path):
            why = "which decides how code is built, checked or run; change the source instead"
            yield Refusal("protected-config", file.path, f"the fix {_verb(file)} {file.path}, {why}")


def is_test(path: str) -> bool:
    """A test, or what one stands on: its helpers, data and recorded expectations."""
    return is_test_file(path) or is_in_test_folder(path) or is_recorded_expectation(path)


def _touches_tests(file: FileChange, scope: Scope) -> str:
    if is_recorded_expectation(file.path):
        return f"the fix {_verb(file)} {file.path}, which records what a test expects; change the source instead"
    is_new = file.before is None
    if is_new and is_test_file(file.path):
        return ""  # a further test is welcome: by its name it cannot change how the others run
    if is_new and is_in_test_folder(file.path):
        return f"the fix added {file.path}, which can change how the tests run; only new test files may be added there"
    if is_test(file.path) or _holds_a_failing_test(file, scope):
        return f"the fix {_verb(file)} the test file {file.path}; change the source instead"
    return ""


def _holds_a_failing_test(file: FileChange, scope: Scope) -> bool:
    """Not a source file with doctests: there the fix belongs, and `test-removed` keeps the examples."""
    if file.path not in scope.findings_files:
        return False
    return is_python(file.path) and not doctests_of(file.text_before)


def _verb(file: FileChange) -> str:
    if file.before is None:
        return "added"
    return "deleted" if file.after is None else "changed"
