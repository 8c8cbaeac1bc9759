"""`reknit hook install` and `uninstall`."""

import json
from collections.abc import Callable
from pathlib import Path

from reknit.adapters.hook import HookFiles, marker_folder
from reknit.app.installation import find_installation
from reknit.core.hook.marker import HookAnswer
from reknit.core.hook.mode import FixMode, start_bug
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
ATTACK = HookAnswer(block=True, text="RETRY \x1b]0;mine\x07 \u202e")


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


def test_a_bug_is_armed_shown_and_disarmed(here: Here, shop: Path) -> None:
    assert here("hook", "status", cwd=shop).err == "nothing is armed here: `reknit hook arm BUG-001 PATH`\n"
    armed = here("hook", "arm", "BUG-001", "tests/test_pricing.py", cwd=shop)
    assert armed.out.splitlines()[0] == "BUG-001 is armed: tests/test_pricing.py, at most 3 attempts"
    shown = here("hook", "status", cwd=shop).out.splitlines()
    assert shown == ["BUG-001  in_progress  attempt 1 of 3  local  no window yet", "  test    tests/test_pricing.py"]
    [bug] = here("hook", "status", "--format", "json", cwd=shop).ending["bugs"]
    assert (bug["bug_id"], bug["status"], bug["owner"]) == ("BUG-001", "in_progress", "")
    assert here("hook", "disarm", cwd=shop).out == "BUG-001 is no longer checked\n"
    assert "nothing is armed here" in here("hook", "status", cwd=shop).err
    assert "last    ended by a person" in here("hook", "status", "--all", cwd=shop).out


def test_arming_says_which_bug_is_no_longer_checked(here: Here, shop: Path) -> None:
    for bug in ("BUG-001", "BUG-002"):
        armed = here("hook", "arm", bug, "tests/test_pricing.py", "--session", "w1", cwd=shop)
    assert armed.out.splitlines()[1:] == ["  BUG-001 is no longer checked in this window."]


def test_a_problem_of_ours_never_sends_a_window_back(here: Here, reknit: CommandLine, shop: Path) -> None:
    broken = reknit.environment | {"REKNIT_DATABASE": "nonsense://"}
    words = ["hook", "decide", "--session", "w1", "--folder", str(shop)]
    answer = CommandLine(reknit.folder, broken).run(*words, cwd=shop)
    assert (answer.exit_code, answer.err.startswith("NOT CHECKED: ")) == (0, True)
    marker_folder(find_installation(reknit.environment).hooks, str(shop)).joinpath("w1+pr").mkdir(parents=True)
    answer = here(*words, "--answer", "json", cwd=shop)
    assert (answer.exit_code, answer.err) == (0, "")
    assert json.loads(answer.out)["systemMessage"].startswith("NOT CHECKED: "), "agents show nothing else"


def test_a_prompt_arms_a_bug_for_its_window_or_is_taken_away_with_the_reason(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    words = [
        "hook",
        "prompt",
        "--session=w1",
        f"--folder={shop}",
        "--event=UserPromptSubmit",
        "--command=fix-test",
        "--typed=BUG-001 tests/test_pricing.py",
    ]
    broken = CommandLine(reknit.folder, {"REKNIT_DATABASE": "nonsense://"}).run(*words, cwd=shop)
    assert (broken.exit_code, broken.err) == (0, "")
    assert (broken.ending["decision"], "nonsense" in broken.ending["reason"]) == ("block", True)
    answer = here(*words, cwd=shop)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.ending["systemMessage"].startswith("reknit: BUG-001 is armed: ")
    [bug] = here("hook", "status", "--format", "json", cwd=shop).ending["bugs"]
    assert (bug["bug_id"], bug["owner"]) == ("BUG-001", "w1")


def test_no_text_controls_the_terminal_of_the_agent(here: Here, reknit: CommandLine, shop: Path) -> None:
    """JSON hides what it escapes from us, and the agent brings it back."""
    mode = FixMode("r-1", str(shop), "a" * 40, start_bug("BUG-001", "t.py", 3), 1.0, "w1")
    HookFiles(find_installation(reknit.environment).hooks).publish(mode, ATTACK, "r-7")
    words = ["hook", "decide", "--session", "w1", "--folder", str(shop), "--answer", "json"]
    told = json.loads(here(*words, cwd=shop).out)
    assert told == {"decision": "block", "reason": "RETRY \\x1b]0;mine\\x07 \\u202e"}
