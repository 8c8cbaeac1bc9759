"""Looking around leaves no connection open."""

from pathlib import Path

from reknit.app.installation import find_installation
from reknit.app.overview import look_around
from reknit.core.issues.model import ReportResult
from tests.tools.backlog_scene import take_in
from tests.tools.command_line import CommandLine
from tests.tools.open_connections import open_connections
from tests.tools.plot import make_plot


def test_what_the_database_has_is_read_and_the_database_closed(reknit: CommandLine, tmp_path: Path) -> None:
    root, installation = make_plot(tmp_path), find_installation(reknit.environment)
    assert look_around(installation, root).issues == {}
    assert not installation.state.exists(), "it makes none"
    take_in(reknit, root, [ReportResult("ruff", "F401", str(root / "src" / "area.py"), 1)])
    with open_connections() as left:
        snapshot = look_around(installation, root)
    assert (snapshot.issues["OPEN"], snapshot.absent, snapshot.last_runs, left) == (1, 0, (), [])
