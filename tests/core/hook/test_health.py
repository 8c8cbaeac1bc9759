import json

import pytest

from reknit.core.hook.command import to_hook_command
from reknit.core.hook.health import (
    AgentSources,
    HookChange,
    HookSource,
    are_hooks_off,
    find_claude_plugin,
    find_codex_plugin,
    find_hook_problems,
    format_changes,
    hash_hook,
    is_gemini_extension_on,
    is_trusted,
    list_hook_places,
    parse_config,
)

OURS = {"type": "command", "command": to_hook_command("/usr/bin/python3", "/x/reknit/interfaces/hook/entry.py")}
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
    return [(problem.text, problem.fix) for problem in find_hook_problems(AgentSources(agent, sources, config))]


@pytest.mark.parametrize("name", OWN.names)
def test_codex_runs_a_hook_once_it_is_trusted_by_any_name_of_its_file(name: str) -> None:
    skipped = "codex skips our hook in /home/u/hooks.json without a word: it is new, changed or switched off"
    assert told("codex", OWN) == [(skipped, SKIPPED)]
    wrong_place = trust(**{f"{name}:stop:0:0": hash_hook("stop", OURS)})
    assert told("codex", OWN, config=wrong_place) == [(skipped, SKIPPED)]
    assert told("codex", OWN, config=trust(**{f"{name}:stop:1:1": hash_hook("stop", OURS)})) == []


def test_each_hook_of_the_plugin_must_be_trusted() -> None:
    prompt, stop = f"{PLUGIN.names[0]}:user_prompt_submit:0:0", f"{PLUGIN.names[0]}:stop:0:0"
    both = {prompt: hash_hook("user_prompt_submit", OTHER), stop: hash_hook("stop", OTHER)}
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
            f"claude: the plugin reknit@x and the hook in {source.place} both answer every stop: the agent is told "
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
    assert list_hook_places(AgentSources("claude", (HookSource("a", text), OWN))) == [OWN.place]


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
    assert find_claude_plugin(texts) == name


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
    assert find_codex_plugin(config) == name


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


STOP = {"type": "command", "command": "reknit hook stop --limit 120 --answer json || exit 0", "timeout": 120}
HASH = "sha256:c2d0e35991d3e16bcb0a36ff877013a32540f56462550e23d3f01a469fc49999"
"""As codex 0.163 said it."""
KEY = "/home/ü/.codex/hooks.json:stop:0:0"


def config(**state: object) -> dict[str, object]:
    return {"hooks": {"state": {KEY: state}}}


def test_a_hook_has_the_hash_that_codex_computes() -> None:
    assert hash_hook("stop", STOP) == HASH
    umlaut = {"type": "command", "command": "'/tmp/ü x/b' stop"}
    assert hash_hook("stop", umlaut) == "sha256:538e0c1bb4008077e39266ef8f5e0e5dd0aa92384711510b1c1d386527fd1000"
    assert hash_hook("stop", {"command": "\udcff"}) != hash_hook("stop", {})


@pytest.mark.parametrize(
    ("given", "trusted"),
    [
        pytest.param(config(trusted_hash=HASH), True, id="trusted"),
        pytest.param(config(trusted_hash=HASH, enabled=True), True, id="switched on"),
        pytest.param(config(trusted_hash=HASH, enabled=False), False, id="switched off"),
        pytest.param(config(trusted_hash="sha256:0"), False, id="changed since"),
        pytest.param(config(), False, id="only listed"),
        pytest.param({}, False, id="new"),
        pytest.param({"hooks": {"state": [KEY]}}, False, id="of another shape"),
    ],
)
def test_only_what_a_person_trusted_as_it_is_runs(given: dict[str, object], trusted: bool) -> None:
    assert is_trusted(given, KEY, "stop", STOP) is trusted


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("[features]\nhooks = false", True),
        ("[features]\ncodex_hooks = false", True),
        ("[features]\ncodex_hooks = false\nhooks = true", False),
        ("[features]\nplugins = false", False),
        ("features = 1", False),
        ("not toml", False),
        ("", False),
    ],
)
def test_hooks_can_be_switched_off(text: str, off: bool) -> None:
    assert are_hooks_off(parse_config(text)) is off


def test_one_line_per_file_and_what_to_do_next() -> None:
    changes = [
        HookChange("claude", "/h/.claude/settings.json", "installed"),
        HookChange("codex", "/h/.codex/hooks.json", "updated"),
        HookChange("gemini", "/h/.gemini/settings.json", "already installed"),
    ]
    own = [
        "claude  Stop hook installed in /h/.claude/settings.json",
        "codex   Stop hook updated in /h/.codex/hooks.json; codex skips it until you trust it: type /hooks there",
        "gemini  AfterAgent hook already installed in /h/.gemini/settings.json",
    ]
    following = "  next      reknit hook arm BUG-001 PATH    then let the agent fix it in its window"
    assert list(format_changes(changes, project=False)) == [*own, following]
    of_project = list(format_changes(changes, project=True))
    assert (of_project[:3], of_project[-1]) == (own, following)
    assert of_project[3:-1] == [
        "  note      the files name the Python of this machine: do not commit them",
        "            agents skip a project's hooks until you trust its folder",
    ]


def test_after_a_removal_there_is_nothing_to_do() -> None:
    changes = [HookChange("codex", "/h/hooks.json", "removed"), HookChange("claude", "/h/s.json", "not installed")]
    assert list(format_changes(changes, project=True)) == [
        "codex   Stop hook removed from /h/hooks.json",
        "claude  Stop hook not installed in /h/s.json",
    ]


def test_hooks_that_are_switched_off_are_named() -> None:
    change = HookChange("gemini", "/h/s.json", "already installed", is_off=True)
    assert list(format_changes([change], project=False))[:2] == [
        "gemini  AfterAgent hook already installed in /h/s.json",
        "  note      it does not run: hooksConfig.enabled switches all hooks off in that file",
    ]
