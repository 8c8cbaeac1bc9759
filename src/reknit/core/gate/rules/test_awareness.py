"""Rule that source does not know about its tests: no exit, no look at the runner, no equality of anything."""

from collections.abc import Iterable, Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.syntax.python_test_awareness import new_flags
from reknit.core.gate.syntax.python_tests import parse
from reknit.core.gate.syntax.text_test_awareness import new_python_words, new_signs
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_prose, is_python


def aware_of_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if file.after is None or is_test_code(file, scope):
            continue
        for sign in _signs(file):
            yield Refusal("test-awareness", file.path, f"{file.path} now {sign}; source must not know about its tests")


def _signs(file: FileChange) -> Iterable[str]:
    if is_prose(file.path):
        return ()
    if not is_python(file.path):
        return new_signs(file.text_before, line_diff(file).added)
    if parse(file.text_after) is None:
        return new_python_words(file.text_before, line_diff(file).added)
    return new_flags(file.text_before, file.text_after)
