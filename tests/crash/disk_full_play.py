"""Plays a run whose state folder is a small disk that becomes full, in a mount namespace of its own.

    unshare [-Ur] -m python -m tests.crash.disk_full_play FOLDER terminal|worker attempt|verify [DATABASE]

Prints one JSON document with what was seen.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Literal, cast

from tests.crash.outage_scene import OutageScene, Outcome

SIZE = "24m"


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
        "starts": outcome.starts, "commits": outcome.commits, "receipts": outcome.receipts,
    }  # fmt: skip


def play(folder: Path, who: str, phase: Literal["attempt", "verify"], database: str) -> dict[str, Any]:
    state = folder / "state"
    scene = OutageScene(folder, database, holds=phase)
    state.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(state)], check=True)
    if who == "worker":
        scene.queue()
    child = scene.in_terminal() if who == "terminal" else scene.worker()
    scene.until_held()
    fill(state / "filler")
    scene.let_go()
    began = time.monotonic()
    _out, err = child.communicate(timeout=120)
    took_s = time.monotonic() - began
    full = scene.reknit.run("fix", "tests", cwd=scene.repository)
    (state / "filler").unlink()
    left = scene.left_by(child.returncode, err)
    return {
        "state": str(state), "took_s": took_s, "left": told(left), "full": [full.exit_code, full.err],
        "resumed": told(scene.resume(left.run.id)),
    }  # fmt: skip


if __name__ == "__main__":
    where, who, phase, *more = sys.argv[1:]
    held = cast('Literal["attempt", "verify"]', phase)
    print(json.dumps(play(Path(where), who, held, more[0] if more else "")))
