"""Where the real agent binaries are looked for, and that a missing one is a failure."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools import agent_binaries


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("find", "module", "inside"),
    [
        pytest.param(agent_binaries.claude, "claude_agent_sdk", "_bundled/claude", id="claude"),
        pytest.param(agent_binaries.codex, "codex_cli_bin", "bin/codex", id="codex"),
    ],
)
def test_a_wheel_brings_its_binary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, find: Callable[[], str], module: str, inside: str
) -> None:
    package = tmp_path / module
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AssertionError, match=r"is missing: install 'reknit\[e2e\]' again"):
        find()
    brought = program(package / inside)
    assert find() == brought


def test_a_missing_wheel_says_how_to_install_it() -> None:
    with pytest.raises(AssertionError, match=r"pip install 'reknit\[e2e\]' brings codex"):
        agent_binaries._of_wheel("no_such_module", "bin/codex")


@pytest.mark.parametrize(
    ("find", "name"),
    [
        pytest.param(agent_binaries.gemini, "gemini", id="gemini"),
        pytest.param(agent_binaries.opencode, "opencode", id="opencode"),
    ],
)
def test_the_named_folder_goes_before_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, find: Callable[[], str], name: str
) -> None:
    program(tmp_path / "path" / name)
    named = program(tmp_path / "npm" / "node_modules" / ".bin" / name)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("REKNIT_TEST_NPM", str(tmp_path / "npm"))
    assert find() == named


def test_a_program_of_npm_may_be_on_the_path_else_it_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("REKNIT_TEST_NPM", str(tmp_path))
    with pytest.raises(AssertionError, match="npm install --prefix FOLDER an-agent@1"):
        agent_binaries._of_npm("no-such-agent", package="an-agent@1")
    on_path = program(tmp_path / "no-such-agent")
    assert agent_binaries._of_npm("no-such-agent", package="an-agent@1") == on_path
