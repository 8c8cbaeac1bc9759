"""Two windows with a bug each and one with none, in one folder, stopping in turn: each counts only its own."""

import os
import posix
import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from reknit.adapters.hook import HookFiles
from reknit.app.hook import start_check
from reknit.app.hook.arm import arm, list_fix_modes
from reknit.app.hook.decide import decide
from reknit.app.installation import Installation
from reknit.core.hook.marker import HookAnswer, to_answer
from reknit.core.hook.mode import CheckResult, CheckVerdict
from reknit.interfaces.hook import window as entry
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from tests.tools.recorded_runs import make_place
from tests.tools.stop_hook import event

STOPS = 500 if "REKNIT_FULL" in os.environ else 150
ATTEMPTS = 10
VERDICTS: tuple[CheckVerdict, ...] = ("failed", "refused", "unseen", "passed")
TEST, SHORT_S = "tests/test_pricing.py", 0.01
WINDOWS = ("w1", "w2", "w3")
"""The third has no bug."""


class BecameProgramError(Exception):
    """Instead of `execv`."""


@dataclass
class Counted:
    """What a window must have counted for its bug."""

    bug_id: str
    seen: list[CheckVerdict] = field(default_factory=list)
    told: int = 0
    """How many of the results the window knows."""


@dataclass
class Folder:
    """Stands in for the worker: a check ends when `finish` is called, with the next random verdict."""

    installation: Installation
    shop: Path
    chance: random.Random
    counted: dict[str, Counted] = field(default_factory=dict)
    bugs: int = 0
    blocked: int = 0

    @property
    def modes(self) -> SqlFixModes:
        return SqlFixModes(open_store(self.installation.database))

    def arm(self, window: str) -> None:
        self.bugs += 1
        self.counted[window] = Counted(f"BUG-{self.bugs:03}")
        owner = window if self.chance.random() < 0.7 else ""
        arm(self.installation, self.shop, self.counted[window].bug_id, TEST, owner=owner)
        if not owner:  # the window that stops next has it
            self.turn(window)

    def finish(self) -> None:
        """Of one window, whose turn it is by chance."""
        files = HookFiles(self.installation.hooks)
        running = [mode for mode in self.modes.list_modes(str(self.shop)) if mode.check]
        for mode in self.chance.sample(running, k=min(1, len(running))):
            verdict = self.chance.choices(VERDICTS, [8, 2, 1, 1])[0]
            result = CheckResult(verdict, "seen")
            settled = self.modes.settle(mode.id, mode.check, result)
            files.publish(settled, to_answer(settled, result, ""), mode.check)
            self.counted[mode.owner].seen.append(verdict)

    def turn(self, window: str) -> None:
        """A stop whose answer must be about this window's own bug, and about the first result it does not know."""
        answer, count = self.stop(window), self.counted.get(window)
        if count is None:
            assert answer == HookAnswer(block=False)
            return
        self.blocked += answer.block
        if answer.text.startswith("RUNNING"):
            assert (answer.text.split()[1], len(count.seen)) == (count.bug_id, count.told)
            return
        assert answer.text, count
        assert answer.text.startswith(expected(count)), (answer, count)
        count.told += 1
        if answer.text.startswith(("SUCCESS", "DEFERRED")):
            assert self.stop(window) == HookAnswer(block=False)
            self.arm(window)

    def stop(self, window: str) -> HookAnswer:
        hooks = os.fsencode(self.installation.hooks)
        listed = frozenset(os.listdir(hooks)) if os.path.isdir(hooks) else frozenset()
        self.event = event(self.shop, window)
        try:
            entry.stop(hooks, listed, [])
        except BecameProgramError:
            return decide(self.installation, self.shop, window, SHORT_S, active=False)
        return HookAnswer(block=False)


@pytest.fixture
def folder(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    config = tmp_path / "config.toml"
    config.write_text(f"[loop]\nattempts = {ATTEMPTS}\n")
    installation = make_place(tmp_path)
    installation = replace(installation, environment={**installation.environment, "REKNIT_CONFIG": str(config)})
    made = Folder(installation, shop, random.Random(16))

    def became(*_: object) -> None:
        raise BecameProgramError

    monkeypatch.setattr(entry, "read_event", lambda: made.event)
    monkeypatch.setattr(posix, "execv", became)
    monkeypatch.setattr(posix, "dup2", lambda *_: None)
    monkeypatch.setattr("reknit.app.start.queue.start_worker", lambda _place: 0.0)
    monkeypatch.setattr(
        start_check, "start_worker", lambda _place: made.finish() if made.chance.random() < 0.6 else None
    )
    return made


def expected(count: Counted) -> str:
    """How the answer to the first result that the window does not know begins."""
    seen = count.seen[: count.told + 1]
    tries = [verdict for verdict in seen if verdict != "unseen"]
    if seen[-1] == "unseen":
        return f"NOT CHECKED: {count.bug_id} - "
    if seen[-1] == "passed":
        return f"SUCCESS: {count.bug_id} fixed on attempt {len(tries)}"
    if len(tries) == ATTEMPTS:
        return f"DEFERRED: {count.bug_id} after {ATTEMPTS} attempts"
    return f"RETRY: {count.bug_id} - Attempt {len(tries) + 1} of {ATTEMPTS}\n"


def test_each_window_counts_only_its_own(folder: Folder) -> None:
    for window in WINDOWS[:2]:
        folder.arm(window)
    for _ in range(STOPS):
        folder.turn(folder.chance.choice(WINDOWS))
    by_bug = {mode.bug.bug_id: mode for mode in list_fix_modes(folder.installation, folder.shop)}
    assert len(by_bug) == folder.bugs
    for window, count in folder.counted.items():
        mode = by_bug[count.bug_id]
        tries = [verdict for verdict in count.seen if verdict != "unseen"]
        assert (mode.owner, len(mode.bug.history)) == (window, len(tries))
    print(f"\n{STOPS} stops, {folder.bugs} bugs, {folder.blocked} times sent back")
