"""What is asked of the ledger beside its pages."""

from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.issues import query
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import RepositoryIssues, open_backlog
from reknit.app.issues.query import count_absent, exclusion_reason, resolve_run_id
from reknit.core.errors import UsageError
from tests.tools.issue_samples import issue
from tests.tools.open_connections import open_connections
from tests.tools.plot import make_plot, ruff


@pytest.fixture
def backlog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryIssues:
    """I-1 to I-4, of which the newest report has not I-1."""
    monkeypatch.setenv("HOME", str(tmp_path))
    installation = Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})
    root = make_plot(tmp_path)
    made = open_backlog(installation, root)
    import_reports(installation, made, ImportRequest((str(ruff(root)),)))
    source = root / "src" / "area.py"
    source.write_text(source.read_text().replace("import os\n", ""))
    import_reports(installation, made, ImportRequest((str(ruff(root)),)))
    return made


def test_absent_ones_are_counted_as_long_as_that_is_quick(
    backlog: RepositoryIssues, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count_absent(backlog.ledger, backlog.key, ("OPEN",)) == 1
    assert count_absent(backlog.ledger, backlog.key, ("FAILED",)) == 0
    monkeypatch.setattr(query, "MAX_COUNTED_ISSUES", 3)
    assert count_absent(backlog.ledger, backlog.key, ("OPEN",)) is None


def test_why_no_run_takes_an_issue_is_told_of_this_repository_alone(backlog: RepositoryIssues) -> None:
    assert exclusion_reason(backlog, issue(repository=backlog.key, path="src/area.py")) == ""
    assert exclusion_reason(backlog, issue(repository=backlog.key, path="gone.py")) == "in a file that is not at HEAD"
    assert exclusion_reason(backlog, issue(path="gone.py")) == ""


def test_a_run_that_is_not_there_leaves_no_connection_open(tmp_path: Path) -> None:
    installation = Installation(tmp_path, f"sqlite:///{tmp_path}/reknit.sqlite", {})
    with open_connections() as left, pytest.raises(UsageError):
        resolve_run_id(installation, "r-none")
    assert left == []
