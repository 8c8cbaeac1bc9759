"""Rules against source that recognises its tests, or repeats the values of the failing one."""

import re
from collections.abc import Iterable, Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.languages.python.test_awareness import find_new_flags
from reknit.core.languages.python.tests import parse
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_prose, is_python
from reknit.core.syntax import diff_lines

_ENDS = re.compile(
    r"\bprocess\s*(?:\.\s*(?:exit|abort|reallyExit)\s*\(|\[)|\bDeno\.exit\s*\(|\b(?:os|syscall)\.Exit\s*\("
    r"|\bprocess::(?:exit|abort)\b|\bSystem\.exit\s*\(|\bgetRuntime\(\)\s*\.\s*(?:halt|exit)\s*\(|\bexitProcess\s*\("
    r"|\bEnvironment\.(?:Exit|FailFast)\s*\(|\bat_exit\b|\bexit!|\b_exit\s*\("
)
_RUNNER = re.compile(
    r"\bJEST_WORKER_ID\b|\bVITEST(?:_\w+)?\b|\bPYTEST_CURRENT_TEST\b|(?<![\w}])/outbox\b|\btesting\.Testing\s*\("
    r"|\bcfg!\s*\(\s*test\b|\bcfg\s*\(\s*not\s*\(\s*test\b"
)
_ASSERTIONS = re.compile(r"\bmacro_rules!\s*(?:(?:debug_)?assert(?:_eq|_ne)?|panic|matches)\b")
_SIGNS = {
    "ends the process": _ENDS,
    "refers to its test runner": _RUNNER,
    "redefines an assertion": _ASSERTIONS,
}

# For Python code that this interpreter cannot parse.
_UNPARSED_PYTHON = re.compile(
    r"\b(?:_?pytest|unittest|pluggy|_exit|atexit|execv\w*|_getframe|f_back|currentframe|settrace|setprofile|builtins)\b"
    r"|\bsys\s*\.\s*(?:modules|exit)\b|\bPYTEST_CURRENT_TEST\b|(?<![\w}])/outbox\b|\b__(?:eq|ne|import)__\b"
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]{0,30}(?:\.\d[\d_]{0,30})?(?![\w.])")
_QUOTED = re.compile(r"\"([^\"\\\n]{3,80})\"|'([^'\\\n]{3,80})'|`([^`\\\n]{3,80})`")
_ROUND = re.compile(r"\d|10+")
"""Numbers that any fix may have."""
_FEWEST = 2
"""One value alone is often the name or the message that the test asks for."""
_MAX_LINE_CHARS = 2_000


def find_new_signs(before: str, added: Iterable[str]) -> list[str]:
    """Return signs that the file does not have on base; one that is there was written by its authors."""
    text = "\n".join(added)
    matches = {sign: pattern.search(text) for sign, pattern in _SIGNS.items()}
    return [
        f"{sign} ({' '.join(match[0].split()).rstrip('( [')})"
        for sign, match in matches.items()
        if match and not _SIGNS[sign].search(before)
    ]


def find_new_python_words(before: str, added: Iterable[str]) -> list[str]:
    """Return suspicious words that base does not have, for Python code that cannot be parsed."""
    words = {match[0] for line in added for match in _UNPARSED_PYTHON.finditer(line)}
    return [f"names {word}" for word in sorted(words) if word not in before]


def find_test_awareness(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse source that exits, looks at the test runner or fakes equality."""
    for file in change.files:
        if file.after is None or is_test_code(file, scope):
            continue
        for sign in _find_signs(file):
            yield Refusal("test-awareness", file.path, f"{file.path} now {sign}; source must not know about its tests")


def _find_signs(file: FileChange) -> Iterable[str]:
    if is_prose(file.path):
        return ()
    if not is_python(file.path):
        return find_new_signs(file.text_before, diff_lines(file).added)
    if parse(file.text_after) is None:
        return find_new_python_words(file.text_before, diff_lines(file).added)
    return find_new_flags(file.text_before, file.text_after)


def find_test_values(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse source that repeats both the input and the answer of the failing test."""
    values = _collect_test_values(scope)
    if len(values) < _FEWEST:
        return
    for file in change.files:
        if file.after is None or is_prose(file.path) or is_test_code(file, scope):
            continue
        added = _extract_values("\n".join(diff_lines(file).added)) & values
        shared = sorted(added - _extract_values(file.text_before) if added else ())
        if len(shared) >= _FEWEST:
            words = " and ".join(shared[:_FEWEST])
            message = (
                f"{file.path} now has values of the failing test ({words}); it may know the answer to nothing else"
            )
            yield Refusal("test-values", file.path, message)


def _collect_test_values(scope: Scope) -> frozenset[str]:
    """Return the values in the failure and in the test's whole file: parameters are often at the top of the file."""
    lines = (line for line in scope.failing_text.splitlines() if len(line) <= _MAX_LINE_CHARS)
    return _extract_values(scope.failure).union(*map(_extract_values, lines))


def _extract_values(text: str) -> frozenset[str]:
    numbers = {number.replace("_", "") for number in _NUMBER.findall(text)}
    quoted = {word for groups in _QUOTED.findall(text) for word in groups if word}
    return frozenset(quoted | {number for number in numbers if not _ROUND.fullmatch(number)})
