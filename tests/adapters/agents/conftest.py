"""What the tests of all agents need."""

from pathlib import Path

import pytest

from reknit.core.box import Room
from tests.tools.gateway_client import PaperClerk


@pytest.fixture
def clerk() -> PaperClerk:
    return PaperClerk()


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "calc.py").write_text("a - b")
    return Room(str(tmp_path / "repository"), str(tmp_path / "tree"))
