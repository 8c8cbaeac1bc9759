"""Fix mode: the bug that an agent's window works on, until its test passes or its attempts are used up."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from reknit.core.agents.strategy import choose_strategy
from reknit.core.bug_state import STRATEGY_NAMES, BugAttempt, BugState, BugStatus, find_error

CheckVerdict = Literal["passed", "failed", "refused", "unseen"]
"""`refused`: by the gate. `unseen`: no result, or the environment's fault; it does not use up an attempt."""

_BY_A_PERSON = "ended by a person"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check of the window's work."""

    verdict: CheckVerdict
    sentence: str
    """For people and for the agent; the output of the tests is in `output`."""
    output: str = ""

    @property
    def is_failure(self) -> bool:
        """Return True if the test failed, or the gate refused the change."""
        return self.verdict in ("failed", "refused")


@dataclass(frozen=True)
class FixMode:
    """A bug in a window: its owner, its base commit and its attempts."""

    id: str
    repository: str
    """Absolute path of the user's working tree."""
    base: str
    """Commit of the working tree when fix mode began: earlier changes are the user's, and are not judged."""
    bug: BugState
    armed_at: float
    owner: str = ""
    """The session of the window that works on it; empty: the first window that stops claims it."""
    check: str = ""
    """The run that checks the last stop; empty if no check is running."""

    @property
    def is_open(self) -> bool:
        return self.bug.status == "in_progress"

    def claim(self, window: str) -> "FixMode":
        """Return the mode with its owner, the first window that claims it."""
        return self if self.owner else replace(self, owner=window)

    def give_up(self) -> "FixMode":
        """Return the mode ended by a person; unchanged if a check has already ended it."""
        if not self.is_open:
            return self
        return replace(self, bug=replace(self.bug, status="DEFERRED", last_error=_BY_A_PERSON))

    @property
    def is_given_up(self) -> bool:
        return self.bug.status == "DEFERRED" and self.bug.last_error == _BY_A_PERSON

    def is_of_another_window(self, bug_id: str, window: str) -> bool:
        return self.bug.bug_id == bug_id and self.owner not in ("", window)

    def is_replaced_by(self, bug_id: str, window: str) -> bool:
        """Return True if arming that bug in that window ends this mode: a bug has one window, and a window one bug."""
        return self.bug.bug_id == bug_id or self.owner == window

    def retract(self) -> "FixMode":
        """Return the mode before its last result, which is of other files than the present ones."""
        if self.is_given_up or not self.bug.history:
            return self
        *history, last = self.bug.history
        before = replace(self.bug, status="in_progress", attempt=last.attempt, strategy=last.strategy, last_error="")
        return replace(self, bug=replace(before, history=tuple(history)))

    def settle(self, run_id: str, result: CheckResult) -> "FixMode":
        """Return the mode with the result of that run; a result that was applied before changes nothing."""
        if self.check != run_id:
            return self
        return replace(self, check="", bug=_apply_result(self.bug, result) if self.is_open else self.bug)


@dataclass(frozen=True)
class Armed:
    """The fix mode that begins, and those that it replaces."""

    mode: FixMode
    ended: tuple[FixMode, ...] = ()

    @property
    def sentence(self) -> str:
        bug = self.mode.bug
        return f"{bug.bug_id} is armed: {bug.test_path}, at most {bug.max_attempts} attempts"

    @property
    def ended_sentences(self) -> tuple[str, ...]:
        """Return a sentence for each replaced bug: the person must know that it is no longer checked."""
        return tuple(map(self._explain_end, self.ended))

    def _explain_end(self, earlier: FixMode) -> str:
        bug = earlier.bug.bug_id
        is_other_window = earlier.owner not in ("", self.mode.owner)
        if bug == self.mode.bug.bug_id:
            before = f"is no longer checked in window {earlier.owner}" if is_other_window else "was armed already"
            return f"{bug} {before}: its attempts start again."
        place = " in this window" if earlier.owner else ": no window had claimed it"
        return f"{bug} is no longer checked{place}."


def to_mode_document(mode: FixMode) -> dict[str, object]:
    """Return the stored form."""
    return asdict(mode)


def parse_mode(document: Mapping[str, Any]) -> FixMode:
    """Read the stored form."""
    bug = document["bug"]
    history = tuple(BugAttempt(**attempt) for attempt in bug["history"])
    return FixMode(**{**document, "bug": BugState(**{**bug, "history": history})})


def start_bug(bug_id: str, test_path: str, max_attempts: int) -> BugState:
    """Return the state of a bug before its first attempt."""
    return BugState(bug_id, test_path, 1, max_attempts, "in_progress", _name_strategy(1, max_attempts), "")


def _apply_result(bug: BugState, result: CheckResult) -> BugState:
    if result.verdict == "unseen":
        return replace(bug, last_error=result.sentence)
    history = (*bug.history, BugAttempt(bug.attempt, bug.strategy, result.sentence))
    if result.verdict == "passed":
        return replace(bug, status="FIXED", last_error="", history=history)
    error = find_error(result.output, result.sentence) if result.verdict == "failed" else result.sentence
    is_last = bug.attempt >= bug.max_attempts
    attempt = bug.attempt if is_last else bug.attempt + 1
    status: BugStatus = "DEFERRED" if is_last else "in_progress"
    strategy = _name_strategy(attempt, bug.max_attempts)
    return replace(bug, attempt=attempt, status=status, strategy=strategy, last_error=error, history=history)


def _name_strategy(attempt: int, last: int) -> str:
    return STRATEGY_NAMES[choose_strategy(attempt, last)]
