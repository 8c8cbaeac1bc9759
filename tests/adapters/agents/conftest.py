"""What the tests of all agents need."""

from pathlib import Path

import pytest

from reknit.core.box import BoxView
from tests.tools.gateway_client import PaperClerk


@pytest.fixture
def accounting() -> PaperClerk:
    return PaperClerk()


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "calc.py").write_text("a - b")
    return BoxView(str(tmp_path / "repository"), str(tmp_path / "tree"))
