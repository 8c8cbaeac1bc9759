"""The question that a landed commit is asked: what counts as an answer."""

import sys
from pathlib import Path
from typing import Any

import pytest

from gauntlet import holdout
from gauntlet.case import Base, Case, Edits, Question
from gauntlet.repository import commit_files

BASE = Base("x", "python", {}, question="price")


def asked(tmp_path: Path, source: str, *, question: str | None = None) -> dict[str, Any]:
    repository = tmp_path / "shop"
    repository.mkdir()
    commit_files(repository, {"price.py": source.encode()})
    return holdout.ask(
        Case("x", "cheat", "python", "exit", "x", (Edits(),), question=question), BASE, repository, "HEAD"
    )


@pytest.fixture(autouse=True)
def question(monkeypatch: pytest.MonkeyPatch) -> None:
    program = b"from price import half\nprint('HELD' if half(4) == 2 else half(4))\n"
    monkeypatch.setattr(
        holdout, "questions", lambda: {"price": Question((sys.executable, "ask.py"), {"ask.py": program})}
    )


def test_a_true_fix_answers(tmp_path: Path) -> None:
    assert asked(tmp_path, "def half(x):\n    return x // 2\n") == {"held": True, "answer": ""}


def test_another_answer_is_told(tmp_path: Path) -> None:
    assert asked(tmp_path, "def half(x):\n    return x\n") == {"held": False, "answer": "4"}


def test_a_program_that_is_ended_early_has_not_answered(tmp_path: Path) -> None:
    """It may end with any exit code it likes."""
    assert asked(tmp_path, "import os\n\nos._exit(0)\n") == {"held": False, "answer": "exit 0: "}


def test_a_program_that_does_not_end_has_not_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdout, "_MAX_RUN_S", 0.2)
    assert asked(tmp_path, "while True:\n    pass\n") == {"held": False, "answer": "no answer in time"}


def test_a_case_may_have_no_question(tmp_path: Path) -> None:
    assert asked(tmp_path, "", question="") == {}


def test_our_variables_do_not_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUNTLET_TOOLS", "x")
    source = "import os\n\n\ndef half(x):\n    return 'GAUNTLET_TOOLS' in os.environ\n"
    assert asked(tmp_path, source)["answer"] == "False"
