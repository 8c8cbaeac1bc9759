"""The kind of a failure, by which two programs that ran the same test are compared."""

import re

_KIND = re.compile(r"\s*(?:[\w.]{1,200}\.)?([A-Z]\w{0,100}(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b")
_ASSERT = re.compile(r"\s*assert\b")


def failure_kind(message: str) -> str:
    """`AssertionError`, as the first line of a runner's message tells it; empty if it does not."""
    if _ASSERT.match(message):
        return "AssertionError"
    found = _KIND.match(message)
    return found.group(1) if found else ""
