"""A plain Python with pytest, first on PATH, and a builder of repositories."""

import os
from pathlib import Path

import pytest

from tests.environment.fault_scene import Build, Here, build, plain_python
from tests.tools.command_line import CommandLine


@pytest.fixture(scope="session")
def plain_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_python(tmp_path_factory.mktemp("plain") / "python")


@pytest.fixture
def reknit(tmp_path: Path, plain_bin: Path) -> CommandLine:
    return CommandLine(tmp_path, {"PATH": f"{plain_bin}:{os.environ['PATH']}"})


@pytest.fixture
def scene(here: Here, reknit: CommandLine) -> Build:
    return lambda files, prepare=None: build(here, reknit, files, prepare)
