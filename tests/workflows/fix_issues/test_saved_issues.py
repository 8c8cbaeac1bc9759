"""The issues of a run, as they were when it claimed them."""

from pathlib import Path

import pytest

from reknit.workflows.fix_issues.saved_issues import keep_issues, kept_issues
from tests.tools.issue_samples import FLAKE8, RUFF, issue
from tests.tools.step_services import step_services


def test_they_are_read_back_as_they_were_kept(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    kept = (issue(1, sources=(RUFF, FLAKE8)), issue(2, path="größe.py", status="IN_PROGRESS", run_id="r-1"))
    with step_services(tmp_path, shop) as (services, run):
        keep_issues(services, run, kept)
        assert kept_issues(services, run) == kept
        keep_issues(services, run, kept[:1])
        assert kept_issues(services, run) == kept[:1]
