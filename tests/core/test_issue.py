from reknit.core.issue import Issue, IssueSource


def issue(effort: int = 0, files: int = 0) -> Issue:
    sources = (IssueSource("ruff", "F401", "a"), IssueSource("pyright", "x", "b"), IssueSource("ruff", "F401", "c"))
    return Issue(
        7, "shop", "f" * 32, "OPEN", "a.py", 1, 1, "F401", "unused", "important", sources, "new",
        effort_1_5=effort, files=files,
    )  # fmt: skip


def test_an_issue_has_a_name_its_tools_and_a_workload() -> None:
    assert (issue().name, issue().tools) == ("I-7", ("ruff", "pyright"))
    assert [issue().workload, issue(5, 2).workload, issue(0, 4).workload, issue(2, 0).workload] == [3, 10, 12, 2]
