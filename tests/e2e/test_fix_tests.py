"""`reknit fix tests` with each real CLI in the real box, against a scripted model on the loopback."""

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
from tests.e2e.real_agents import CANARY, Cast, processes_below
from tests.tools.patience import scale
from tests.tools.repository_print import fingerprint
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

DONE: Turn = {"text": "Repaired."}
RESET_S = 2
IDLE_S = 30  # node starts slowly on a busy machine, and an agent that has not started yet is silent too
"""gemini is silent for seconds when it starts, and not alone on the machine."""
CAP_USD = 0.5


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
Repair = Callable[[str], list[Turn]]


@pytest.fixture
def play(cast: Cast, tmp_path: Path) -> Play:
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
                f"REKNIT_AGENTS__{cast.name.upper()}__BINARY": cast.binary(),
                cast.key_env: CANARY,
                cast.url_env: model.url,
                **{f"REKNIT_LOOP__{key.upper()}": str(value) for key, value in loop.items()},
            }
            argv = [sys.executable, "-m", "reknit", "fix", "tests", "--agent", cast.name, "--format", "json"]
            child = subprocess.Popen(argv, cwd=repository, env=environment, stdout=subprocess.PIPE, text=True)
            if meanwhile:
                meanwhile(model)
            out, _ = child.communicate(timeout=scale(300))
        lines = [json.loads(line) for line in out.splitlines()]
        state = tmp_path / "state"
        return Outcome(child.returncode, lines, model, repository, state, fingerprint(repository) == before)

    return go


@pytest.fixture
def repair(cast: Cast) -> Repair:
    def turns(file: str) -> list[Turn]:
        return [*cast.edits(file, "    return price - percent", "    return price * (1 - percent / 100)"), DONE]

    return turns


def held_keys(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path.name for path in files if CANARY.encode() in path.read_bytes()]


def test_it_ends_fixed_with_a_receipt_and_one_commit(play: Play, cast: Cast, repair: Repair) -> None:
    done = play(repair)
    assert (done.exit_code, done.ending["ending"], done.outcomes) == (0, "FIXED", ["done"])
    assert done.untouched
    receipt = done.ending["receipt"]
    assert (receipt["agent"], receipt["evidence"]) == (cast.name, "junit")
    log = subprocess.run(
        ["git", "-C", str(done.repository), "log", "--format=%H", f"main..{done.ending['branch']}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert log.stdout.split() == [receipt["commit"]]
    assert done.ending["spent_usd"] > 0
    assert held_keys(done.state) == []
    assert CANARY not in json.dumps(done.lines)


def test_it_outlives_a_limit_an_overload_a_cut_stream_a_hang_and_a_kill(
    play: Play, cast: Cast, repair: Repair, tmp_path: Path
) -> None:
    limit: Turn = {"status": 429, "error": "slow down", "headers": {"retry-after": str(RESET_S)}}
    goes_on = cast.name == "claude"  # by itself, after a cut
    between = [cast.shell("true")] if goes_on else []
    cut, hang = {"text": "half", "drop": True}, {"hang": True}
    misfortunes: list[Turn] = [limit, {"status": 503}, cut, *between, hang, hang]

    def kill_it(model: ScriptedModel) -> None:
        assert model.wait_for(len(misfortunes), 240)
        os.kill(process_of(cast, tmp_path), signal.SIGKILL)

    done = play(lambda file: [*misfortunes, *repair(file)], kill_it, agent_idle_s=IDLE_S, wait_s=0.5)
    assert (done.exit_code, done.ending["ending"]) == (0, "FIXED")
    unreachable = [] if goes_on else ["unreachable"]
    assert [wait["why"] for wait in done.events("waiting")] == ["rate_limited", "overloaded", *unreachable]
    assert done.model.work[1].at >= done.model.work[0].at + RESET_S
    assert done.outcomes == ["idle", "crashed", "done"]
    assert (processes_below(done.repository), done.untouched) == ([], True)


def test_a_cap_is_never_passed(play: Play, cast: Cast) -> None:
    # below the least maximum that is ever granted: a vendor does not answer with more than it was allowed to
    used: Turn = {"usage": {"input": 9_000, "output": 1_000}}
    turns = [{**cast.shell(f"echo {number}"), **used} for number in range(60)]
    done = play(lambda _: turns, budget_usd=CAP_USD)
    assert (done.exit_code, done.ending["ending"]) == (1, "OVER_BUDGET")
    assert 0.1 < done.ending["spent_usd"] <= CAP_USD
    print(f"\n{cast.name}: ${done.ending['spent_usd']:.4f} of ${CAP_USD:.2f}; {done.ending['reason']}")


def test_an_invalid_key_ends_blocked_with_exit_code_4(play: Play) -> None:
    done = play(lambda _: [{"status": 401, "error": "invalid key", "repeat": True}])
    assert (done.exit_code, done.ending["ending"], done.ending["commit"]) == (4, "BLOCKED", None)
    assert (len(done.model.work), done.untouched) == (3, True)


def process_of(cast: Cast, folder: Path) -> int:
    """The process that runs this CLI below that folder, not the box around it, nor another test's."""
    program, pause, deadline = os.path.realpath(cast.binary()).encode(), threading.Event(), time.monotonic() + 10
    while time.monotonic() < deadline:
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words, where = (entry / "cmdline").read_bytes().split(b"\0"), (entry / "cwd").readlink()
            except OSError:
                continue
            if program in words[:2] and where.is_relative_to(folder):
                return int(entry.name)
        pause.wait(0.05)
    raise AssertionError(f"no process runs {cast.name}")
