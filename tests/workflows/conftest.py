"""The stand-in for GitHub that pull-request runs are played on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.github import GitHub
from tests.tools.part_of_rows import mark_rows


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A row is a whole run, and what a row decides has a table in `core`."""
    mark_rows(items, Path(__file__).parent)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    """Nobody may ask it for what GitHub does not serve, nor may it answer as GitHub would not."""
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []
