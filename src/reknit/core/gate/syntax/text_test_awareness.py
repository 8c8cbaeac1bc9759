"""Signs that source knows about its tests, in languages that are read only as text."""

import re
from collections.abc import Iterable

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

# For Python of a version that this interpreter cannot parse.
_UNPARSED_PYTHON = re.compile(
    r"\b(?:_?pytest|unittest|pluggy|_exit|atexit|execv\w*|_getframe|f_back|currentframe|settrace|setprofile|builtins)\b"
    r"|\bsys\s*\.\s*(?:modules|exit)\b|\bPYTEST_CURRENT_TEST\b|(?<![\w}])/outbox\b|\b__(?:eq|ne|import)__\b"
)


def new_signs(before: str, added: Iterable[str]) -> list[str]:
    """A sign that is already in the file on base is its authors' own."""
    text = "\n".join(added)
    found = {sign: pattern.search(text) for sign, pattern in _SIGNS.items()}
    return [
        f"{sign} ({' '.join(match[0].split()).rstrip('( [')})"
        for sign, match in found.items()
        if match and not _SIGNS[sign].search(before)
    ]


def new_python_words(before: str, added: Iterable[str]) -> list[str]:
    found = {match[0] for line in added for match in _UNPARSED_PYTHON.finditer(line)}
    return [f"names {word}" for word in sorted(found) if word not in before]
