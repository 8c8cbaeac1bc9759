"""A room for a box: an original repository, a private tree, an outbox."""

from pathlib import Path

import pytest

from reknit.core.box import BoxView


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for name in ("repository", "tree", "outbox"):
        (tmp_path / name).mkdir()
    return BoxView(repository=str(tmp_path / "repository"), tree=str(tmp_path / "tree"))
