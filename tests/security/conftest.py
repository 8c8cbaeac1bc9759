"""A room for a box: an original repository, a private tree, an outbox. And reknit is started as a user does it."""

from pathlib import Path

import pytest

from reknit.core.box import BoxView
from tests.tools.command_line import FRESH


@pytest.fixture(autouse=True)
def _a_new_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FRESH, "1")


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for name in ("repository", "tree", "outbox"):
        (tmp_path / name).mkdir()
    return BoxView(repository=str(tmp_path / "repository"), tree=str(tmp_path / "tree"))
