"""The demo's repository with a recorded run, and the real services for its steps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from tests.tools.step_services import step_services

Scene = tuple[Services, RunSpec]


@pytest.fixture
def scene(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    right = {"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}, "cost_usd": 0.25}
    with step_services(tmp_path, shop, {**right, "say": "Fixed."}) as made:
        yield made
