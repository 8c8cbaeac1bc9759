"""Rule that source does not repeat the failing test: both what it gives and what it expects."""

import re
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.line_diff import line_diff
from reknit.core.gate.test_evidence import is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_prose

_NUMBER = re.compile(r"(?<![\w.])\d[\d_]{0,30}(?:\.\d[\d_]{0,30})?(?![\w.])")
_QUOTED = re.compile(r"\"([^\"\\\n]{3,80})\"|'([^'\\\n]{3,80})'|`([^`\\\n]{3,80})`")
_ROUND = re.compile(r"\d|10+")
"""Numbers that any fix may have."""
_FEWEST = 2
"""One value alone is often the name or the message that the test asks for."""
_LONGEST_LINE = 2_000


def values_of_the_test(change: Change, scope: Scope) -> Iterator[Refusal]:
    values = _test_values(scope)
    if len(values) < _FEWEST:
        return
    for file in change.files:
        if file.after is None or is_prose(file.path) or is_test_code(file, scope):
            continue
        added = _values("\n".join(line_diff(file).added)) & values
        shared = sorted(added - _values(file.text_before) if added else ())
        if len(shared) >= _FEWEST:
            words = " and ".join(shared[:_FEWEST])
            what = f"{file.path} now has values of the failing test ({words}); it may know the answer to nothing else"
            yield Refusal("test-values", file.path, what)


def _test_values(scope: Scope) -> frozenset[str]:
    """Return those of the failure and of the failing test's whole file: tables of parameters are often at its top."""
    lines = (line for line in scope.failing_text.splitlines() if len(line) <= _LONGEST_LINE)
    return _values(scope.failure).union(*map(_values, lines))


def _values(text: str) -> frozenset[str]:
    numbers = {found.replace("_", "") for found in _NUMBER.findall(text)}
    quoted = {word for found in _QUOTED.findall(text) for word in found if word}
    return frozenset(quoted | {each for each in numbers if not _ROUND.fullmatch(each)})
