"""Plays one move of a scripted agent. Runs without reknit, in the repository in the box; the move is JSON on stdin."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

_PULSE_S = 0.2


def play(move: dict[str, Any]) -> None:
    """Make the move's edits, run its command and print its message."""
    for path, text in move["write"].items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    for path, (old, new) in move["replace"].items():
        text = Path(path).read_text(encoding="utf-8")
        if old not in text:
            sys.exit(f"{path} does not contain {old!r}")
        Path(path).write_text(text.replace(old, new, 1), encoding="utf-8")
    for path in move["delete"]:
        Path(path).unlink()
    if move["run"]:
        os.spawnvp(os.P_WAIT, move["run"][0], move["run"])  # noqa: S606 - runs in the box, and ignores a failure like an agent
    _say(move["say"])


def end(outcome: str) -> None:
    """Crash, hang or run forever, as the outcome says; return for every other outcome."""
    if outcome == "crashed":
        os.kill(os.getpid(), signal.SIGKILL)
    if outcome == "idle":
        signal.pause()
    while outcome == "timeout":
        _say("still working")
        time.sleep(_PULSE_S)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    current_move = json.load(sys.stdin)
    play(current_move)
    end(current_move["outcome"])
