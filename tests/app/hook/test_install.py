"""Our hook in the settings files of a home and of a repository."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit.app.hook.install import install_hooks, uninstall_hooks
from reknit.core.errors import ReknitError, ToolMissingError, UsageError
from tests.tools.settings_files import settings_files

FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "Zuhause für mich"
    folder.mkdir()
    return folder


def environment(home: Path, *programs: str, **more: str) -> Mapping[str, str]:
    (home / "bin").mkdir(exist_ok=True)
    for name in programs:
        (home / "bin" / name).write_text("#!/bin/sh\n")
        (home / "bin" / name).chmod(0o755)
    return {"HOME": str(home), "PATH": str(home / "bin"), **more}


def written(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.parent.name != "bin"}


def hooks_in(path: Path) -> dict[str, list[dict[str, object]]]:
    events = json.loads(path.read_text())["hooks"]
    return {event: [hook for group in groups for hook in group["hooks"]] for event, groups in events.items()}


def test_every_agent_that_is_installed_gets_it_in_its_own_form(home: Path) -> None:
    here = environment(home, *FILES)
    assert [change.result for change in install_hooks(here, (), None)] == ["installed"] * 3
    assert written(home) == set(FILES.values())
    expected = {"claude": ("Stop", 120), "codex": ("Stop", 120), "gemini": ("AfterAgent", 120_000)}
    for name, file in FILES.items():
        event, timeout = expected[name]
        [[hook]] = hooks_in(home / file).values()
        assert (list(hooks_in(home / file)), hook["type"], hook["timeout"]) == ([event], "command", timeout)
        words = str(hook["command"])
        assert f"exec {sys.executable} -I -S " in words
        assert words.endswith("/reknit/interfaces/hook/entry.py stop --limit 120")
    assert [change.result for change in install_hooks(here, (), None)] == ["already installed"] * 3
    assert [change.result for change in uninstall_hooks(here, (), None)] == ["removed"] * 3
    assert written(home) == set()
    assert [change.result for change in uninstall_hooks(here, (), None)] == ["not installed"] * 3


def test_an_agent_that_is_not_installed_is_left_alone_unless_it_is_named(home: Path) -> None:
    with pytest.raises(ToolMissingError, match="none of claude, codex, gemini is on PATH"):
        install_hooks(environment(home), (), None)
    assert [change.agent for change in install_hooks(environment(home, "codex"), (), None)] == ["codex"]
    assert written(home) == {FILES["codex"]}
    [change] = install_hooks(environment(home), ("gemini", "gemini"), None)
    assert (change.agent, change.path) == ("gemini", str(home / FILES["gemini"]))


def test_the_variables_of_the_agents_move_their_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    moved = {"CLAUDE_CONFIG_DIR": str(home / "c"), "CODEX_HOME": "x", "GEMINI_CLI_HOME": str(home / "g")}
    install_hooks(environment(home, **moved), tuple(FILES), None)
    assert written(home) == {"c/settings.json", "x/hooks.json", "g/.gemini/settings.json"}


def test_a_repository_has_its_own_files(home: Path, shop: Path) -> None:
    inner = shop / "inner"
    inner.mkdir()
    before = written(shop)
    changes = install_hooks(environment(home), tuple(FILES), inner)
    assert written(shop) - before == set(FILES.values())
    assert [change.path for change in changes] == [str(shop / file) for file in FILES.values()]
    assert written(home) == set()
    uninstall_hooks(environment(home), (), inner)
    assert written(shop) == before


def test_a_link_of_a_repository_leads_nowhere_else(home: Path, shop: Path) -> None:
    (home / "secret.json").write_text("{}")
    (shop / ".claude").mkdir()
    (shop / ".claude" / "settings.json").symlink_to(home / "secret.json")
    (shop / ".gemini").symlink_to(home)
    for name in ("claude", "gemini"):
        with pytest.raises(UsageError, match="is a link that leaves the repository"):
            install_hooks(environment(home), (name,), shop)
    assert (written(home), (home / "secret.json").read_text()) == ({"secret.json"}, "{}")


@pytest.mark.parametrize(
    ("broken", "message"),
    [(b'{"a": 1,}', "not JSON"), (b'{"a": "\xff"}', "not UTF-8"), (b'{"hooks": []}', "an object should start here")],
)
def test_one_broken_file_and_none_is_changed(home: Path, broken: bytes, message: str) -> None:
    (home / ".gemini").mkdir()
    (home / FILES["gemini"]).write_bytes(broken)
    for change in (install_hooks, uninstall_hooks):
        if change is uninstall_hooks and b"hooks" in broken:
            continue
        with pytest.raises(ReknitError, match=message) as refused:
            change(environment(home, *FILES), (), None)
        assert str(home / FILES["gemini"]) in refused.value.where
        assert written(home) == {FILES["gemini"]}
        assert (home / FILES["gemini"]).read_bytes() == broken


@pytest.mark.parametrize(
    ("name", "text", "is_off"),
    [
        ("claude", '{"disableAllHooks": true}', True),
        ("claude", '{"disableAllHooks": false}', False),
        ("gemini", '{"hooksConfig": {"enabled": false}} // none', True),
        ("gemini", "{}", False),
        ("codex", '{"disableAllHooks": true}', False),
    ],
)
def test_a_file_that_switches_hooks_off_is_noticed(home: Path, name: str, text: str, is_off: bool) -> None:
    file = home / FILES[name]
    file.parent.mkdir()
    file.write_text(text)
    here = environment(home)
    assert [change.is_off for change in install_hooks(here, (name,), None)] == [is_off]
    assert [change.is_off for change in install_hooks(here, (name,), None)] == [is_off]
    assert [change.is_off for change in uninstall_hooks(here, (name,), None)] == [False]


def test_a_path_that_no_text_can_hold_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/\udcff/python")
    with pytest.raises(UsageError, match="no settings file can hold"):
        install_hooks(environment(home), ("claude",), None)
    assert written(home) == set()


def test_fifty_real_files_come_back_byte_for_byte(home: Path) -> None:
    here = environment(home)
    files = [home / file for file in FILES.values()]
    for file in files:
        file.parent.mkdir()
    for name, text in settings_files():
        for file in files:
            file.write_bytes(text.encode())
            file.chmod(0o600)
        installed = install_hooks(here, tuple(FILES), None)
        assert {change.result for change in installed} == {"installed"}, name
        assert b"".join(file.read_bytes() for file in files).count(b"--limit 120") == 3, name
        uninstall_hooks(here, (), None)
        assert [file.read_bytes() for file in files] == [text.encode()] * 3, name
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
