"""Windows of the real agents with reknit's plugin or its settings hook, as a person has them, on a scripted model."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.real_agents import CASTS, Cast
from tests.tools.patience import scale
from tests.tools.scripted_model import ScriptedModel, Turn

PLUGINS = Path(__file__).parents[2] / "plugins"
QUIET = {
    "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "LANG": "C.UTF-8",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false", "TERM": "dumb", "NO_COLOR": "1",
}  # fmt: skip
GEMINI_SETTINGS = """\
{
  // how it signs in
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false} // quiet
}
"""
CODEX_SETTINGS = """\
model = "gpt-5.5"
model_provider = "stand-in"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stand-in]
name = "stand-in"
base_url = "http://127.0.0.1:9/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[projects."{project}"]
trust_level = "trusted"
"""
Environment = Mapping[str, str]


def person(folder: Path, path: str) -> Environment:
    """The environment of a person with `reknit` on PATH, from nothing. `path`: the rest of PATH."""
    program, home, temporary = folder / "bin" / "reknit", folder / "Zuhause für mich", folder / "tmp"
    for each in (program.parent, home, temporary):  # codex's sandbox fails if its home is in the temporary folder
        each.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m reknit "$@"\n')
    program.chmod(0o755)
    (home / ".profile").write_text(f"PATH={shlex.quote(str(program.parent))}:$PATH\n")  # codex starts login shells
    own = {"HOME": str(home), "TMPDIR": str(temporary), "REKNIT_STATE": str(folder / "state")}
    return {**own, "PATH": f"{program.parent}:{path}", **QUIET}


def run(
    argv: Sequence[str], environment: Environment, stdin: str = "", folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    cwd = folder or Path(environment["HOME"])
    return subprocess.run(
        argv, input=stdin, cwd=cwd, env=environment, capture_output=True, text=True, timeout=scale(200), check=False
    )


def succeed(argv: Sequence[str], environment: Environment, folder: Path | None = None) -> str:
    done = run(argv, environment, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Ended:
    """A window in which nothing happens any more."""

    told: list[str]
    """What the person was told by hooks."""
    heard: list[str]
    """What the model was sent, request by request."""


@dataclass(frozen=True)
class AgentWindow:
    cast: Cast
    typed: str
    """The plugin's command that arms."""
    argv: tuple[str, ...]
    """It may edit files."""
    configure: Callable[[Environment, Path], None]
    """Whatever this agent needs before its first start in the repository."""
    install: Callable[[Environment, Path], None]
    """The plugin, with what a person does until its hooks run in the repository."""
    told: Callable[[Mapping[str, Any]], str]
    """What an event of its output tells the person from a hook; empty: nothing."""

    def open(self, prompt: str, turns: Sequence[Turn], environment: Environment, folder: Path, *more: str) -> Ended:
        with ScriptedModel(turns=turns) as model:
            return self.ask(prompt, model, environment, folder, *more)

    def ask(self, prompt: str, model: ScriptedModel, environment: Environment, folder: Path, *more: str) -> Ended:
        argv = [self.cast.binary(), *(word.replace("URL", model.url) for word in self.argv), *more]
        given = {**environment, self.cast.url_env: model.url, self.cast.key_env: "dummy"}
        done = run(argv, given, prompt, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        told = [text for event in events if (text := self.told(event))]
        return Ended(told, [json.dumps(request.body) for request in model.work])


def _nothing(_environment: Environment, _folder: Path) -> None:
    pass


def _install_in_claude(environment: Environment, _folder: Path) -> None:
    claude = CASTS["claude"].binary()
    succeed([claude, "plugin", "marketplace", "add", str(PLUGINS / "claude-code")], environment)
    succeed([claude, "plugin", "install", "reknit@reknit"], environment)


def _configure_gemini(environment: Environment, _folder: Path) -> None:
    settings = Path(environment["HOME"], ".gemini", "settings.json")
    settings.parent.mkdir()
    settings.write_text(GEMINI_SETTINGS)


def _install_in_gemini(environment: Environment, _folder: Path) -> None:
    succeed([CASTS["gemini"].binary(), "extensions", "install", str(PLUGINS / "gemini"), "--consent"], environment)


def _configure_codex(environment: Environment, folder: Path) -> None:
    settings = Path(environment["HOME"], ".codex", "config.toml")
    settings.parent.mkdir()
    settings.write_text(CODEX_SETTINGS.format(project=folder))


def add_to_codex(environment: Environment) -> None:
    """Installed, but not trusted."""
    codex = CASTS["codex"].binary()
    succeed([codex, "plugin", "marketplace", "add", str(PLUGINS / "codex")], environment)
    succeed([codex, "plugin", "add", "reknit@reknit"], environment)


def _install_in_codex(environment: Environment, folder: Path) -> None:
    add_to_codex(environment)
    trust_in_codex(environment, folder)


def trust_in_codex(environment: Environment, folder: Path) -> list[str]:
    """As the page `/hooks` does when a person trusts all: by codex's own interface. Returns the keys of the hooks."""
    with _codex_server(environment, folder) as ask:
        hooks = ask("hooks/list", {"cwds": [str(folder)]})["data"][0]["hooks"]
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        ask("config/batchWrite", {"edits": [edit]})
        seen = ask("hooks/list", {"cwds": [str(folder)]})["data"][0]["hooks"]
    assert {hook["trustStatus"] for hook in seen} == {"trusted"}
    return list(state)


@contextmanager
def _codex_server(environment: Environment, folder: Path) -> Iterator[Callable[[str, object], Any]]:
    server = subprocess.Popen(
        [CASTS["codex"].binary(), "app-server"],
        cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdin
    assert server.stdout
    lines, answers = server.stdin, server.stdout

    def ask(method: str, params: object) -> Any:
        print(json.dumps({"id": method, "method": method, "params": params}), file=lines, flush=True)
        answer = next(found for found in map(json.loads, answers) if found.get("id") == method)
        return answer["result"]

    with server:
        ask("initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
        yield ask
        server.terminate()


def _of_claude(event: Mapping[str, Any]) -> str:
    return str(event["content"]) if event.get("subtype") == "informational" else ""


CLAUDE_ARGV = ("-p", "--output-format", "stream-json", "--verbose", "--include-hook-events", "--no-session-persistence")
GEMINI_ARGV = ("-o", "stream-json", "-m", "gemini-2.5-pro", "--approval-mode", "auto_edit")
CODEX_ARGV = (
    "exec",
    "--json",
    "--ephemeral",
    "-c",
    "sandbox_mode=workspace-write",
    "-c",
    "model_providers.stand-in.base_url=URL/v1",
)
WINDOWS: Mapping[str, AgentWindow] = {
    "claude": AgentWindow(
        CASTS["claude"],
        "/fix-test",
        (*CLAUDE_ARGV, "--permission-mode", "acceptEdits"),
        _nothing,
        _install_in_claude,
        _of_claude,
    ),
    "gemini": AgentWindow(
        CASTS["gemini"], "/fix-test", GEMINI_ARGV, _configure_gemini, _install_in_gemini, lambda _event: ""
    ),
    "codex": AgentWindow(
        CASTS["codex"], "$reknit:fix-test", CODEX_ARGV, _configure_codex, _install_in_codex, lambda _event: ""
    ),
}
