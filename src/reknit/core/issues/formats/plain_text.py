"""What tools print for people, which is no report: whose it is, and the option with which it prints one."""

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
"""Tool, how a line of it looks, the option for programs."""


def is_text(head: bytes) -> bool:
    """It begins as no format for programs does; a NUL may be of UTF-16 without its mark."""
    return head.lstrip()[:1] not in (b"{", b"[", b"<", b"\0", b"")


def printed_by(head: bytes, tail: bytes) -> tuple[str, str]:
    """The tool and the option it needs; two empty texts: nobody that is known."""
    text = b"\n".join((head[:_EXCERPT], tail[-_EXCERPT:])).decode("utf-8", "replace").replace("\r", "")
    return next(((tool, option) for tool, line, option in _LINES if line.search(text)), ("", ""))
