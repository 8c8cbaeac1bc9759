"""Hooks of ours that do not run, or run twice, in the files of a home and of a repository."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit.app.hook.install import install_hooks, list_agent_sources
from reknit.core.hook.health import find_hook_problems, hash_hook, list_hook_places

PLUGINS = Path(__file__).parents[3] / "plugins"


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    return {"HOME": str(tmp_path / "home"), "PATH": ""}


def found(environment: Mapping[str, str], root: Path | None) -> dict[str, list[str]]:
    return {agent.agent: list_hook_places(agent) for agent in list_agent_sources(environment, root)}


def fixes(environment: Mapping[str, str], root: Path | None) -> list[str]:
    return [problem.fix for agent in list_agent_sources(environment, root) for problem in find_hook_problems(agent)]


def copy_plugin(home: Path, plugin: str, version: str = "0.1.0") -> None:
    file = home / "plugins" / "cache" / "reknit" / "reknit" / version / "hooks" / "hooks.json"
    file.parent.mkdir(parents=True)
    file.write_bytes((PLUGINS / plugin / "hooks" / "hooks.json").read_bytes())


def test_nothing_is_installed(environment: Mapping[str, str], shop: Path) -> None:
    assert found(environment, None) == found(environment, shop) == {"claude": [], "codex": [], "gemini": []}


def test_a_hook_in_the_settings_beside_the_plugin_is_noticed(environment: Mapping[str, str], shop: Path) -> None:
    home = Path(environment["HOME"], ".claude")
    copy_plugin(home, "claude-code")
    install_hooks(environment, ("claude",), None)
    install_hooks(environment, ("claude",), shop)
    assert fixes(environment, shop) == []
    (shop / ".claude" / "settings.local.json").write_text('{"enabledPlugins": {"reknit@reknit": true}}')
    assert fixes(environment, None) == []
    assert fixes(environment, shop) == [f"`reknit hook uninstall --agent claude{more}`" for more in ("", " --project")]


def test_codex_runs_what_it_has_the_hash_of(environment: Mapping[str, str], shop: Path) -> None:
    home = Path(environment["HOME"], ".codex")
    install_hooks(environment, ("codex",), shop)
    assert len(fixes(environment, shop)) == 1
    file = shop / ".codex" / "hooks.json"
    [[hook]] = [group["hooks"] for group in json.loads(file.read_text())["hooks"]["Stop"]]
    home.mkdir(parents=True)
    trusted = f'[hooks.state."{file}:stop:0:0"]\ntrusted_hash = "{hash_hook("stop", hook)}"\n'
    (home / "config.toml").write_text(trusted)
    assert (fixes(environment, shop), found(environment, shop)["codex"]) == ([], [str(file)])
    copy_plugin(home, "codex")
    (home / "config.toml").write_text(trusted + '[plugins."reknit@reknit"]\nenabled = true\n')
    assert found(environment, None)["codex"] == ["the plugin reknit@reknit"]
    assert len(fixes(environment, shop)) == 2  # it is not trusted, and one of them is too much


def test_a_settings_hook_of_gemini_beside_its_extension_is_noticed(environment: Mapping[str, str]) -> None:
    folder = Path(environment["HOME"], ".gemini")
    hooks = folder / "extensions" / "reknit" / "hooks" / "hooks.json"
    hooks.parent.mkdir(parents=True)
    hooks.write_bytes((PLUGINS / "gemini" / "hooks" / "hooks.json").read_bytes())
    (folder / "settings.json").write_text("{} // mine\n")
    assert fixes(environment, None) == []
    install_hooks(environment, ("gemini",), None)
    assert fixes(environment, None) == ["`reknit hook uninstall --agent gemini`"]
    (folder / "extensions" / "extension-enablement.json").write_text('{"reknit": {"overrides": ["!/*"]}}')
    assert (fixes(environment, None), len(found(environment, None)["gemini"])) == ([], 1)


def test_a_file_that_cannot_be_read_is_the_agents_own_problem(environment: Mapping[str, str]) -> None:
    Path(environment["HOME"], ".claude", "settings.json").mkdir(parents=True)
    Path(environment["HOME"], ".codex").mkdir()
    Path(environment["HOME"], ".codex", "config.toml").write_bytes(b"\xff")
    assert found(environment, None) == {"claude": [], "codex": [], "gemini": []}
