"""A repository with issues in its ledger."""

from pathlib import Path

import pytest

from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine


@pytest.fixture
def root(reknit: CommandLine, tmp_path: Path) -> Path:
    made = scene.make(tmp_path)
    scene.take_in(reknit, made)
    return made
