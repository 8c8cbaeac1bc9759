"""Others' words in a commit message: none may skip CI, call people, close an issue, or be a secret."""

import re

from reknit.core.redact import redact

_SKIPS_CI = re.compile(r"\[([^\[\]\n]*(?<![a-z])(?:skip|ci)(?![a-z])[^\[\]\n]*)\]", re.IGNORECASE)
_NO_CI = re.compile(r"\*{3}(?=no_ci)|(?<=no_ci)\*{3}", re.IGNORECASE)
_SKIP_CHECKS = re.compile(r"(skip-checks)\s*:", re.IGNORECASE)
_ISSUE = re.compile(r"(?:#|\bgh-)(?=\d)", re.IGNORECASE)
_ISSUES_ADDRESS = re.compile(r"(://\S{0,500}/(?:issues|pull)/)(?=\d)")
_CALL = re.compile(r"@(?=\w)")


def inert(message: str) -> str:
    quiet = _SKIP_CHECKS.sub(r"\1", _NO_CI.sub("", _SKIPS_CI.sub(r"(\1)", redact(message))))
    return _CALL.sub("(at)", _ISSUE.sub("no. ", _ISSUES_ADDRESS.sub(r"\1no. ", quiet)))
