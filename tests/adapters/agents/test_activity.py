"""What an agent does while it works, from its transcript and its tree."""

import json
import os
from dataclasses import replace
from pathlib import Path

from reknit.adapters.agents.activity import watch_call
from reknit.core.agents.call import AgentSettings
from reknit.core.box import BoxView

CLAUDE = AgentSettings("claude", "claude")
OWN = AgentSettings("mine", "any_command")


def use(path: str) -> bytes:
    part = {"type": "tool_use", "name": "Edit", "input": {"file_path": path}}
    return json.dumps({"type": "assistant", "message": {"content": [part]}}).encode() + b"\n"


def view(tmp_path: Path) -> BoxView:
    (tmp_path / "tree").mkdir()
    return BoxView("/shop", str(tmp_path / "tree"))


def test_the_stream_of_a_cli_says_what_it_edits_even_if_it_is_long_and_cut(tmp_path: Path) -> None:
    observe = watch_call(CLAUDE, str(tmp_path), view(tmp_path))
    assert observe().lines == ()
    long = b"x" * 400_000 + b"\n"
    (tmp_path / "transcript.jsonl").write_bytes(use("/shop/a.py") + long + use("/shop/b.py") + b'{"type": "assis')
    assert observe().lines == ("edits b.py",)
    (tmp_path / "transcript.again.jsonl").write_bytes(use("/shop/c.py"))
    assert observe().lines == ("edits c.py",), "the second call of the attempt"


def test_the_transcript_of_an_earlier_start_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "transcript.jsonl").write_bytes(use("/shop/a.py"))
    os.utime(tmp_path / "transcript.jsonl", (1.0, 1.0))
    assert watch_call(CLAUDE, str(tmp_path), view(tmp_path))().lines == ()


def test_of_another_program_the_changed_files_and_its_last_line_are_shown(tmp_path: Path) -> None:
    shown = view(tmp_path)
    old = Path(shown.tree, "old.py")
    old.touch()
    os.utime(old, (1.0, 1.0))
    observe = watch_call(OWN, str(tmp_path), shown)
    (Path(shown.tree) / ".git").mkdir()
    for name in ("new.py", ".git/index"):
        Path(shown.tree, name).touch()
        os.utime(Path(shown.tree, name), (2e9, 2e9))
    (tmp_path / "transcript.txt").write_text("I look\nI write\n")
    assert observe().lines == ("changed new.py", "I write")
    assert watch_call(OWN, str(tmp_path), replace(shown, read_only=True))().lines == ("I write",)
