"""The kind of a failure, by which two programs that ran the same test are compared."""

import re

_KIND = re.compile(r"\s{0,20}(?:[\w.]{1,200}\.)?([A-Z]\w{0,100}(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b")
_ASSERT = re.compile(r"\s{0,20}assert\b")
_CRASH = re.compile(r"^[^\s:]{1,300}:\d{1,7}: ([A-Za-z_]\w{0,100})$", re.MULTILINE)
"""The end of a traceback of pytest's: `tests/test_price.py:5: AssertionError`."""
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,100}\.){0,20}([A-Za-z_]\w{0,100})(?::|$)")
_STACK = re.compile(r"^([A-Z]\w{0,100}Error|Error)(?: \[\w{1,100}\])?:", re.MULTILINE)
"""The beginning of a stack of JavaScript: `AssertionError [ERR_ASSERTION]: Expected …`."""
_EXPECT = "Error: expect("
"""What jest says."""
_PHASE = re.compile(r"failed on (?:setup|teardown) with \"")
_TRACEBACK = "Traceback (most recent call last):"
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]{1,40}|\d{1,40})\b")
_ENOUGH = 200
"""Characters: what follows may have been left out of the stored message."""
UNLIKE_ANY = frozenset({"LoadError", "NotFound", "Exit", "UntrustedConversion"})
"""What the second harness says where the test itself did not come to its failure."""
_FAILED = "Failed: "
"""What pytest raises by `fail`, and where `raises` saw nothing."""


def failure_kind(message: str) -> str:
    """`AssertionError`, as a runner's message tells it; empty if it does not."""
    if _TRACEBACK in message:
        return _raised(message)
    crashes = [kind for kind in _CRASH.findall(message) if kind[0].isupper()] if ".py:" in message else []
    if crashes:
        return str(crashes[-1])
    first = _PHASE.sub("", message[:2000], count=1)
    if _ASSERT.match(first) or first.startswith(_EXPECT):
        return "AssertionError"
    found = _STACK.search(first) or _KIND.match(first)
    return found[1] if found else "Failed" if first.startswith(_FAILED) else ""


def is_told(message: str, failure: str) -> bool:
    """Whether a runner said the same, for languages without kinds: however it wraps lines, and whatever the numbers."""
    return _plain(message)[:_ENOUGH] in _plain(failure)


def _plain(text: str) -> str:
    return _NUMBER.sub("0", " ".join(text.split()))


def _raised(message: str) -> str:
    """The first line after the frames of the last traceback; frames are indented."""
    lines = message.rpartition(_TRACEBACK)[2].splitlines()
    line = next((each for each in lines if each[:1].strip()), "")
    found = _RAISED.match(line)
    return found[1] if found else ""
