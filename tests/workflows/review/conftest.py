"""A branch to review."""

from pathlib import Path

import pytest

from tests.tools.review_scene import ReviewScene


@pytest.fixture
def scene(tmp_path: Path) -> ReviewScene:
    return ReviewScene(tmp_path)
