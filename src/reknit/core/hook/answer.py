"""What the hook answers when a window stops, word for word."""

from dataclasses import dataclass
from shlex import quote

from reknit.core.hook.mode import CheckResult, FixMode

MOST_BLOCKS = 8
"""In a row: an agent lets its ninth stop pass without a word, whatever its hook answers."""


@dataclass(frozen=True)
class Answer:
    block: bool
    """The agent goes on; otherwise it may stop."""
    text: str = ""


def answer_of(mode: FixMode, result: CheckResult, guidance: str) -> Answer:
    """`mode`: with the result; `guidance`: how to go about the attempt that follows."""
    bug = mode.bug
    if bug.status == "FIXED":
        note = f"\n{result.output}" if result.output else ""
        return Answer(block=False, text=f"SUCCESS: {bug.bug_id} fixed on attempt {bug.attempt}{note}")
    if bug.status == "DEFERRED":
        return Answer(block=False, text=f"DEFERRED: {bug.bug_id} after {bug.max_attempts} attempts")
    if result.verdict == "unseen":
        left = f"{bug.test_path} could not be checked: {result.sentence}"
        again = f"`reknit hook arm {bug.bug_id} {quote(bug.test_path)} --steal`"
        used = f"No attempt was used. Settings count from when a bug is armed; after a change: {again}"
        return Answer(block=False, text=f"NOT CHECKED: {bug.bug_id} - {left}\n{used}")
    shown = "Test output" if result.verdict == "failed" else "Your change was refused"
    head = f"RETRY: {bug.bug_id} - Attempt {bug.attempt} of {bug.max_attempts}\nStrategy: {bug.strategy}"
    return Answer(block=True, text=f"{head}\n\n{guidance}\n\n{shown}:\n{result.output or result.sentence}")


def still_running(bug_id: str, run_id: str, started: str) -> Answer:
    """`started`: the time of day."""
    text = (
        f"RUNNING: {bug_id} - the test is still running, started {started}. "
        f"Change nothing and stop again: the next stop waits for its result. Look with `reknit watch {run_id}`."
    )
    return Answer(block=True, text=text)


def too_slow(took_s: float) -> str:
    why = f"the check could not be started within {took_s:g} s"
    return f"NOT CHECKED: {why}; no attempt was used, the next stop tries again"


def within_cap(answer: Answer, blocks: int, bug_id: str, test_path: str, running: str = "") -> Answer:
    """`blocks`: how often the window was blocked in a row before this answer; `running`: the check under way."""
    if not answer.block or blocks < MOST_BLOCKS:
        return answer
    ways = (
        f"Tell the agent to go on with {bug_id}, or run `reknit fix tests {quote(test_path)} --bug {bug_id} --dirty`."
    )
    later = f"Its test is still running: `reknit watch {running}`. The next stop of this window tells its result."
    text = (
        f"PAUSED: {bug_id} - this window was sent back {blocks} times in a row, and agents allow no more. "
        f"{later if running else f'It is not fixed. {ways}'}"
    )
    return Answer(block=False, text=text)
