"""The program that plays a move, run as it is in the box."""

import dataclasses
import json
import signal
import sys
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.agents.scripted import player
from reknit.adapters.agents.scripted.agent import Move


def play(folder: Path, move: Move) -> process.Completed:
    program = Path(player.__file__).read_text()
    stdin = json.dumps(dataclasses.asdict(move)).encode()
    return process.run([sys.executable, "-I", "-c", program], env={}, cwd=str(folder), stdin=stdin, timeout_s=30)


def test_a_move_writes_replaces_deletes_runs_and_speaks(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x x")
    (tmp_path / "gone").write_text("")
    move = Move(
        write={"new/file": "né"}, replace={"old": ["x", "y"]}, delete=["gone"], run=["/bin/ls", "new"], say="done here"
    )
    ended = play(tmp_path, move)
    assert (ended.exit_code, ended.stdout) == (0, b"file\ndone here\n")
    assert (tmp_path / "new/file").read_text(encoding="utf-8") == "né"
    assert (tmp_path / "old").read_text() == "y x"
    assert not (tmp_path / "gone").exists()


def test_a_command_that_fails_does_not_end_the_move(tmp_path: Path) -> None:
    ended = play(tmp_path, Move(run=["/bin/false"], say="on"))
    assert (ended.exit_code, ended.stdout) == (0, b"on\n")


def test_a_text_that_is_not_there_ends_it(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    ended = play(tmp_path, Move(replace={"old": ["z", "y"]}))
    assert ended.exit_code == 1
    assert b"old does not contain 'z'" in ended.stderr


def test_a_crash_is_a_real_one(tmp_path: Path) -> None:
    ended = play(tmp_path, Move(write={"half": "x"}, outcome="crashed"))
    assert ended.exit_code == -signal.SIGKILL
    assert (tmp_path / "half").exists()


def test_playing_needs_no_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    player.play(dataclasses.asdict(Move(write={"a": "x"}, replace={"a": ["x", "y"]}, run=["true"])))
    assert (tmp_path / "a").read_text() == "y"
    player.play(dataclasses.asdict(Move(delete=["a"])))
    assert not (tmp_path / "a").exists()
    player.end("done")
