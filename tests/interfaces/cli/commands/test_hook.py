"""`reknit hook install` and `uninstall`."""

from collections.abc import Callable
from pathlib import Path

from tests.tools.command_line import Answer

Here = Callable[..., Answer]


def test_install_and_uninstall_say_what_they_did_where(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "home" / ".claude" / "settings.json"
    for done in ("installed", "already installed"):
        answer = here("hook", "install", "--agent", "claude", cwd=tmp_path)
        assert (answer.exit_code, answer.err) == (0, "")
        assert answer.out.splitlines() == [
            f"claude  Stop hook {done} in {file}",
            "  next      reknit hook arm BUG-001 PATH    then let the agent fix it in its window",
        ]
    answer = here("hook", "uninstall", "--agent", "claude", cwd=tmp_path)
    assert (answer.exit_code, answer.out) == (0, f"claude  Stop hook removed from {file}\n")
    assert not file.exists()


def test_the_files_of_the_repository(here: Here, shop: Path) -> None:
    answer = here("hook", "install", "--project", "--agent", "codex", "--agent", "gemini", cwd=shop)
    assert answer.exit_code == 0
    assert (shop / ".codex" / "hooks.json").exists()
    assert (shop / ".gemini" / "settings.json").exists()
    assert "do not commit them" in answer.out
    answer = here("hook", "uninstall", "--project", cwd=shop)
    assert answer.out.count(" removed from ") == 2
    assert "claude  Stop hook not installed in " in answer.out


def test_a_broken_file_is_named_with_its_line_and_kept(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "home" / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{\n  "a": 1,\n}\n')
    answer = here("hook", "install", "--agent", "claude", cwd=tmp_path)
    assert (answer.exit_code, answer.out, file.read_text()) == (2, "", '{\n  "a": 1,\n}\n')
    assert answer.err.splitlines()[1:] == [
        f"  --> {file}:3",
        "  help: repair it, or name the other agents with --agent; no file was changed",
    ]
