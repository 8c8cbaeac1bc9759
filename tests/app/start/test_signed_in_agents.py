"""The vendors' agents that could work now, found without asking a model."""

from pathlib import Path

import pytest

from reknit.app.config.load import load
from reknit.app.installation import installation
from reknit.app.start.signed_in_agents import signed_in

KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.mark.parametrize(
    ("installed", "keys", "but", "found"),
    [
        pytest.param("claude codex gemini", "gemini claude codex", (), ["claude", "codex", "gemini"], id="in order"),
        pytest.param("claude gemini", "claude codex", (), ["claude"], id="installed and with a key"),
        pytest.param("claude codex", "claude codex", ("anthropic",), ["codex"], id="but one vendor"),
        pytest.param("", "claude", (), [], id="none"),
    ],
)
def test_who_is_installed_and_signed_in(
    tmp_path: Path, installed: str, keys: str, but: tuple[str, ...], found: list[str]
) -> None:
    for name in installed.split():
        (tmp_path / name).write_text("#!/bin/sh\necho 1.2.3\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), **{KEYS[name]: "key" for name in keys.split()}}
    agents = signed_in(installation(environment), load(None, {}, {}), but=but)
    assert [agent.name for agent in agents] == found
