"""Recognises console output, which is not a report: which tool printed it, and the option that makes it write one."""

import re

_EXCERPT = 4096
_TEXTS: tuple[tuple[str, str, str], ...] = (
    ("eslint", r"^ +\d+:\d+ +(error|warning) |^\S \d+ problems? \(\d+ errors?, ", "--format json"),
    ("mypy", r"^\S.*?:\d+: (error|note): |^Success: no issues found in |^Found \d+ errors? in \d+ ", "--output json"),
    ("pyright", r"^ *\S+:\d+:\d+ - (error|warning|information): ", "--outputjson"),
    (
        "ruff",
        r"^Found \d+ errors?\.|^All checks passed!$|:\d+: [A-Z]+\d+ \[\*\] |^ +--> \S+:\d+:\d+$",
        "--output-format json",
    ),
    ("pytest", r"^=+ (test session starts|FAILURES|ERRORS|short test summary info) =+$", "--junitxml=report.xml"),
)
_LINES = tuple((tool, re.compile(pattern, re.MULTILINE), option) for tool, pattern, option in _TEXTS)
"""Tool, pattern of a line it prints, option for machine-readable output."""


def is_text(head: bytes) -> bool:
    """It begins like no machine-readable format; a NUL may come from UTF-16 without a byte order mark."""
    return head.lstrip()[:1] not in (b"{", b"[", b"<", b"\0", b"")


def printed_by(head: bytes, tail: bytes) -> tuple[str, str]:
    """The tool and the option it needs; two empty strings: no known tool."""
    text = b"\n".join((head[:_EXCERPT], tail[-_EXCERPT:])).decode("utf-8", "replace").replace("\r", "")
    return next(((tool, option) for tool, line, option in _LINES if line.search(text)), ("", ""))
