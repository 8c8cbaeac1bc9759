"""Plays a run whose state folder is a small disk that becomes full, in a mount namespace of its own.

    unshare [-Ur] -m python -m tests.crash.disk_full_play FOLDER terminal|worker attempt|verify [DATABASE]
    unshare [-Ur] -m python -m tests.crash.disk_full_play FOLDER terminal|worker large-tests

Prints one JSON document with what was seen.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal, cast

from tests.crash.outage_scene import OutageScene, Outcome
from tests.crash.scene import write_quick_tests
from tests.tools.patience import scale

SIZE = "24m"
LARGE_TESTS = """\
import os
try:
    with open("large", "wb") as file:
        file.write(b"x" * 30_000_000)
finally:
    os.remove("large")

"""


def fill(file: Path) -> None:
    """To the last byte, as a log that nobody rotates would."""
    for size in (1 << 20, 1 << 12, 1):
        try:
            with file.open("ab", buffering=0) as disk:
                while disk.write(b"x" * size) == size:
                    """Until there is no room for the next one."""
        except OSError:
            continue


def told(outcome: Outcome) -> dict[str, Any]:
    return {
        "exit_code": outcome.exit_code, "err": outcome.err, "run": outcome.run.id, "ending": outcome.run.ending,
        "reason": outcome.run.reason,
        "starts": outcome.starts, "commits": outcome.commits, "receipts": outcome.receipts,
    }  # fmt: skip


def play(folder: Path, who: str, phase: Literal["attempt", "verify"], database: str) -> dict[str, Any]:
    scene = OutageScene(folder, database, holds=phase)
    state = small_disk(folder)
    if who == "worker":
        scene.queue()
    child = scene.in_terminal() if who == "terminal" else scene.worker()
    scene.until_held()
    fill(state / "filler")
    scene.let_go()
    began = time.monotonic()
    _out, err = child.communicate(timeout=scale(120))
    took_s = time.monotonic() - began
    full = scene.reknit.run("fix", "tests", cwd=scene.repository)
    (state / "filler").unlink()
    left = scene.left_by(child.returncode, err)
    return {
        "state": str(state), "took_s": took_s, "left": told(left), "full": [full.exit_code, full.err],
        "resumed": told(scene.resume(left.run.id)),
    }  # fmt: skip


def play_large_tests(folder: Path, who: str) -> dict[str, Any]:
    """They remove what they wrote: when they have ended, the disk is not full."""
    scene = OutageScene(folder)
    write_quick_tests(scene.repository, LARGE_TESTS)
    state = small_disk(folder)
    if who == "worker":
        scene.queue()
    left = scene.outcome(scene.in_terminal() if who == "terminal" else scene.worker())
    subprocess.run(["mount", "-o", "remount,size=4g", str(state)], check=True)
    return {"state": str(state), "left": told(left), "resumed": told(scene.resume(left.run.id))}


def small_disk(folder: Path) -> Path:
    state = folder / "state"
    state.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(state)], check=True)
    return state


if __name__ == "__main__":
    where, who, phase, *more = sys.argv[1:]
    if phase == "large-tests":
        played = play_large_tests(Path(where), who)
    else:
        played = play(Path(where), who, cast('Literal["attempt", "verify"]', phase), "".join(more))
    print(json.dumps(played))
