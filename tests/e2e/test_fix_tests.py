"""`reknit fix tests` with the real Claude Code in the real box, against a scripted model on the loopback."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reknit.app.demo import make_repository
from tests.tools import agent_binaries
from tests.tools.repository_print import fingerprint
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

CANARY = "sk-ant-canary-REAL-key-7f3a91"
DONE: Turn = {"text": "Repaired."}
RESET_S = 3


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    lines: list[dict[str, Any]]
    model: ScriptedModel
    repository: Path
    state: Path
    untouched: bool

    @property
    def ending(self) -> dict[str, Any]:
        assert self.lines[-1]["event"] == "ending", self.lines[-1]
        return self.lines[-1]

    @property
    def outcomes(self) -> list[str]:
        return [attempt["outcome"] for attempt in self.ending["attempts"]]

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == kind]


Play = Callable[..., Outcome]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    def go(
        turns: Callable[[str], Sequence[Turn]], meanwhile: Callable[[ScriptedModel], None] | None = None, **loop: Any
    ) -> Outcome:
        repository = make_repository(tmp_path)
        before = fingerprint(repository)
        with ScriptedModel(turns=turns(f"{repository}/shop/pricing.py")) as model:
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "REKNIT_STATE": str(tmp_path / "state"),
                "REKNIT_AGENTS__CLAUDE__BINARY": agent_binaries.claude(),
                "ANTHROPIC_API_KEY": CANARY,
                "ANTHROPIC_BASE_URL": model.url,
                **{f"REKNIT_LOOP__{key.upper()}": str(value) for key, value in loop.items()},
            }
            argv = [sys.executable, "-m", "reknit", "fix", "tests", "--agent", "claude", "--format", "json"]
            child = subprocess.Popen(argv, cwd=repository, env=environment, stdout=subprocess.PIPE, text=True)
            if meanwhile:
                meanwhile(model)
            out, _ = child.communicate(timeout=100)
        lines = [json.loads(line) for line in out.splitlines()]
        state = tmp_path / "state"
        return Outcome(child.returncode, lines, model, repository, state, fingerprint(repository) == before)

    return go


def repair(file: str) -> list[Turn]:
    old, new = "return price - percent", "return price * (1 - percent / 100)"
    return [
        {"tools": [{"name": "Read", "input": {"file_path": file}}]},
        {"tools": [{"name": "Edit", "input": {"file_path": file, "old_string": old, "new_string": new}}]},
        DONE,
    ]


def held_keys(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path.name for path in files if CANARY.encode() in path.read_bytes()]


def test_it_ends_fixed_with_a_receipt_and_one_commit(play: Play) -> None:
    done = play(repair)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["done"])
    assert done.untouched
    receipt = done.ending["receipt"]
    assert receipt["agent"] == "claude"
    assert receipt["evidence"] == "junit"
    log = subprocess.run(
        ["git", "-C", str(done.repository), "log", "--format=%H", f"main..{done.ending['branch']}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert log.stdout.split() == [receipt["commit"]]
    assert done.ending["spent_usd"] > 0
    assert held_keys(done.state) == []


def test_a_limit_with_a_reset_time_is_waited_out_and_uses_no_attempt(play: Play) -> None:
    limit: Turn = {"status": 429, "error": "slow down", "headers": {"retry-after": str(RESET_S)}}
    done = play(lambda file: [limit, *repair(file)])
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["done"])
    (wait,) = done.events("waiting")
    assert wait["why"] == "rate_limited"
    assert 0 < wait["wait_s"] <= RESET_S
    begun, again = done.events("attempt_ended")
    assert (begun["outcome"], again["outcome"]) == ("rate_limited", "done")
    assert again["at"] >= wait["until"]


def test_overload_is_waited_out_and_uses_no_attempt(play: Play) -> None:
    done = play(lambda file: [{"status": 529, "error": "Overloaded"}, *repair(file)], wait_s=0.5)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["done"])
    assert [wait["why"] for wait in done.events("waiting")] == ["overloaded"]


def test_an_invalid_key_ends_blocked_with_exit_code_4(play: Play) -> None:
    done = play(lambda _: [{"status": 401, "error": "invalid x-api-key", "repeat": True}])
    assert (done.exit_code, done.ending["ending"], done.ending["commit"]) == (4, "BLOCKED", None)
    assert done.untouched


def test_the_turn_limit_ends_an_attempt_and_the_next_one_goes_on(play: Play) -> None:
    def turns(file: str) -> list[Turn]:
        reading: Turn = {"tools": [{"name": "Read", "input": {"file_path": file}}]}
        return [reading, reading, reading, *repair(file)]

    done = play(turns, agent_turns=3)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["turn_limit", "done"])


def test_silence_ends_an_attempt_at_the_idle_limit(play: Play) -> None:
    done = play(lambda file: [{"hang": True}, *repair(file)], agent_idle_s=4)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["idle", "done"])


def test_a_killed_cli_is_a_crashed_attempt_and_the_next_one_goes_on(play: Play) -> None:
    def kill_it(model: ScriptedModel) -> None:
        assert model.wait_for(1)
        os.kill(process_of(agent_binaries.claude()), signal.SIGKILL)

    done = play(lambda file: [{"hang": True}, *repair(file)], kill_it)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["crashed", "done"])


def process_of(program: str) -> int:
    """The innermost process that runs this program: the CLI itself, not the box around it."""
    pause, deadline = threading.Event(), time.monotonic() + 10
    while time.monotonic() < deadline:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == program.encode():
                return int(entry.name)
        pause.wait(0.05)
    raise AssertionError(f"no process runs {program}")
