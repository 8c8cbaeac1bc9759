"""The Stop hook with a stand-in for the program that it becomes."""

from pathlib import Path

import pytest

from tests.tools.stop_hook import StopHook, stand_in_python


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in_python(tmp_path_factory.mktemp("stand-in"))


@pytest.fixture
def hook(tmp_path: Path, python: Path) -> StopHook:
    return StopHook(tmp_path, python)
