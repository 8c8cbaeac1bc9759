from pathlib import Path

import pytest

from reknit.app.installation import installation
from reknit.app.runs.last import last_run
from reknit.core.errors import UsageProblem
from tests.tools.command_line import CommandLine


def test_the_last_run_of_the_repository_is_meant(reknit: CommandLine, shop: Path) -> None:
    place = installation(reknit.environment)
    with pytest.raises(UsageProblem, match="there is no run in this repository"):
        last_run(place, shop)
    reknit.tell_story({})
    first, second = (
        reknit.run("fix", "tests", "--again", "--format", "json", cwd=shop).ending["run"] for _ in range(2)
    )
    assert first != second
    assert last_run(place, shop / "tests") == second
    with pytest.raises(UsageProblem, match="no run in this repository is interrupted or left"):
        last_run(place, shop, ("interrupted", "left"))
