"""Where a CLI is, how it is started and what a box must show of it."""

from pathlib import Path

import pytest

from reknit.adapters.agents.installed import InstalledCli, find, version
from reknit.core.errors import ReknitError, ToolMissing


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
    assert find("claude", path, title="C") == InstalledCli((real,), (real,))
    assert find(f"{path}/claude", "", title="C") == InstalledCli((real,), (real,))


def test_a_node_script_needs_node_and_its_packages(tmp_path: Path) -> None:
    script = program(tmp_path / "lib/node_modules/@google/cli/gemini.js", "#!/usr/bin/env node\n")
    path = linked(tmp_path / "bin", "gemini", script)
    with pytest.raises(ToolMissing, match="'gemini' needs node, which is not on PATH"):
        find("gemini", path, title="G")
    node = program(tmp_path / "bin/node", "#!/bin/sh\n")
    assert find("gemini", path, title="G") == InstalledCli((node, script), (f"{tmp_path}/lib/node_modules",), (node,))


def test_a_native_program_among_packages_needs_no_node(tmp_path: Path) -> None:
    real = program(tmp_path / "node_modules/codex/codex", "\x7fELF")
    assert find(real, "", title="X") == InstalledCli((real,), (real,))


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ToolMissing, match="'codex' is not on PATH: install Codex or set the agent's binary"):
        find("codex", "/nowhere", title="Codex")


def test_its_version_is_asked_in_an_empty_environment(tmp_path: Path) -> None:
    real = program(
        tmp_path / "cli", '#!/bin/sh\n[ "$1" = --version ] && [ -z "$(ls -A $HOME)" ] && echo cli-x 1.2.3 y\n'
    )
    assert version(InstalledCli((real,), ())) == "1.2.3"
    assert version(InstalledCli((program(tmp_path / "mute", "#!/bin/sh\n"),), ())) == ""
    with pytest.raises(ReknitError, match="could not be started"):
        version(InstalledCli((program(tmp_path / "bad", "#!/nowhere/sh\n"),), ()))
