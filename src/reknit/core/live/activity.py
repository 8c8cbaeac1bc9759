"""Describes what a run does at this moment: what its agent reads, edits and runs, and how many tests have run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reknit.core.agents.conversation import Turn
from reknit.core.text.format import sanitize_line

DOCUMENT = "activity"
"""Name of the document of a run that holds its activity."""
MAX_LINES = 3
MAX_CHARS = 160
_COLLECTED = re.compile(rb'"collected": ?(\d{1,9})')
_RESULT = re.compile(rb'"result": ?"')


@dataclass(frozen=True)
class Activity:
    """The work of a run at this moment, besides its step."""

    agent: str = ""
    lines: tuple[str, ...] = ()
    """The last things that the agent did, the newest first: `edits shop/pricing.py`."""
    tests_done: int = 0
    tests_to_do: int = 0
    """Number of all tests of this run of the suite; 0: it is not known."""


def to_document(activity: Activity) -> dict[str, object]:
    """Return the activity as it is stored."""
    return asdict(activity)


def read_activity(document: Mapping[str, Any]) -> Activity:
    """Return a stored activity; one without anything if nothing is stored."""
    if not document:
        return Activity()
    lines = tuple(sanitize_line(str(line), MAX_CHARS) for line in document["lines"][:MAX_LINES])
    return Activity(str(document["agent"]), lines, int(document["tests_done"]), int(document["tests_to_do"]))


def describe_turns(agent: str, turns: Sequence[Turn], changed_files: Sequence[str] = ()) -> Activity:
    """Return what an agent does. `changed_files`: for a program whose output does not say what it edits."""
    files = [f"changed {name}" for name in changed_files]
    done = [f"{turn.verb} {turn.text}".strip() for turn in reversed(turns) if turn.kind == "tool"]
    words = [turn.text for turn in reversed(turns) if turn.kind == "says" and turn.text] if not done else []
    texts = dict.fromkeys(sanitize_line(text, MAX_CHARS) for text in [*files, *(done or words[:1])])
    return Activity(agent, tuple(texts)[:MAX_LINES])


@dataclass
class TestCount:
    """Counts the results that a test run sends, as they arrive."""

    __test__ = False
    done: int = 0
    to_do: int = 0

    def add(self, data: bytes) -> None:
        """Count the results in a part of the stream. A result that two parts share may be missed: it is for display."""
        self.done += len(_RESULT.findall(data))
        if match := _COLLECTED.search(data):
            self.to_do = int(match[1])

    def to_activity(self) -> Activity:
        return Activity(tests_done=self.done, tests_to_do=max(self.to_do, self.done) if self.to_do else 0)
