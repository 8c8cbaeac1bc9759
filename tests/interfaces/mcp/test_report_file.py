"""The file a report is kept in: checked before the work, whole at every moment."""

import json
from pathlib import Path

import pytest

from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import FixReport
from reknit.core.errors import UsageProblem
from reknit.interfaces.mcp.report_file import check, write

FIXED = ReportSession("fix", closing=FixReport("fixed", "größer"))


def test_the_newest_state_replaces_the_one_before_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write(path, ReportSession("fix"))
    write(path, FIXED)
    assert json.loads(path.read_text(encoding="utf-8"))["report"]["summary"] == "größer"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("report.json")
    write(tmp_path / "link", FIXED)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "report.json").is_file()


def test_checking_leaves_the_last_report_alone(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    check(path)
    assert not path.exists()
    path.write_text("the last one")
    check(path)
    assert path.read_text() == "the last one"


@pytest.mark.parametrize("name", [".", "nowhere/report.json"])
def test_a_place_that_takes_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageProblem) as refused:
        check(tmp_path / name)
    assert refused.value.name == "out"


def test_a_device_is_never_replaced() -> None:
    with pytest.raises(UsageProblem, match="not a file"):
        check(Path("/dev/null"))


def test_a_folder_that_went_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="the report cannot be written"):
        write(tmp_path / "gone" / "report.json", FIXED)
