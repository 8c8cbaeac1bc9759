"""Neutralizes untrusted text in a commit message: CI-skip markers, mentions, issue references and secrets."""

import re

from reknit.core.text.redact import redact

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,200})\]")
_ORDER = re.compile(r"skip|no.?ci|issue:|(?<![a-z])ci(?![a-z])", re.IGNORECASE)
_NO_CI = re.compile(r"(?<!\*)\*{3,}+(?=no_ci)|(?<=no_ci)\*{3,}", re.IGNORECASE)
_SKIP_CHECKS = re.compile(r"(skip-checks)[\s:]*:", re.IGNORECASE)
_ISSUE = re.compile(r"(?:#|\bg[hl]-)(?=\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"://\S+")
_ISSUE_IN_ADDRESS = re.compile(r"(/(?:issues(?:/incident)?|work_items|pull|merge_requests)/)(?=\d)")
_CALL = re.compile(r"@(?=\w)")


def neutralize_commit_text(message: str) -> str:
    """Other brackets stay: `test_price[2]` is a name."""
    quiet = _BRACKETS.sub(lambda found: f"({found[1]})" if _ORDER.search(found[1]) else found[0], redact(message))
    quiet = _SKIP_CHECKS.sub(r"\1", _NO_CI.sub("", quiet))
    quiet = _ADDRESS.sub(lambda found: _ISSUE_IN_ADDRESS.sub(r"\1no. ", found[0]), quiet)
    return _CALL.sub("(at)", _ISSUE.sub("no. ", quiet))
