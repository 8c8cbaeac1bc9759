"""Reads one failure message: the words that decide, the words that only accompany them, and where it was raised."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.evidence.failure_groups import headline_index

MOST_CHARS = 6_000
_LONGEST_BLOCK = 14
_ASSERTION = re.compile(
    r"(?:E\s{1,8})?(?:failed on (?:setup|teardown) with \")?(?:\w{1,60}\.){0,4}"
    r"(?:AssertionError|AssertionFailedError|ComparisonFailure|Failed(?!: Timeout)|ExpectationError)\b"
    r"|(?:E\s{1,8})?assert |expect\("
)
_PYTHON_FRAME = re.compile(
    r"(?:\s{0,8}File \"([^\"\n]{1,400})\", line \d|(\S{1,400}):\d{1,7}: (?:in |[A-Z]\w{0,60}\s*$))"
)
_JS_FRAME = re.compile(r"\s{1,12}(?:at|❯) ")
_MACHINERY = re.compile(r"<frozen importlib|/importlib/|importlib/__init__\.py|_pytest/|/pluggy/|<string>")
_FOREIGN = re.compile(r"site-packages|dist-packages|node_modules|/lib/python\d|<frozen|node:")
_PACKAGE = re.compile(r"site-packages|dist-packages|node_modules|\.cargo/registry|/go/pkg/mod/|/gems/")
_DIRECT_CAUSE = ("The above exception was the direct cause", "Caused by:", "[cause]:", "caused by:")
_UNITTEST_WRAPPER = re.compile(r"\AImportError: Failed to import test module: [^\n]{1,400}\n")
"""The traceback of what went wrong follows."""
_HANDLING = "During handling of the above exception"
_PYTHON = re.compile(r"python(\d)\.(\d{1,2})")
_HOST = re.compile(
    r"(?:https?|wss?|postgres(?:ql)?|mysql|redis|amqps?|mongodb(?:\+srv)?"
    r"|ftp)://(?:[^\s/@'\"]{1,100}@)?(\[[0-9a-fA-F:]{2,40}\]|[\w.-]{1,200})(?::(\d{1,5}))?"
    r"|host='([\w.-]{1,200})', port=(\d{1,5})|\(['\"]([\w.-]{1,200})['\"], {0,2}(\d{1,5})\)"
    r"|\b(?:host|lookup|ENOTFOUND|EAI_AGAIN|resolve|address"
    r"|hostname)[:=]? {0,2}['\"]?([A-Za-z0-9][\w-]{0,60}(?:\.[\w-]{1,60})+|localhost)(?::(\d{1,5}))?"
    r"|(?<![\w.:])(localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1):(\d{1,5})\b"
)

Place = Literal["own", "foreign", "unknown"]


@dataclass(frozen=True)
class Reading:
    words: str
    """What decides: the exception that ended the test, and what directly caused it."""
    text: str
    """The whole message."""
    is_assertion: bool
    frame: str
    """The place that raised it; empty if no frame names one."""
    file: str = ""
    """The test's file."""

    @property
    def raised(self) -> Place:
        return ("foreign" if _FOREIGN.search(self.frame) else "own") if self.frame else "unknown"

    @property
    def is_in_package(self) -> bool:
        return bool(_PACKAGE.search(self.frame))

    @property
    def python(self) -> tuple[int, int]:
        """The Python that ran, if a path names it."""
        found = _PYTHON.search(self.text)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def hosts(self) -> list[tuple[str, str]]:
        """(host, port) of everything that looks like an address; the deciding words first."""
        found = [
            (next((part for part in match[0::2] if part), ""), next((part for part in match[1::2] if part), ""))
            for text in (self.words, self.text)
            for match in _HOST.findall(text)
        ]
        return list(dict.fromkeys(pair for pair in found if pair[0]))


def read(message: str, file: str = "") -> Reading:
    message = _UNITTEST_WRAPPER.sub("", message, count=1)
    text = (
        message if len(message) <= MOST_CHARS else message[: MOST_CHARS // 3] + "\n" + message[-2 * MOST_CHARS // 3 :]
    )
    lines = text.splitlines()
    headline = lines[headline_index(lines)] if lines else ""
    blocks = [headline, *_block_after(lines), *_last_marked(lines), *_direct_causes(lines)]
    words = "\n".join(dict.fromkeys(line.strip() for line in blocks if line.strip()))
    return Reading(words, text, bool(_ASSERTION.match(headline.strip())), _last_frame(lines), file)


def _block_after(lines: Sequence[str]) -> list[str]:
    """The rest of a message of several lines, up to the first frame or source line."""
    found: list[str] = []
    for line in lines[headline_index(lines) + 1 :][:_LONGEST_BLOCK]:
        if _JS_FRAME.match(line) or _PYTHON_FRAME.match(line) or line.startswith((">", "E ", "    ", "…", "self = ")):
            break
        found.append(line)
    return found


def _last_marked(lines: Sequence[str]) -> list[str]:
    """pytest marks the lines of an exception with `E`; the last block is the one that ended the test."""
    marked = [index for index, line in enumerate(lines) if line.startswith("E ")]
    if not marked:
        return []
    block = [marked[-1]]
    while block[-1] - 1 in marked:
        block.append(block[-1] - 1)
    return [lines[index][1:] for index in reversed(block)][:_LONGEST_BLOCK]


def _direct_causes(lines: Sequence[str]) -> list[str]:
    """What `raise … from` names; not what merely happened before."""
    found: list[str] = []
    for index, line in enumerate(lines):
        if not any(words in line for words in _DIRECT_CAUSE):
            continue
        found.append(line)
        if "direct cause" in line:
            before = [each for each in lines[:index] if each.startswith("E ") or _is_thrown(each)]
            found += [each.removeprefix("E ").strip() for each in before[-3:]]
    return found


def _is_thrown(line: str) -> bool:
    name = line.partition(":")[0]
    return name.endswith(("Error", "Exception", "gaierror", "timeout")) and " " not in name.strip()


def happened_before(reading: Reading) -> bool:
    return _HANDLING in reading.text


def _last_frame(lines: Sequence[str]) -> str:
    places = [found[1] or found[2] for line in lines if (found := _PYTHON_FRAME.match(line[:500]))]
    if not places:  # the others name the innermost frame first
        return next((line.strip()[:500] for line in lines if _JS_FRAME.match(line)), "")
    return next((place for place in reversed(places) if not _MACHINERY.search(place)), "")
