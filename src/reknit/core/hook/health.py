"""Whether our hooks in the user's agents run, and only once: agents skip hooks, and run them twice, without a word."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reknit.core.hook.codex_trust import are_hooks_off, config_in, is_trusted, table
from reknit.core.hook.command import is_ours
from reknit.core.hook.json_spans import JsonText, NotJson

PLUGIN_HOOKS = "hooks/hooks.json"
EXTENSION = "reknit"


@dataclass(frozen=True)
class HookSource:
    """A file in which an agent looks for hooks."""

    where: str
    """For messages."""
    text: str
    names: tuple[str, ...] = ()
    """What codex may call it when it keeps a hook's hash."""
    is_project: bool = False
    is_plugin: bool = False


@dataclass(frozen=True)
class AgentSources:
    agent: str
    sources: tuple[HookSource, ...]
    config: str = ""
    """codex: the text of its `config.toml`."""


@dataclass(frozen=True)
class HookProblem:
    text: str
    fix: str


def claude_plugin(settings: Sequence[str]) -> str:
    """Our plugin with its marketplace; empty: it is not enabled. `settings`: a later file overrides an earlier one."""
    enabled: dict[str, object] = {}
    for text in settings:
        enabled |= table(_json(text), "enabledPlugins")
    return next((name for name, value in enabled.items() if _is_plugin(name) and value is True), "")


def codex_plugin(config: str) -> str:
    plugins = table(config_in(config), "plugins")
    return next((name for name in plugins if _is_plugin(name) and table(plugins, name).get("enabled") is True), "")


def is_gemini_extension_on(enablement: str) -> bool:
    """False if it is switched off anywhere."""
    overrides = table(_json(enablement), EXTENSION).get("overrides")
    return not any(str(rule).startswith("!") for _, rule in _numbered(overrides))


def installed(agent: AgentSources) -> list[str]:
    """Where our hooks are."""
    return [source.where for source in agent.sources if _hooks(source)]


def hook_problems(agent: AgentSources) -> Iterator[HookProblem]:
    ours = [source for source in agent.sources if _hooks(source)]
    if ours and agent.agent == "codex":
        yield from _skipped(ours, config_in(agent.config))
    plugin = next((source.where for source in ours if source.is_plugin), "")
    for source in ours if plugin else ():
        if not source.is_plugin:
            project = " --project" if source.is_project else ""
            both = f"{plugin} and the hook in {source.where} both answer every stop"
            text = f"{agent.agent}: {both}: the agent is told twice, and an attempt can be counted twice"
            yield HookProblem(text, f"`reknit hook uninstall --agent {agent.agent}{project}`")


def _skipped(ours: Sequence[HookSource], config: Mapping[str, Any]) -> Iterator[HookProblem]:
    if are_hooks_off(config):
        yield HookProblem("codex runs no hooks: config.toml switches them off", "`codex features enable hooks`")
        return
    for source in ours:
        if not all(_runs(source, config, *found) for found in _hooks(source)):
            text = f"codex skips our hook in {source.where} without a word: it is new, changed or switched off"
            yield HookProblem(text, "start `codex` in this folder, type /hooks, look at the hook and trust it")


def _runs(source: HookSource, config: Mapping[str, Any], place: str, event: str, hook: Mapping[str, Any]) -> bool:
    return any(is_trusted(config, f"{name}:{place}", event, hook) for name in source.names)


def _hooks(source: HookSource) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Each of our hooks with its place as codex writes it, and its event."""
    found: list[tuple[str, str, Mapping[str, Any]]] = []
    for name, groups in table(_json(source.text), "hooks").items():
        event = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        for group, each in _numbered(groups):
            for number, hook in _numbered(table(each).get("hooks")):
                if isinstance(hook, dict) and (source.is_plugin or is_ours(hook.get("command"))):
                    found.append((f"{event}:{group}:{number}", event, hook))
    return found


def _numbered(value: object) -> list[tuple[int, Any]]:
    return list(enumerate(value)) if isinstance(value, list) else []


def _is_plugin(name: str) -> bool:
    return name.partition("@")[0] == "reknit"


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _json_with_comments(text)


def _json_with_comments(text: str) -> object:
    """As gemini reads it."""
    try:
        return JsonText(text, comments=True).whole
    except NotJson:  # the agent says so itself
        return None
