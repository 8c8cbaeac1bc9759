"""The stand-in for GitHub that pull-request runs are played on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.github import GitHub


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    """Nobody may ask it for what GitHub does not serve, nor may it answer as GitHub would not."""
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []
