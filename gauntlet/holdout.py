"""The hold-out question: a program that is no test, asked of a landed commit outside the box and with no test near."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from gauntlet import tools
from gauntlet.case import Base, Case, Question
from gauntlet.corpus import questions
from gauntlet.repository import extract, write_files

HELD = "HELD"
_MAX_RUN_S = 200
_KEPT = ("PATH", "HOME", "JAVA_HOME")
"""Variables that compilers need; nothing else of ours reaches the program."""


def ask(case: Case, base: Base, repository: Path, commit: str) -> dict[str, Any]:
    name = base.question if case.question is None else case.question
    if not name:
        return {}
    with tempfile.TemporaryDirectory(prefix="shop-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder)
        extract(repository, commit, tree)
        tools.link_packages(base, tree)
        answer = _answer(questions()[name], tree)
    return {"held": answer == HELD, "answer": "" if answer == HELD else answer}


def _answer(question: Question, tree: Path) -> str:
    """What is printed must be the sentinel alone: a program that the code under test ended early prints nothing."""
    write_files(tree, question.files)
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    argv = tools.filled_in_all(question.argv)
    try:
        done = subprocess.run(argv, cwd=tree, env=env, capture_output=True, timeout=_MAX_RUN_S)
    except subprocess.TimeoutExpired:
        return "no answer in time"
    said = done.stdout.decode(errors="replace").strip()
    return said[-80:] or f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip()[-120:]}"
