import pytest

from reknit.core.issues.import_summary import AbsentIssues
from reknit.core.issues.model import Issue, IssueSource


def issue(effort: int = 0, files: int = 0) -> Issue:
    sources = (IssueSource("ruff", "F401", "a"), IssueSource("pyright", "x", "b"), IssueSource("ruff", "F401", "c"))
    return Issue(
        7, "shop", "f" * 32, "OPEN", "a.py", 1, 1, "F401", "unused", "important", sources, "new",
        effort_1_5=effort, files=files,
    )  # fmt: skip


def test_an_issue_has_a_name_its_tools_and_a_workload() -> None:
    assert (issue().name, issue().tools) == ("I-7", ("ruff", "pyright"))
    assert [issue().workload, issue(5, 2).workload, issue(0, 4).workload, issue(2, 0).workload] == [3, 10, 12, 2]


@pytest.mark.parametrize(
    ("absent", "expected"),
    [
        pytest.param(
            AbsentIssues("t", 12, still_reported=2, files=9, files_now=2), True, id="most of them, and their files"
        ),
        pytest.param(AbsentIssues("t", 12, still_reported=12, files=9, files_now=2), False, id="half of them"),
        pytest.param(
            AbsentIssues("t", 12, still_reported=2, files=9, files_now=9), False, id="every file is named still"
        ),
        pytest.param(AbsentIssues("t", 2, still_reported=0, files=2, files_now=0), False, id="a few"),
    ],
)
def test_a_report_of_a_part_names_fewer_files_and_little_of_what_was_known(
    absent: AbsentIssues, expected: bool
) -> None:
    assert absent.looks_partial is expected
