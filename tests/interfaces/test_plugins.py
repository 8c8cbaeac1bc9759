"""The plugins' files: their commands exist, and no hook takes a prompt away or blocks a stop by accident."""

import json
import re
import subprocess
from pathlib import Path

import click
import pytest

from reknit import __version__
from reknit.interfaces.cli.main import cli

PLUGINS = Path(__file__).parents[2] / "plugins"
MANIFESTS = sorted([*PLUGINS.rglob("plugin.json"), *PLUGINS.rglob("gemini-extension.json")])
HOOKS = [
    pytest.param(hook["command"], id=f"{file.parent.parent.name} {event}")
    for file in sorted(PLUGINS.rglob("hooks.json"))
    for event, groups in json.loads(file.read_text())["hooks"].items()
    for group in groups
    for hook in group["hooks"]
]
COMMANDS = sorted([*PLUGINS.rglob("SKILL.md"), *PLUGINS.rglob("*.toml")])


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda file: file.name)
def test_a_plugin_has_the_version_of_reknit(manifest: Path) -> None:
    assert json.loads(manifest.read_text())["version"] == __version__


@pytest.mark.parametrize("command", HOOKS)
@pytest.mark.parametrize("code", [0, 1, 2, None], ids=["works", "fails", "is too old for the plugin", "is missing"])
def test_only_an_answer_blocks(command: str, code: int | None, tmp_path: Path) -> None:
    if code is not None:
        program = tmp_path / "reknit"
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
    done = subprocess.run(["/bin/sh", "-c", command], env={"PATH": str(tmp_path)}, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_each_agent_has_the_same_commands_with_the_same_description() -> None:
    found: dict[str, dict[str, str]] = {}
    for file in COMMANDS:
        name = file.parent.name if file.name == "SKILL.md" else file.stem
        [described] = re.findall(r'^description(?:: | = ")([^"\n]+)', file.read_text(), re.M)
        found.setdefault(file.relative_to(PLUGINS).parts[0], {})[name] = described
    assert set(found) == {"claude-code", "codex", "gemini"}
    assert len({json.dumps(commands) for commands in found.values()}) == 1, found


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: str(file.relative_to(PLUGINS)))
def test_what_a_command_runs_exists(file: Path) -> None:
    for line in re.findall(r"`(reknit [^`]+)`", file.read_text()):
        for part in line.split(";"):
            _, *words = part.split()
            command: click.Command = cli
            context = click.Context(cli)
            while isinstance(command, click.Group):
                found = command.get_command(context, words.pop(0))
                assert found is not None, part
                command = found
            known = {name for parameter in command.params for name in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, part
