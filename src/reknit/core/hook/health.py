"""Checks that our hooks in the user's agents run exactly once: agents skip hooks or run them twice without a word."""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reknit.core.hook.command import AGENTS, is_ours
from reknit.core.hook.json_spans import InvalidJsonError, JsonText
from reknit.core.hook.settings_file import EditResult
from reknit.core.repository.manifest_text import get_table

_DEFAULT_TIMEOUT_S = 600


def parse_config(text: str) -> dict[str, Any]:
    """Parse codex's `config.toml`; empty if it is not TOML: codex itself reports that, and does not start."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def are_hooks_off(config: Mapping[str, Any]) -> bool:
    """Return True if codex's settings switch all hooks off."""
    features = get_table(config, "features")
    return features.get("hooks", features.get("codex_hooks")) is False  # the second is its former name


def is_trusted(config: Mapping[str, Any], key: str, event: str, hook: Mapping[str, Any]) -> bool:
    """Return True if a person trusted the hook, it has not changed since, and it is switched on."""
    state = get_table(config, "hooks", "state", key)
    return state.get("trusted_hash") == hash_hook(event, hook) and state.get("enabled") is not False


def hash_hook(event: str, hook: Mapping[str, Any]) -> str:
    """Return the hash of a hook as codex 0.163 computes it; `tests/e2e/test_hook_health.py` compares both."""
    hook_fields = {"type": "command", "async": False, "command": hook.get("command")}
    identity = {"event_name": event, "hooks": [{**hook_fields, "timeout": hook.get("timeout", _DEFAULT_TIMEOUT_S)}]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


PLUGIN_HOOKS = "hooks/hooks.json"
EXTENSION = "reknit"


@dataclass(frozen=True)
class HookSource:
    """A file in which an agent looks for hooks."""

    place: str
    """Name of the file in messages."""
    text: str
    names: tuple[str, ...] = ()
    """Names under which codex may store the hash of a hook of this file."""
    is_project: bool = False
    is_plugin: bool = False


@dataclass(frozen=True)
class AgentSources:
    """All files in which one agent looks for hooks."""

    agent: str
    sources: tuple[HookSource, ...]
    config: str = ""
    """codex: the text of its `config.toml`."""


@dataclass(frozen=True)
class HookProblem:
    """A hook that is skipped or runs twice, and its remedy."""

    text: str
    fix: str


def find_claude_plugin(settings: Sequence[str]) -> str:
    """Return our plugin as `name@marketplace`; empty: it is not enabled.

    `settings`: texts of the settings files; a later one overrides an earlier one.
    """
    enabled: dict[str, object] = {}
    for text in settings:
        enabled |= get_table(_parse_json(text), "enabledPlugins")
    return next((name for name, value in enabled.items() if _is_plugin(name) and value is True), "")


def find_codex_plugin(config: str) -> str:
    """Return our plugin as `name@marketplace`; empty: it is not enabled."""
    plugins = get_table(parse_config(config), "plugins")
    return next((name for name in plugins if _is_plugin(name) and get_table(plugins, name).get("enabled") is True), "")


def is_gemini_extension_on(enablement: str) -> bool:
    """Return True if our extension is switched off nowhere."""
    overrides = get_table(_parse_json(enablement), EXTENSION).get("overrides")
    return not any(str(rule).startswith("!") for _, rule in _enumerate_list(overrides))


def list_hook_places(agent: AgentSources) -> list[str]:
    """Return the files with our hooks."""
    return [source.place for source in agent.sources if _list_hooks(source)]


def find_hook_problems(agent: AgentSources) -> Iterator[HookProblem]:
    """Yield the problems of our hooks in one agent."""
    our_sources = [source for source in agent.sources if _list_hooks(source)]
    if our_sources and agent.agent == "codex":
        yield from _find_skipped(our_sources, parse_config(agent.config))
    plugin = next((source.place for source in our_sources if source.is_plugin), "")
    for source in our_sources if plugin else ():
        if not source.is_plugin:
            project = " --project" if source.is_project else ""
            both = f"{plugin} and the hook in {source.place} both answer every stop"
            text = f"{agent.agent}: {both}: the agent is told twice, and an attempt can be counted twice"
            yield HookProblem(text, f"`reknit hook uninstall --agent {agent.agent}{project}`")


def _find_skipped(our_sources: Sequence[HookSource], config: Mapping[str, Any]) -> Iterator[HookProblem]:
    if are_hooks_off(config):
        yield HookProblem("codex runs no hooks: config.toml switches them off", "`codex features enable hooks`")
        return
    for source in our_sources:
        if not all(_will_run(source, config, *hook) for hook in _list_hooks(source)):
            text = f"codex skips our hook in {source.place} without a word: it is new, changed or switched off"
            yield HookProblem(text, "start `codex` in this folder, type /hooks, look at the hook and trust it")


def _will_run(source: HookSource, config: Mapping[str, Any], place: str, event: str, hook: Mapping[str, Any]) -> bool:
    return any(is_trusted(config, f"{name}:{place}", event, hook) for name in source.names)


def _list_hooks(source: HookSource) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return each of our hooks with its place as codex writes it, and its event."""
    hooks: list[tuple[str, str, Mapping[str, Any]]] = []
    for name, groups in get_table(_parse_json(source.text), "hooks").items():
        event = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        for group, content in _enumerate_list(groups):
            for number, hook in _enumerate_list(get_table(content).get("hooks")):
                if isinstance(hook, dict) and (source.is_plugin or is_ours(hook.get("command"))):
                    hooks.append((f"{event}:{group}:{number}", event, hook))
    return hooks


def _enumerate_list(value: object) -> list[tuple[int, Any]]:
    return list(enumerate(value)) if isinstance(value, list) else []


def _is_plugin(name: str) -> bool:
    return name.partition("@")[0] == "reknit"


def _parse_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _parse_json_with_comments(text)


def _parse_json_with_comments(text: str) -> object:
    """Parse JSON with comments, which gemini accepts."""
    try:
        return JsonText(text, comments=True).whole
    except InvalidJsonError:  # the agent itself reports it
        return None


@dataclass(frozen=True)
class HookChange:
    """The result of `hook install` or `uninstall` for one settings file."""

    agent: str
    path: str
    result: EditResult
    is_off: bool = False
    """The file switches all hooks off."""


def format_changes(changes: Sequence[HookChange], *, project: bool) -> Iterator[str]:
    """Yield the lines that `reknit hook install` and `uninstall` print."""
    for change in changes:
        agent = AGENTS[change.agent]
        note = f"; {agent.note}" if change.result in ("installed", "updated") and agent.note else ""
        preposition = "from" if change.result == "removed" else "in"
        yield f"{change.agent:<8}{agent.event} hook {change.result} {preposition} {change.path}{note}"
        if change.is_off:
            yield f"  note      it does not run: {'.'.join(agent.off[0])} switches all hooks off in that file"
    if all(change.result in ("removed", "not installed") for change in changes):
        return
    if project:
        yield "  note      the files name the Python of this machine: do not commit them"
        yield "            agents skip a project's hooks until you trust its folder"
    yield "  next      reknit hook arm BUG-001 PATH    then let the agent fix it in its window"
