"""Where an installation keeps its state, and how long a silent process keeps its runs."""

from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.core.errors import UsageError


def test_the_environment_says_where(tmp_path: Path) -> None:
    installation = find_installation({"REKNIT_STATE": str(tmp_path)})
    assert (installation.state, installation.database) == (tmp_path, f"sqlite:///{tmp_path}/reknit.sqlite")
    assert (installation.lease_s, find_installation({"REKNIT_LEASE_S": "15"}).lease_s) == (60.0, 15.0)


@pytest.mark.parametrize("given", ["soon", "0", "-5", "nan", "inf"])
def test_a_lease_that_is_no_time_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="REKNIT_LEASE_S"):
        _ = find_installation({"REKNIT_LEASE_S": given}).lease_s
