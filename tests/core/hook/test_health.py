import json

import pytest

from reknit.core.hook.codex_trust import trusted_hash
from reknit.core.hook.command import hook_command
from reknit.core.hook.health import (
    AgentSources,
    HookSource,
    claude_plugin,
    codex_plugin,
    hook_problems,
    installed,
    is_gemini_extension_on,
)

OURS = {"type": "command", "command": hook_command("/usr/bin/python3", "/x/reknit/interfaces/hook/entry.py")}
OTHER = {"type": "command", "command": "make lint"}
SETTINGS = json.dumps({"hooks": {"Stop": [{"hooks": [OTHER]}, {"hooks": [OTHER, OURS]}]}})
PLUGIN_TEXT = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [OTHER]}], "Stop": [{"hooks": [OTHER]}]}})
OWN = HookSource("/home/u/hooks.json", SETTINGS, ("/home/u/hooks.json", "/data/u/hooks.json"))
PROJECT = HookSource("/shop/settings.json", SETTINGS, is_project=True)
PLUGIN = HookSource("the plugin reknit@x", PLUGIN_TEXT, ("reknit@x:hooks/hooks.json",), is_plugin=True)
SKIPPED = "start `codex` in this folder, type /hooks, look at the hook and trust it"


def trust(**hooks: str) -> str:
    return "\n".join(f'[hooks.state."{key}"]\ntrusted_hash = "{value}"' for key, value in hooks.items())


def told(agent: str, *sources: HookSource, config: str = "") -> list[tuple[str, str]]:
    return [(problem.text, problem.fix) for problem in hook_problems(AgentSources(agent, sources, config))]


@pytest.mark.parametrize("name", OWN.names)
def test_codex_runs_a_hook_once_it_is_trusted_by_any_name_of_its_file(name: str) -> None:
    skipped = "codex skips our hook in /home/u/hooks.json without a word: it is new, changed or switched off"
    assert told("codex", OWN) == [(skipped, SKIPPED)]
    wrong_place = trust(**{f"{name}:stop:0:0": trusted_hash("stop", OURS)})
    assert told("codex", OWN, config=wrong_place) == [(skipped, SKIPPED)]
    assert told("codex", OWN, config=trust(**{f"{name}:stop:1:1": trusted_hash("stop", OURS)})) == []


def test_each_hook_of_the_plugin_must_be_trusted() -> None:
    prompt, stop = f"{PLUGIN.names[0]}:user_prompt_submit:0:0", f"{PLUGIN.names[0]}:stop:0:0"
    both = {prompt: trusted_hash("user_prompt_submit", OTHER), stop: trusted_hash("stop", OTHER)}
    assert told("codex", PLUGIN, config=trust(**both)) == []
    for left in both:
        config = trust(**{left: both[left]})
        assert [fix for _, fix in told("codex", PLUGIN, config=config)] == [SKIPPED]


def test_codex_without_hooks_is_told_before_anything_about_trust() -> None:
    off = "[features]\nhooks = false\n"
    assert told("codex", OWN, config=off) == [
        ("codex runs no hooks: config.toml switches them off", "`codex features enable hooks`")
    ]
    assert told("codex", HookSource("/home/u/hooks.json", "{}"), config=off) == []


def test_the_plugin_and_a_settings_hook_would_count_each_stop_twice() -> None:
    assert told("claude", OWN, PROJECT, PLUGIN) == [
        (
            f"claude: the plugin reknit@x and the hook in {source.where} both answer every stop: the agent is told "
            "twice, and an attempt can be counted twice",
            f"`reknit hook uninstall --agent claude{option}`",
        )
        for source, option in ((OWN, ""), (PROJECT, " --project"))
    ]
    assert told("claude", OWN, PROJECT) == told("claude", PLUGIN) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"hooks": {"Stop": [1, {"hooks": 2}, {"hooks": [3, {"command": 4}]}]}}',
        "[" * 100_000,
    ],
)
def test_a_file_of_any_shape_has_no_hook_of_ours(text: str) -> None:
    assert installed(AgentSources("claude", (HookSource("a", text), OWN))) == [OWN.where]


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (['{"enabledPlugins": {"other@x": true, "reknit@x": true}}'], "reknit@x"),
        (['{"enabledPlugins": {"reknit@x": true}}', '{"enabledPlugins": {"reknit@x": false}}'], ""),
        (["{}", '{"enabledPlugins": {"reknit@x": true}}'], "reknit@x"),
        (['{"enabledPlugins": {"reknit-other@x": true}}', ""], ""),
    ],
)
def test_whether_claude_has_our_plugin(texts: list[str], name: str) -> None:
    assert claude_plugin(texts) == name


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ('[plugins."a@x"]\nenabled = true\n[plugins."reknit@x"]\nenabled = true', "reknit@x"),
        ('[plugins."reknit@x"]\nenabled = false', ""),
        ("plugins = 1", ""),
        ("", ""),
    ],
)
def test_whether_codex_has_our_plugin(config: str, name: str) -> None:
    assert codex_plugin(config) == name


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("", True),
        ('{"reknit": {"overrides": ["/home/u/*"]}}', True),
        ('{"reknit": {"overrides": ["!/home/u/*"]}}', False),
        ('{"other": {"overrides": ["!/home/u/*"]}}', True),
    ],
)
def test_whether_gemini_has_our_extension_switched_off(text: str, on: bool) -> None:
    assert is_gemini_extension_on(text) is on
