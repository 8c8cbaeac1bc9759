"""Puts our hook into the settings of the user's agents, removes it, and finds hooks that do not run or run twice.

No file is written before all are checked.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import reknit
from reknit.adapters.files.atomic_replace import Content, read_settings, write_settings
from reknit.adapters.files.regular_files import read_text_if_any
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.process import find_program
from reknit.core.errors import ToolMissingError, UsageError
from reknit.core.hook.command import AGENTS, to_hook_command
from reknit.core.hook.health import (
    EXTENSION,
    PLUGIN_HOOKS,
    AgentSources,
    HookChange,
    HookSource,
    find_claude_plugin,
    find_codex_plugin,
    is_gemini_extension_on,
)
from reknit.core.hook.settings_file import CHANGED, SettingsEdit, SettingsFile, has_value, install, uninstall

_ENTRY = Path(reknit.__file__).parent / "interfaces" / "hook" / "entry.py"
_MOVES_HOME = "GEMINI_CLI_HOME"
"""Variable for the parent of the agent's folder. The other variables name the agent's folder itself."""


def install_hooks(environment: Mapping[str, str], agents: Sequence[str], project: Path | None) -> list[HookChange]:
    """Install our hook.

    `agents`: empty for all that are installed. `project`: a folder of the repository; None: the user's settings.
    """
    names = agents or [name for name in AGENTS if find_program(name, environment.get("PATH"))]
    if not names:
        message = f"none of {', '.join(AGENTS)} is on PATH"
        raise ToolMissingError("tool-missing", message, help="name the agent that you use with --agent")
    return _change_hooks(environment, names, project, _make_command())


def uninstall_hooks(environment: Mapping[str, str], agents: Sequence[str], project: Path | None) -> list[HookChange]:
    """Remove our hook. `agents`: empty for all, also those that are no longer installed."""
    return _change_hooks(environment, agents or list(AGENTS), project, None)


def _make_command() -> str:
    command = to_hook_command(_make_absolute(sys.executable), _make_absolute(str(_ENTRY)))
    try:
        command.encode()
    except UnicodeEncodeError:  # a name in another encoding
        message = f"no settings file can hold the path of this Python: {command!r}"
        raise UsageError("settings", message, help="install reknit in another folder") from None
    return command


def _change_hooks(
    environment: Mapping[str, str], agents: Sequence[str], project: Path | None, command: str | None
) -> list[HookChange]:
    root = None if project is None else Path(UserRepository.find(str(project)).root)
    planned: list[tuple[Path, Content, SettingsEdit]] = []
    changes = []
    for name in dict.fromkeys(agents):
        path = locate_own_file(name, environment) if root is None else _locate_file_below(root, name)
        content = read_settings(path)
        file = _parse_settings_file(name, path, content)
        edited = uninstall(file) if command is None else install(file, command, AGENTS[name].timeout)
        planned.append((path, content, edited))
        is_off = command is not None and has_value(file, *AGENTS[name].off)
        changes.append(HookChange(name, str(path), edited.result, is_off))
    for path, content, edited in planned:
        if edited.result in CHANGED:
            write_settings(path, content, None if edited.text is None else edited.text.encode())
    return changes


def locate_own_file(name: str, environment: Mapping[str, str]) -> Path:
    """Return the path of the user's settings file of this agent."""
    agent = AGENTS[name]
    home = Path(environment.get("HOME") or Path.home())
    configured_folder = environment.get(agent.variable)
    if configured_folder and agent.variable != _MOVES_HOME:
        return Path(_make_absolute(configured_folder)) / agent.file
    return Path(_make_absolute(configured_folder) if configured_folder else home) / agent.folder / agent.file


def _locate_file_below(root: Path, name: str) -> Path:
    path = root / AGENTS[name].folder / AGENTS[name].file
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        message = f"{str(path)!r} is a link that leaves the repository"  # a cloned repository may have any link
        raise UsageError("settings", message, help="remove the link, or use your own settings: without --project")
    return path


def _parse_settings_file(name: str, path: Path, content: Content) -> SettingsFile:
    try:
        text = None if content.facts is None else content.data.decode()
    except UnicodeDecodeError:
        message = "the agent's settings are not UTF-8 text"
        raise UsageError("settings", message, where=str(path), help="save it as UTF-8; no file was changed") from None
    return SettingsFile(str(path), text, AGENTS[name].event, AGENTS[name].comments)


def _make_absolute(path: str) -> str:
    """Make a path absolute, but keep links: Python finds the packages of a virtual environment by its link."""
    return os.path.abspath(path)  # noqa: PTH100


def list_agent_sources(environment: Mapping[str, str], root: Path | None) -> Iterator[AgentSources]:
    """Read the files that may have our hook, per agent. `root`: the root of the repository, if there is one."""
    yield _read_claude(locate_own_file("claude", environment), root)
    yield _read_codex(locate_own_file("codex", environment), root)
    yield _read_gemini(locate_own_file("gemini", environment), root)


def _read_claude(own: Path, root: Path | None) -> AgentSources:
    settings = _read_settings_sources("claude", own, root)
    local = [read_text_if_any(root / AGENTS["claude"].folder / "settings.local.json")] if root else []
    name = find_claude_plugin([*(source.text for source in settings), *local])
    return AgentSources("claude", (*settings, *_find_plugin(own.parent, name)))


def _read_codex(own: Path, root: Path | None) -> AgentSources:
    config = read_text_if_any(own.parent / "config.toml")
    return AgentSources(
        "codex",
        (*_read_settings_sources("codex", own, root), *_find_plugin(own.parent, find_codex_plugin(config))),
        config,
    )


def _read_gemini(own: Path, root: Path | None) -> AgentSources:
    extensions = own.parent / "extensions"
    hooks = read_text_if_any(extensions / EXTENSION / PLUGIN_HOOKS)
    is_on = is_gemini_extension_on(read_text_if_any(extensions / "extension-enablement.json"))
    extension = [HookSource(f"the extension {EXTENSION}", hooks, is_plugin=True)] if is_on else []
    return AgentSources("gemini", (*_read_settings_sources("gemini", own, root), *extension))


def _read_settings_sources(agent: str, own: Path, root: Path | None) -> list[HookSource]:
    folder, file = AGENTS[agent].folder, AGENTS[agent].file
    sources = [HookSource(str(own), read_text_if_any(own), _list_names(own))]
    if root:
        path = root / folder / file
        sources.append(HookSource(str(path), read_text_if_any(path), _list_names(path), is_project=True))
    return sources


def _find_plugin(home: Path, name: str) -> Iterator[HookSource]:
    """Find the copy that the agent made of the plugin when it was installed.

    `name`: with the marketplace; empty: there is none.
    """
    plugin, _, marketplace = name.partition("@")
    copies = (home / "plugins" / "cache" / marketplace / plugin).glob(f"*/{PLUGIN_HOOKS}") if name else ()
    for file in sorted(copies, key=lambda copy: copy.stat().st_mtime)[-1:]:
        yield HookSource(f"the plugin {name}", read_text_if_any(file), (f"{name}:{PLUGIN_HOOKS}",), is_plugin=True)


def _list_names(path: Path) -> tuple[str, ...]:
    return str(path), os.path.realpath(path)
