"""Reads failures of tests: the kind in a runner's message, and the results that the second harness printed."""

import re
from dataclasses import dataclass

_KIND = re.compile(r"\s{0,20}(?:[\w.]{1,200}\.)?([A-Z]\w{0,100}(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b")
_ASSERT = re.compile(r"\s{0,20}assert\b")
_CRASH = re.compile(r"^[^\s:]{1,300}:\d{1,7}: ([A-Za-z_]\w{0,100})$", re.MULTILINE)
"""The end of a traceback of pytest: `tests/test_price.py:5: AssertionError`."""
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,100}\.){0,20}([A-Za-z_]\w{0,100})(?::|$)")
_STACK = re.compile(r"^([A-Z]\w{0,100}Error|Error)(?: \[\w{1,100}\])?:", re.MULTILINE)
"""The beginning of a stack of JavaScript: `AssertionError [ERR_ASSERTION]: Expected …`."""
_JEST_FAIL = "Error: expect("
"""The beginning of a failure of jest."""
_PHASE = re.compile(r"failed on (?:setup|teardown) with \"")
_TRACEBACK = "Traceback (most recent call last):"
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]{1,40}|\d{1,40})\b")
_COMPARED_CHARS = 200
"""Number of characters that are compared; the stored message may lack the rest."""
UNLIKE_ANY = frozenset({"LoadError", "NotFound", "Exit", "UntrustedConversion"})
"""Kinds that the second harness reports if it did not get to the test's own failure."""
_PYTEST_FAIL = "Failed: "
"""The beginning of the message of `pytest.fail`, and of a `raises` without an exception."""


def find_failure_kind(message: str) -> str:
    """Return the kind in a runner's message, as in `AssertionError`; empty if there is none."""
    if _TRACEBACK in message:
        return _find_raised_kind(message)
    crashes = [kind for kind in _CRASH.findall(message) if kind[0].isupper()] if ".py:" in message else []
    if crashes:
        return str(crashes[-1])
    first = _PHASE.sub("", message[:2000], count=1)
    if _ASSERT.match(first) or first.startswith(_JEST_FAIL):
        return "AssertionError"
    match = _STACK.search(first) or _KIND.match(first)
    return match[1] if match else "Failed" if first.startswith(_PYTEST_FAIL) else ""


def is_same_message(message: str, failure: str) -> bool:
    """Return True if both show the same failure, in a language without kinds. Line breaks and numbers may differ."""
    return _normalize(message)[:_COMPARED_CHARS] in _normalize(failure)


def _normalize(text: str) -> str:
    return _NUMBER.sub("0", " ".join(text.split()))


def _find_raised_kind(message: str) -> str:
    """Return the kind in the first line after the frames of the last traceback; frames are indented."""
    lines = message.rpartition(_TRACEBACK)[2].splitlines()
    line = next((line for line in lines if line[:1].strip()), "")
    match = _RAISED.match(line)
    return match[1] if match else ""


@dataclass(frozen=True)
class HarnessResult:
    """The result of one test in the second harness."""

    is_green: bool
    kind: str = ""
    """Type of the exception: `AssertionError`."""
    message: str = ""


@dataclass
class _Line:
    test: str = ""
    ok: bool = False
    kind: str = ""
    message: str = ""
    end: int = -1


def read_harness_output(output: bytes, nonce: str) -> dict[str, HarnessResult]:
    """Return results by test; empty if the harness did not finish, or named a test twice."""
    import msgspec  # late, because a command that queues a run loads this module but reads no output

    results: dict[str, HarnessResult] = {}
    for part in output.split(nonce.encode())[1:]:
        try:
            line = msgspec.json.decode(part.partition(b"\n")[0], type=_Line)
        except msgspec.MsgspecError:
            return {}
        if line.end >= 0:
            return results if line.end == len(results) else {}
        if line.test in results:
            return {}
        results[line.test] = HarnessResult(line.ok, line.kind, line.message)
    return {}
