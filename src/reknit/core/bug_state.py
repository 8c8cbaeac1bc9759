"""Describes the state of one bug, which is stored as a JSON document: its test, its attempts and their results."""

import re
from dataclasses import asdict, dataclass
from typing import Literal

from reknit.core.errors import UsageError
from reknit.core.text.format import to_one_line

BugStatus = Literal["in_progress", "FIXED", "DEFERRED"]

STRATEGY_NAMES = {"local": "local", "search": "web_search", "deep": "deep_investigation"}
"""Strategy -> its name in documents and hooks."""
_MAX_ERROR_CHARS = 300
_BUG_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True)
class BugAttempt:
    """One attempt to fix the bug."""

    attempt: int
    strategy: str
    result: str


@dataclass(frozen=True)
class BugState:
    """The state of one bug. Its fields are the keys of the document."""

    bug_id: str
    test_path: str
    attempt: int
    max_attempts: int
    status: BugStatus
    strategy: str
    last_error: str
    history: tuple[BugAttempt, ...] = ()

    def to_document(self) -> dict[str, object]:
        return asdict(self) | {"history": [asdict(attempt) for attempt in self.history]}


def find_error(output: str, sentence: str) -> str:
    """Return the test's own error in one line, or the sentence if it printed none."""
    lines = [to_one_line(line) for line in output.splitlines()]
    marked = (line.removeprefix("E ").strip() for line in lines if line.startswith("E "))  # as pytest prints it
    return next(marked, next(filter(None, lines), sentence))[:_MAX_ERROR_CHARS]


def check_bug_id(text: str) -> str:
    """Return the id if it can be printed, stored and put into file names; raise `UsageError` otherwise."""
    if _BUG_ID.fullmatch(text):
        return text
    message = f"{text!r} is not the id of a bug: letters, digits, `.`, `_` and `-`, at most 64, a letter or digit first"
    raise UsageError("bug-id", message, help="for example: `--bug BUG-001`")
