"""Builds the answers of the hook, and the marker files that tell it without a database if an answer is due."""

import json
from dataclasses import asdict, dataclass
from shlex import quote

from reknit.core.bug_state import BugStatus
from reknit.core.hook.mode import CheckResult, FixMode

MAX_BLOCKS = 8
"""Maximum number of blocks in a row: agents stop at the ninth time, whatever the hook answers."""


@dataclass(frozen=True)
class HookAnswer:
    """The answer of the hook when a window stops."""

    block: bool
    """Send the agent back to work; otherwise it may stop."""
    text: str = ""


def to_answer(mode: FixMode, result: CheckResult, guidance: str) -> HookAnswer:
    """Return the answer to a result.

    `mode`: fix mode after the result was applied to it; `guidance`: advice for the next attempt.
    """
    bug = mode.bug
    if bug.status == "FIXED":
        note = f"\n{result.output}" if result.output else ""
        return HookAnswer(block=False, text=f"SUCCESS: {bug.bug_id} fixed on attempt {bug.attempt}{note}")
    if bug.status == "DEFERRED":
        return HookAnswer(block=False, text=f"DEFERRED: {bug.bug_id} after {bug.max_attempts} attempts")
    if result.verdict == "unseen":
        message = f"{bug.test_path} could not be checked: {result.sentence}"
        again = f"`reknit hook arm {bug.bug_id} {quote(bug.test_path)} --steal`"
        used = f"No attempt was used. Settings count from when a bug is armed; after a change: {again}"
        return HookAnswer(block=False, text=f"NOT CHECKED: {bug.bug_id} - {message}\n{used}")
    label = "Test output" if result.verdict == "failed" else "Your change was refused"
    head = f"RETRY: {bug.bug_id} - Attempt {bug.attempt} of {bug.max_attempts}\nStrategy: {bug.strategy}"
    return HookAnswer(block=True, text=f"{head}\n\n{guidance}\n\n{label}:\n{result.output or result.sentence}")


def answer_still_running(bug_id: str, run_id: str, started: str) -> HookAnswer:
    """Return the answer while a test runs. `started`: the time of day."""
    text = (
        f"RUNNING: {bug_id} - the test is still running, started {started}. "
        f"Change nothing and stop again: the next stop waits for its result. Look with `reknit watch {run_id}`."
    )
    return HookAnswer(block=True, text=text)


def format_too_slow(took_s: float) -> str:
    """Format the message that the check could not be started in time."""
    why = f"the check could not be started within {took_s:g} s"
    return f"NOT CHECKED: {why}; no attempt was used, the next stop tries again"


def limit_blocks(answer: HookAnswer, blocks: int, bug_id: str, test_path: str, running: str = "") -> HookAnswer:
    """Return the answer, or one that lets the window stop if it was blocked too often.

    `blocks`: blocks in a row before this answer; `running`: the run of a check that has not ended.
    """
    if not answer.block or blocks < MAX_BLOCKS:
        return answer
    ways = (
        f"Tell the agent to go on with {bug_id}, or run `reknit fix tests {quote(test_path)} --bug {bug_id} --dirty`."
    )
    later = f"Its test is still running: `reknit watch {running}`. The next stop of this window tells its result."
    text = (
        f"PAUSED: {bug_id} - this window was sent back {blocks} times in a row, and agents allow no more. "
        f"{later if running else f'It is not fixed. {ways}'}"
    )
    return HookAnswer(block=False, text=text)


UNCLAIMED = "unclaimed"
"""The name of the marker of a bug that no window works on yet; otherwise it is the window's session id."""


@dataclass(frozen=True)
class Marker:
    """The state of a bug in a window, and the answer that waits for the window."""

    status: BugStatus
    bug_id: str
    test_path: str
    check: str = ""
    """The run that checks the last stop; empty if no check is running."""
    since: float = 0.0
    """Start of that run, as Unix time."""
    answer: HookAnswer | None = None
    """Answer to the last result."""
    answered: str = ""
    """Run of that result."""
    is_delivered: bool = False
    """True if the window has received that answer."""

    @property
    def has_counted(self) -> bool:
        """Return True if the last result used an attempt, and no other check is running."""
        return not self.check and self.answer is not None and (self.status != "in_progress" or self.answer.block)

    @property
    def line(self) -> str:
        """Return the first line, which is all that the hook's entry reads.

        It stays `in_progress` until the window has received the last answer.
        """
        return "in_progress" if self.answer and not self.is_delivered else self.status


def format_marker(marker: Marker) -> str:
    """Return the text of the marker file."""
    return f"{marker.line}\n{json.dumps(asdict(marker))}\n"


def parse_marker(text: str) -> Marker | None:
    """Parse the text of the marker file; None: it is damaged."""
    try:
        document = json.loads(text.partition("\n")[2])
        answer = document.pop("answer")
        return Marker(answer=HookAnswer(**answer) if answer else None, **document)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True)
class Notified:
    """The last result that a window has received. Only its own hook writes this."""

    run_id: str = ""
    """The run of the check with that result."""
    blocks: int = 0
    """Number of blocks in a row."""


def is_news(marker: Marker | None, notified: Notified) -> bool:
    """Return True if there is a result that the window has not received."""
    return bool(marker and marker.answer and marker.answered != notified.run_id)


def format_notified(notified: Notified) -> str:
    """Return the text of the file for what the window has received."""
    return f"{notified.blocks} {notified.run_id}\n"


def parse_notified(text: str) -> Notified:
    """Parse the text of that file; a damaged one means that nothing was received."""
    blocks, _, run_id = text.strip().partition(" ")
    return Notified(run_id, int(blocks)) if blocks.isascii() and blocks.isdigit() and len(blocks) < 5 else Notified()
