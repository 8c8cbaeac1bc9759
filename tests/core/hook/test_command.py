"""The command of our hook."""

import shlex
import subprocess
from pathlib import Path

import pytest

from reknit.core.hook.command import AGENTS, is_ours, to_hook_command

ENTRY = "/x/reknit/interfaces/hook/entry.py"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (to_hook_command("/usr/bin/python3", ENTRY), True),
        (to_hook_command('/it\'s a "place"/ü/python', f'/it\'s a "place"/ü{ENTRY}'), True),
        (f"/usr/bin/python3 -I -S {ENTRY} stop --limit 60", True),
        (f'python "{ENTRY}" stop', True),
        (f"python {ENTRY} prompt", False),
        (f"cat {ENTRY}", False),
        ("reknit hook stop", False),
        ("", False),
        (None, False),
        ([ENTRY, "stop"], False),
    ],
)
def test_ours_is_known_by_its_script(command: object, expected: bool) -> None:
    assert is_ours(command) is expected


@pytest.mark.parametrize("folder", ["plain", "mit Leerzeichen ü", 'it\'s $HOME `x` "q"'])
def test_the_shell_starts_the_script_with_its_arguments(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    interpreter, entry = tmp_path / folder / "python", tmp_path / folder / "entry.py"
    interpreter.write_text('#!/bin/sh\nprintf "%s\\n" "$@"; exit 2\n')
    interpreter.chmod(0o755)
    entry.touch()
    done = subprocess.run(["sh", "-c", to_hook_command(str(interpreter), str(entry))], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()) == (2, ["-I", "-S", str(entry), "stop", "--limit", "120"])


def test_a_script_that_is_gone_blocks_nobody(tmp_path: Path) -> None:
    """Python itself would end with 2, which means: do not stop."""
    command = to_hook_command("python3", str(tmp_path / "entry.py"))
    done = subprocess.run(["sh", "-c", command], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    bare = shlex.split(command)[-7:]
    assert bare[0] == "python3"
    assert subprocess.run(bare, capture_output=True).returncode == 2


def test_every_agent_has_two_minutes_in_its_own_unit() -> None:
    assert {name: agent.timeout for name, agent in AGENTS.items()} == {"claude": 120, "codex": 120, "gemini": 120_000}
