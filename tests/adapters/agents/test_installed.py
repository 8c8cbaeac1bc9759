"""Where a CLI is, how it is started and what a box must show of it."""

from pathlib import Path

import pytest

from reknit.adapters.agents.installed import InstalledCli, find_cli, find_entries, hide_entries, read_version
from reknit.core.errors import ReknitError, ToolMissingError


def program(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return str(file)


def linked(folder: Path, name: str, real: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to(real)
    return str(folder)


def test_a_link_on_path_is_followed_to_the_real_file(tmp_path: Path) -> None:
    real = program(tmp_path / "share/claude-1.2.3", "#!/bin/sh\n")
    path = linked(tmp_path / "bin", "claude", real)
    assert find_cli("claude", path, title="C") == InstalledCli((real,), (real,))
    assert find_cli(f"{path}/claude", "", title="C") == InstalledCli((real,), (real,))


def test_a_node_script_needs_node_and_its_packages(tmp_path: Path) -> None:
    script = program(tmp_path / "lib/node_modules/@google/cli/gemini.js", "#!/usr/bin/env node\n")
    path = linked(tmp_path / "bin", "gemini", script)
    with pytest.raises(ToolMissingError, match="'gemini' needs node, which is not on PATH"):
        find_cli("gemini", path, title="G")
    node = program(tmp_path / "bin/node", "#!/bin/sh\n")
    assert find_cli("gemini", path, title="G") == InstalledCli(
        (node, script), (f"{tmp_path}/lib/node_modules",), (node,)
    )


def test_a_native_program_among_packages_needs_no_node(tmp_path: Path) -> None:
    real = program(tmp_path / "node_modules/codex/codex", "\x7fELF")
    assert find_cli(real, "", title="X") == InstalledCli((real,), (real,))


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ToolMissingError, match="'codex' is not on PATH: install Codex or set the agent's binary"):
        find_cli("codex", "/nowhere", title="Codex")


def test_its_version_is_asked_in_an_empty_environment(tmp_path: Path) -> None:
    real = program(
        tmp_path / "cli", '#!/bin/sh\n[ "$1" = --version ] && [ -z "$(ls -A $HOME)" ] && echo cli-x 1.2.3 y\n'
    )
    assert read_version(InstalledCli((real,), ())) == "1.2.3"
    assert read_version(InstalledCli((program(tmp_path / "mute", "#!/bin/sh\n"),), ())) == ""
    with pytest.raises(ReknitError, match="could not be started"):
        read_version(InstalledCli((program(tmp_path / "bad", "#!/nowhere/sh\n"),), ()))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree" / ".gemini").mkdir(parents=True)
    (tmp_path / "tree" / ".gemini" / "settings.json").write_text("{}")
    return tmp_path / "tree"


def test_it_is_away_and_comes_back(tree: Path, tmp_path: Path) -> None:
    with hide_entries(str(tree), (".gemini", ".absent"), str(tmp_path / "log")):
        assert list(tree.iterdir()) == []
    assert (tree / ".gemini" / "settings.json").read_text() == "{}"
    assert list((tmp_path / "log").iterdir()) == []


def test_it_comes_back_when_the_call_was_cancelled(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hide_entries(str(tree), (".gemini",), str(tmp_path / "log")):
        raise KeyboardInterrupt
    assert (tree / ".gemini").is_dir()


def test_what_the_agent_put_there_stays_for_the_gate(tree: Path, tmp_path: Path) -> None:
    with hide_entries(str(tree), (".gemini",), str(tmp_path / "log")):
        (tree / ".gemini").write_text("mine")
    assert (tree / ".gemini").read_text() == "mine"


def test_a_link_is_moved_and_not_followed(tree: Path, tmp_path: Path) -> None:
    (tree / ".codex").symlink_to(tmp_path)
    with hide_entries(str(tree), (".codex",), str(tmp_path / "log")):
        assert not (tree / ".codex").is_symlink()
    assert (tree / ".codex").readlink() == tmp_path


def test_a_name_is_found_at_any_depth_and_not_behind_a_link_or_in_git(tree: Path, tmp_path: Path) -> None:
    for place in ("RULES.md", "part/RULES.md", "part/RULES.md.txt", ".git/refs/RULES.md", ".agents/RULES.md"):
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text("rules")
    (tmp_path / "RULES.md").write_text("rules")
    (tree / "link").symlink_to(tmp_path)
    (tree / "part" / ".agents").symlink_to(tmp_path)
    found = sorted(find_entries(str(tree), ("RULES.md", ".agents")))
    assert found == [".agents", "RULES.md", "part/.agents", "part/RULES.md"]
    assert list(find_entries(str(tree), ())) == []


def test_what_lies_deep_comes_back_to_its_place(tree: Path, tmp_path: Path) -> None:
    (tree / "part").mkdir()
    (tree / "part" / "RULES.md").write_text("rules")
    with hide_entries(str(tree), (".gemini", ".gemini/settings.json", "part/RULES.md"), str(tmp_path / "log")):
        assert [path.name for path in tree.rglob("*")] == ["part"]
    assert (tree / ".gemini" / "settings.json").read_text() == "{}"
    assert (tree / "part" / "RULES.md").read_text() == "rules"
