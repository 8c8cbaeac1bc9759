"""A stand-in for GitHub, and a clone with one pull request.

Imported where they are used: some tests run on Pythons that lack what the stand-in needs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tools.github import GitHub
    from tests.tools.pull_scene import PullScene


@pytest.fixture
def hub(tmp_path: Path) -> Iterator["GitHub"]:
    from tests.tools.github import GitHub

    with GitHub(tmp_path / "hub") as made:
        yield made
        assert made.violations == []


@pytest.fixture
def scene(hub: "GitHub", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "PullScene":
    from tests.tools.pull_scene import PullScene

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return PullScene(tmp_path, hub, answers=False)
