"""The hook as `reknit hook install` writes it: each real agent runs it, and does not stop while it says so."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from reknit.app.hook import install
from reknit.core.hook.command import AGENTS
from tests.e2e.real_agents import Cast
from tests.tools.scripted_model import ScriptedModel

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
CODEX = """\
model = "gpt-5.1-codex"
model_provider = "stand-in"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stand-in]
name = "stand-in"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[projects."{project}"]
trust_level = "trusted"
"""
GEMINI = """\
{
  // how it signs in
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false} // quiet
}
"""
ARGUMENTS = {
    "claude": ("-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
    "codex": ("exec", "--json", "--ephemeral", "--disable", "plugins", "--dangerously-bypass-hook-trust", "-"),
    "gemini": ("-o", "stream-json", "-m", "gemini-2.5-pro", "--approval-mode", "default"),
}
QUIET = {
    "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "LANG": "C.UTF-8",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false", "TERM": "dumb", "NO_COLOR": "1",
}  # fmt: skip


@pytest.mark.timeout(120)
@pytest.mark.parametrize("is_project", [False, True], ids=["own settings", "of the repository"])
def test_a_real_agent_goes_on_when_our_hook_says_so(
    cast: Cast, is_project: bool, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = tmp_path / "mit Leerzeichen & ü" / "reknit" / "interfaces" / "hook" / "entry.py"
    entry.parent.mkdir(parents=True)
    entry.write_text(ENTRY)
    monkeypatch.setattr(install, "_ENTRY", entry)
    home = tmp_path / "Zuhause für mich"
    with ScriptedModel(turns=[{"text": "I am done."}, {"text": "Really."}]) as model:
        _configure(home, model.url, shop)
        before = _settings(home, shop)
        environment = {"HOME": str(home), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"], **QUIET}
        project = shop if is_project else None
        [change] = install.install_hooks(environment, (cast.name,), project)
        assert change.done == "installed"
        done = subprocess.run(
            [cast.binary(), *ARGUMENTS[cast.name]],
            input="Do it.", cwd=shop, env={**environment, cast.url_env: model.url, cast.key_env: "dummy"},
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in Path(f"{entry}.log").read_text().splitlines()]
    assert [event["hook_event_name"] for event in events] == [AGENTS[cast.name].event] * 2
    assert "not yet: stop --limit 120" in json.dumps(model.work[1].body)
    install.uninstall_hooks(environment, (), project)
    assert _settings(home, shop) == before


def _configure(home: Path, url: str, project: Path) -> None:
    for folder in (".codex", ".gemini", ".claude"):
        (home / folder).mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(CODEX.format(url=url, project=project))
    (home / ".gemini" / "settings.json").write_text(GEMINI)


def _settings(*folders: Path) -> dict[str, bytes]:
    files = [folder / agent.folder / agent.file for folder in folders for agent in AGENTS.values()]
    return {str(file): file.read_bytes() for file in files if file.exists()}
