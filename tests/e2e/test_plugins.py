"""The plugins as they are shipped: the agents' own programs accept them, and a real window is checked when it stops."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit import __version__
from tests.e2e.real_agents import CASTS
from tests.e2e.test_hook_install import GEMINI as SETTINGS
from tests.e2e.test_hook_install import QUIET
from tests.tools import agent_binaries
from tests.tools.scripted_model import Request, ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
PLUGINS = Path(__file__).parents[2] / "plugins"
CLAUDE, GEMINI = PLUGINS / "claude-code", PLUGINS / "gemini"
WRONG, RIGHT = "return price - percent", "return price * (1 - percent / 100)"
ARGUMENTS = ("-p", "--output-format", "stream-json", "--verbose", "--include-hook-events", "--no-session-persistence")


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """From nothing; `reknit` is on PATH, as a person has it."""
    program = tmp_path / "bin" / "reknit"
    for folder in (program.parent, tmp_path / "home"):
        folder.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m reknit "$@"\n')
    program.chmod(0o755)
    own = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path), "REKNIT_STATE": str(tmp_path / "state")}
    return {**own, "PATH": f"{program.parent}:{os.environ['PATH']}", **QUIET}


def test_claude_accepts_the_marketplace_and_the_plugin(environment: Mapping[str, str]) -> None:
    claude = agent_binaries.claude()
    for file in ("marketplace.json", "plugin.json"):
        done = run([claude, "plugin", "validate", str(CLAUDE / ".claude-plugin" / file)], environment)
        assert (done.returncode, "Validation passed" in done.stdout) == (0, True), done.stdout + done.stderr
        assert "with warnings" not in done.stdout
    assert run([claude, "plugin", "marketplace", "add", str(CLAUDE)], environment).returncode == 0
    installed = run([claude, "plugin", "install", "reknit@reknit"], environment)
    assert installed.returncode == 0, installed.stderr
    [plugin] = json.loads(run([claude, "plugin", "list", "--json"], environment).stdout)
    assert (plugin["id"], plugin["version"], plugin["enabled"]) == ("reknit@reknit", __version__, True)


def test_a_window_is_sent_back_until_the_test_passes_and_another_in_its_folder_never(
    environment: Mapping[str, str], shop: Path
) -> None:
    moments = ["reknit armed BUG-001", "RETRY: BUG-001"]
    others: list[tuple[list[str], int]] = []

    def meanwhile(request: Request) -> Turn | None:
        """Before the first window stops, when the bug could still be claimed, and after it was sent back."""
        if moments and moments[0] in json.dumps(request.body):
            moments.pop(0)
            with ScriptedModel(turns=[{"text": "Hello."}]) as model:
                others.append((window("Say hello.", environment, shop, model), len(model.work)))
        return None

    edits = CASTS["claude"].edits(str(shop / "shop" / "pricing.py"), WRONG, RIGHT)
    done: Turn = {"text": "Done."}
    with ScriptedModel(turns=[done, *edits, done], decide=meanwhile) as model:
        told = window("/fix-test BUG-001 tests/test_pricing.py", environment, shop, model)
    assert told == [
        "UserPromptSubmit says: reknit: BUG-001 is armed: tests/test_pricing.py, at most 3 attempts",
        "Stop says: SUCCESS: BUG-001 fixed on attempt 2",
    ]
    assert "Fix the code so that tests/test_pricing.py passes." in json.dumps(model.work[0].body)
    sent_back = json.dumps(model.work[1].body)
    assert "RETRY: BUG-001 - Attempt 2 of 3\\nStrategy: web_search\\n" in sent_back
    assert len(model.work) == 4
    assert others == [([], 1), ([], 1)]


def window(prompt: str, environment: Mapping[str, str], folder: Path, model: ScriptedModel) -> list[str]:
    """What the person was told by hooks, until the agent stopped."""
    argv = [agent_binaries.claude(), *ARGUMENTS, "--permission-mode", "acceptEdits", "--plugin-dir", str(CLAUDE)]
    given = {**environment, "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy"}
    done = run(argv, given, prompt, folder)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [event["content"] for event in events if event.get("subtype") == "informational"]


def run(
    argv: list[str], environment: Mapping[str, str], stdin: str = "", folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    cwd = folder or Path(environment["HOME"])
    return subprocess.run(
        argv, input=stdin, cwd=cwd, env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def test_gemini_accepts_the_extension(environment: Mapping[str, str]) -> None:
    done = run([agent_binaries.gemini(), "extensions", "validate", str(GEMINI)], environment)
    assert done.returncode == 0, done.stderr
    assert "successfully validated" in done.stdout + done.stderr


def test_gemini_is_sent_back_too(environment: Mapping[str, str], shop: Path) -> None:
    gemini = agent_binaries.gemini()
    settings = Path(environment["HOME"], ".gemini", "settings.json")
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    installed = run([gemini, "extensions", "install", str(GEMINI), "--consent"], environment)
    assert installed.returncode == 0, installed.stderr
    edits = CASTS["gemini"].edits(str(shop / "shop" / "pricing.py"), WRONG, RIGHT)
    done: Turn = {"text": "Done."}
    with ScriptedModel(turns=[done, *edits, done]) as model:
        given = {**environment, "GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "dummy"}
        argv = [gemini, "-o", "stream-json", "-m", "gemini-2.5-pro", "--approval-mode", "auto_edit"]
        ended = run([*argv, "-p", "/fix-test BUG-001 tests/test_pricing.py"], given, folder=shop)
    assert ended.returncode == 0, ended.stderr
    assert "Fix the code so that tests/test_pricing.py passes." in json.dumps(model.work[0].body)
    assert "RETRY: BUG-001 - Attempt 2 of 3\\nStrategy: web_search\\n" in json.dumps(model.work[1].body)
    assert len(model.work) == 4
    shown = run(["reknit", "hook", "status"], environment, folder=shop).stdout
    assert shown.startswith("BUG-001  FIXED  attempt 2 of 3")


@pytest.mark.parametrize(
    ("typed", "command", "printed"),
    [
        pytest.param("/fix-pr --max-iterations=3", "fix pr --detach --max-iterations=3", "error[", id="fix-pr"),
        pytest.param("/fix-issues", "fix issues --detach", "error[", id="fix-issues"),
        pytest.param("/reknit:review", "review --detach", "error[", id="review"),
        pytest.param("/reknit-status", "hook status; reknit runs", "nothing is armed here", id="status"),
    ],
)
def test_the_command_that_a_skill_names_may_run_and_its_answer_is_seen(
    typed: str, command: str, printed: str, environment: Mapping[str, str], shop: Path
) -> None:
    """In a repository without a forge and issues: what is printed shows that it ran, and nothing is started."""
    turns: list[Turn] = [CASTS["claude"].shell(f"reknit {command}"), {"text": "Done."}]
    with ScriptedModel(turns=turns) as model:
        assert window(typed, environment, shop, model) == []
    asked, answered = (json.dumps(request.body["messages"]) for request in model.work)
    assert f"Run once: `reknit {command}" in asked
    assert (printed in asked, printed in answered) == (False, True), answered[-2000:]
