"""The hook as `reknit hook install` writes it: each real agent runs it, and does not stop while it says so."""

import json
from pathlib import Path

import pytest

import reknit
from reknit.app.hook import install
from reknit.core.hook.command import AGENTS
from tests.e2e.agent_windows import WINDOWS, Environment, run, succeed, trust_in_codex

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(200)]

ENTRY = """\
import sys
with open(__file__ + ".log", "a+") as log:
    log.write(sys.stdin.read().strip().replace("\\n", " ") + "\\n")
    log.seek(0)
    if len(log.readlines()) == 1:
        print("not yet:", *sys.argv[1:], file=sys.stderr)
        sys.exit(2)
"""
"""Blocks the first stop and allows the second."""
SESSION, TEST = "w1", "tests/test_pricing.py"


@pytest.mark.parametrize("is_project", [False, True], ids=["own settings", "of the repository"])
@pytest.mark.parametrize("agent", WINDOWS)
def test_a_real_agent_goes_on_when_our_hook_says_so(
    agent: str, is_project: bool, environment: Environment, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = tmp_path / "mit Leerzeichen & ü" / "reknit" / "interfaces" / "hook" / "entry.py"
    entry.parent.mkdir(parents=True)
    entry.write_text(ENTRY)
    monkeypatch.setattr(install, "_ENTRY", entry)
    window, home, project = WINDOWS[agent], Path(environment["HOME"]), shop if is_project else None
    window.configure(environment, shop)
    before = _settings(home, shop)
    [change] = install.install_hooks(environment, (agent,), project)
    assert change.result == "installed"
    if agent == "codex":
        trust_in_codex(environment, shop)
    ended = window.open("Do it.", [{"text": "I am done."}, {"text": "Really."}], environment, shop)
    events = [json.loads(line) for line in Path(f"{entry}.log").read_text().splitlines()]
    assert [event["hook_event_name"] for event in events] == [AGENTS[agent].event] * 2
    assert "not yet: stop --limit 120" in ended.heard[1]
    install.uninstall_hooks(environment, (), project)
    assert _settings(home, shop) == before


def test_the_bytes_that_the_hook_answers_with(environment: Environment, shop: Path) -> None:
    """The command as claude finds it in its settings, and each of the five answers that a loop of attempts has."""
    succeed(["reknit", "hook", "install", "--agent", "claude"], environment)
    settings = json.loads(Path(environment["HOME"], ".claude", "settings.json").read_text())
    [[hook]] = [group["hooks"] for group in settings["hooks"]["Stop"]]
    event = {"session_id": SESSION, "cwd": str(shop), "hook_event_name": "Stop", "stop_hook_active": False}

    def stop() -> tuple[int, str]:
        done = run(["/bin/sh", "-c", hook["command"]], environment, json.dumps(event), shop)
        assert done.stdout == ""
        return done.returncode, done.stderr

    succeed(["reknit", "hook", "arm", "BUG-001", TEST], environment, shop)
    for attempt, strategy in ((2, "web_search"), (3, "deep_investigation")):
        head = f"RETRY: BUG-001 - Attempt {attempt} of 3\nStrategy: {strategy}"
        assert stop() == (2, f"{head}\n\n{_guidance(strategy)}\n\nTest output:\nAssertionError: 190 != 180\n")
    assert stop() == (0, "DEFERRED: BUG-001 after 3 attempts\n")
    assert stop() == (0, "")
    succeed(["reknit", "hook", "arm", "BUG-002", TEST], environment, shop)
    code = shop / "shop" / "pricing.py"
    code.write_text(code.read_text().replace("price - percent", "price * (1 - percent / 100)"))
    assert stop() == (0, "SUCCESS: BUG-002 fixed on attempt 1\n")
    assert stop() == (0, "")


def _guidance(strategy: str) -> str:
    text = (Path(reknit.__file__).parent / "prompts" / f"_strategy_{strategy}.md").read_text().strip()
    return text[0].upper() + text[1:]


def _settings(*folders: Path) -> dict[str, bytes]:
    files = [folder / agent.folder / agent.file for folder in folders for agent in AGENTS.values()]
    return {str(file): file.read_bytes() for file in files if file.exists()}
