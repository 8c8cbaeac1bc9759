"""A repository to make a plan for."""

from pathlib import Path

import pytest

from tests.tools.plan_scene import PlanScene


@pytest.fixture
def scene(tmp_path: Path) -> PlanScene:
    return PlanScene(tmp_path)
