"""The plain Python that is first on PATH, and a builder of repositories."""

from pathlib import Path

import pytest

from tests.environment.fault_scene import Build, Here, build
from tests.tools.command_line import CommandLine
from tests.tools.plain_python import plain_bin as bin_of_plain_python


@pytest.fixture
def plain_bin() -> Path:
    return Path(bin_of_plain_python())


@pytest.fixture
def scene(here: Here, reknit: CommandLine) -> Build:
    return lambda files, prepare=None: build(here, reknit, files, prepare)
