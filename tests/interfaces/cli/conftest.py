"""A repository with problems that ruff sees, and the same with its report taken in."""

from pathlib import Path

import pytest

from tests.tools.issue_list import Here
from tests.tools.plot import make_plot, ruff


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


@pytest.fixture
def full(here: Here, plot: Path) -> Path:
    """The same with its report taken in: I-1 to I-4."""
    assert here("issues", "import", str(ruff(plot)), cwd=plot).exit_code == 0
    return plot
