"""Runs of `fix issues` as a person starts them, and what they left."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.tools import backlog_scene as scene
from tests.tools.command_line import Answer

Here = Callable[..., Answer]
ALL = [scene.mend("app/b1.py"), scene.mend("app/b2.py"), scene.mend("web/f1.ts")]


def fix(here: Here, root: Path, *arguments: str) -> Answer:
    return here("fix", "issues", "--format", "json", *arguments, cwd=root)


def log(root: Path, run: str) -> list[str]:
    argv = ["git", "log", "--format=%B%x00", f"HEAD..reknit/{run}"]
    told = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout
    return [message.strip() for message in told.split("\0") if message.strip()]


def moves(answer: Answer) -> list[tuple[str, str]]:
    return [(each["finding"], each["outcome"]) for each in answer.ending["attempts"]]
