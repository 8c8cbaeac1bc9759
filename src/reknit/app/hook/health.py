"""Looks at the files of the user's agents for hooks of ours that do not run, or run twice."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.app.hook.install import own_file
from reknit.core.errors import UsageProblem
from reknit.core.hook.command import AGENTS
from reknit.core.hook.health import (
    EXTENSION,
    PLUGIN_HOOKS,
    AgentSources,
    HookSource,
    claude_plugin,
    codex_plugin,
    is_gemini_extension_on,
)


def agent_sources(environment: Mapping[str, str], root: Path | None) -> Iterator[AgentSources]:
    """`root`: of the repository, if there is one."""
    yield _claude(own_file("claude", environment), root)
    yield _codex(own_file("codex", environment), root)
    yield _gemini(own_file("gemini", environment), root)


def _claude(own: Path, root: Path | None) -> AgentSources:
    settings = _settings("claude", own, root)
    local = [_text(root / AGENTS["claude"].folder / "settings.local.json")] if root else []
    name = claude_plugin([*(source.text for source in settings), *local])
    return AgentSources("claude", (*settings, *_plugin(own.parent, name)))


def _codex(own: Path, root: Path | None) -> AgentSources:
    config = _text(own.parent / "config.toml")
    return AgentSources("codex", (*_settings("codex", own, root), *_plugin(own.parent, codex_plugin(config))), config)


def _gemini(own: Path, root: Path | None) -> AgentSources:
    extensions = own.parent / "extensions"
    hooks = _text(extensions / EXTENSION / PLUGIN_HOOKS)
    is_on = is_gemini_extension_on(_text(extensions / "extension-enablement.json"))
    extension = [HookSource(f"the extension {EXTENSION}", hooks, is_plugin=True)] if is_on else []
    return AgentSources("gemini", (*_settings("gemini", own, root), *extension))


def _settings(agent: str, own: Path, root: Path | None) -> list[HookSource]:
    folder, file = AGENTS[agent].folder, AGENTS[agent].file
    sources = [HookSource(str(own), _text(own), _names(own))]
    if root:
        path = root / folder / file
        sources.append(HookSource(str(path), _text(path), _names(path), is_project=True))
    return sources


def _plugin(home: Path, name: str) -> Iterator[HookSource]:
    """As the agent has copied it when it was installed. `name`: with the marketplace; empty: there is none."""
    plugin, _, marketplace = name.partition("@")
    copies = (home / "plugins" / "cache" / marketplace / plugin).glob(f"*/{PLUGIN_HOOKS}") if name else ()
    for file in sorted(copies, key=lambda copy: copy.stat().st_mtime)[-1:]:
        yield HookSource(f"the plugin {name}", _text(file), (f"{name}:{PLUGIN_HOOKS}",), is_plugin=True)


def _names(path: Path) -> tuple[str, ...]:
    return str(path), os.path.realpath(path)


def _text(path: Path) -> str:
    """Empty if it cannot be read: the agent says so itself."""
    try:
        return read_plain_text(path, errors="replace")
    except (OSError, UsageProblem):
        return ""
