"""Kills `append_once` before each of its lines, and shows what is left then and after the next call.

python -m tests.tools.killed_append ROOT TEXT      a JSON line per kill: content and files, before and after that call
"""

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from reknit.adapters.files import atomic_replace, working_tree

PATH = "PROGRESS.txt"
TRACED = (working_tree.__file__, atomic_replace.__file__)


def _kill_before(line: int) -> Any:
    seen = count(1)

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code.co_filename not in TRACED:
            return None
        if event == "line" and next(seen) == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


def _is_killed(root: str, text: str, line: int) -> bool:
    child = os.fork()
    if child == 0:
        sys.settrace(_kill_before(line))
        working_tree.append_once(root, PATH, text)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _state(root: Path) -> list[object]:
    return [(root / PATH).read_text(), sorted(path.name for path in root.iterdir())]


def main(root: Path, text: str) -> None:
    old = (root / PATH).read_text()
    for line in count(1):
        (root / PATH).write_text(old)
        if not _is_killed(str(root), text, line):
            return
        left = _state(root)
        working_tree.append_once(str(root), PATH, text)
        print(json.dumps([left, _state(root)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
