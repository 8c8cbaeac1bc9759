"""Puts our hook into the settings of the user's agents, or takes it out; no file is written before all are checked."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import reknit
from reknit.adapters.files.atomic_replace import Content
from reknit.adapters.files.settings_files import read_settings, write_settings
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.process import find_program
from reknit.core.errors import ToolMissing, UsageProblem
from reknit.core.hook.command import AGENTS, hook_command
from reknit.core.hook.install_text import HookChange
from reknit.core.hook.settings_file import CHANGED, Edited, SettingsFile, has_value, install, uninstall

_ENTRY = Path(reknit.__file__).parent / "interfaces" / "hook" / "entry.py"
_MOVES_HOME = "GEMINI_CLI_HOME"
"""Names the folder that the agent's folder is in; the other variables name the agent's folder itself."""


def install_hooks(environment: Mapping[str, str], agents: Sequence[str], project: Path | None) -> list[HookChange]:
    """`agents`: empty for all that are installed. `project`: a folder of the repository; None: the user's settings."""
    names = agents or [name for name in AGENTS if find_program(name, environment.get("PATH"))]
    if not names:
        what = f"none of {', '.join(AGENTS)} is on PATH"
        raise ToolMissing("tool-missing", what, help="name the agent that you use with --agent")
    return _change(environment, names, project, _command())


def uninstall_hooks(environment: Mapping[str, str], agents: Sequence[str], project: Path | None) -> list[HookChange]:
    """`agents`: empty for all, also those that are no longer installed."""
    return _change(environment, agents or list(AGENTS), project, None)


def _command() -> str:
    command = hook_command(_absolute(sys.executable), _absolute(str(_ENTRY)))
    try:
        command.encode()
    except UnicodeEncodeError:  # a name in another encoding
        what = f"no settings file can hold the path of this Python: {command!r}"
        raise UsageProblem("settings", what, help="install reknit in another folder") from None
    return command


def _change(
    environment: Mapping[str, str], agents: Sequence[str], project: Path | None, command: str | None
) -> list[HookChange]:
    root = None if project is None else Path(UserRepository.find(str(project)).root)
    planned: list[tuple[Path, Content, Edited]] = []
    changes = []
    for name in dict.fromkeys(agents):
        path = own_file(name, environment) if root is None else _file_below(root, name)
        content = read_settings(path)
        file = _settings_file(name, path, content)
        edited = uninstall(file) if command is None else install(file, command, AGENTS[name].timeout)
        planned.append((path, content, edited))
        is_off = command is not None and has_value(file, *AGENTS[name].off)
        changes.append(HookChange(name, str(path), edited.done, is_off))
    for path, content, edited in planned:
        if edited.done in CHANGED:
            write_settings(path, content, None if edited.text is None else edited.text.encode())
    return changes


def own_file(name: str, environment: Mapping[str, str]) -> Path:
    agent = AGENTS[name]
    home = Path(environment.get("HOME") or Path.home())
    given = environment.get(agent.variable)
    if given and agent.variable != _MOVES_HOME:
        return Path(_absolute(given)) / agent.file
    return Path(_absolute(given) if given else home) / agent.folder / agent.file


def _file_below(root: Path, name: str) -> Path:
    path = root / AGENTS[name].folder / AGENTS[name].file
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        what = f"{str(path)!r} is a link that leaves the repository"  # a cloned repository may have any link
        raise UsageProblem("settings", what, help="remove the link, or use your own settings: without --project")
    return path


def _settings_file(name: str, path: Path, content: Content) -> SettingsFile:
    try:
        text = None if content.facts is None else content.data.decode()
    except UnicodeDecodeError:
        what = "the agent's settings are not UTF-8 text"
        raise UsageProblem("settings", what, where=str(path), help="save it as UTF-8; no file was changed") from None
    return SettingsFile(str(path), text, AGENTS[name].event, AGENTS[name].comments)


def _absolute(path: str) -> str:
    """Links stay: that of a virtual environment is how Python finds its packages."""
    return os.path.abspath(path)  # noqa: PTH100
