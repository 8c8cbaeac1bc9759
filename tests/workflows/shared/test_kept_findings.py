"""What reviewers find becomes issues with labels that stay, whatever moves."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.issues.model import ChangeNote, Issue, IssueFilter
from reknit.core.issues.review_findings import FindingSource, KeptFinding, is_silenced
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.kept_findings import save_findings

Scene = tuple[Services, RunSpec]
SHOP = "github.com/ann/shop"
FILE = "shop/pricing.py"
NOTE = ChangeNote("ann", "not a problem", 5.0)


def found(line: int, issue: str, category: str = "correctness", file: str = FILE) -> ReportedFinding:
    return ReportedFinding(category, "blocking", file, line, issue, "fix it", 2, files=4)


class Reviews:
    """Reviews of one repository, each by a run of its own."""

    def __init__(self, scene: Scene) -> None:
        services, self.spec = scene
        workspace = services.workspace(self.spec)
        self.services = replace(services, workspace=lambda _: workspace)  # its commits are those of every run here
        self.repository, self.head, self.run = workspace.repository, self.spec.base, self.spec

    def review(self, *findings: ReportedFinding, reviewer: str = "correctness") -> tuple[KeptFinding, ...]:
        source = FindingSource(SHOP, reviewer, reviewer[:3].upper(), self.head)
        return save_findings(self.services, self.run, source, findings)

    def next_run(self) -> None:
        self.run = replace(self.run, run_id=f"{self.run.run_id}x")

    def commit(self, files: dict[str, bytes | None]) -> None:
        changes = []
        for path, data in files.items():
            old = self.repository.read(self.head, path).encode() or None
            changes.append(FileChange(path, old, data, REGULAR if old else 0, REGULAR if data is not None else 0))
        self.head = self.repository.commit(self.head, Change(tuple(changes)), "work", at=1.0)

    def text(self, path: str = FILE) -> bytes:
        return self.repository.read(self.head, path).encode()

    def issues(self) -> list[Issue]:
        return list(self.services.issues.each(SHOP, IssueFilter()))


@pytest.fixture
def reviews(scene: Scene) -> Reviews:
    return Reviews(scene)


def line_of(reviews: Reviews, words: str) -> int:
    return (
        reviews.text()
        .decode()
        .splitlines()
        .index(next(line for line in reviews.text().decode().splitlines() if words in line))
        + 1
    )


def test_a_finding_becomes_an_issue_with_its_reviewer_and_its_estimates(reviews: Reviews) -> None:
    finding = found(line_of(reviews, "return"), "a percentage is subtracted")
    kept = reviews.review(finding)
    (issue,) = reviews.issues()
    assert kept == (KeptFinding(finding, issue.id, "COR-001", "OPEN"),)
    assert (issue.label, issue.tools, issue.rule, issue.message) == (
        "COR-001", ("reknit/correctness",), "correctness", "a percentage is subtracted",
    )  # fmt: skip
    assert (issue.workload, issue.weight, issue.baseline, issue.suggestion) == (8, "critical", "new", "fix it")


def test_a_step_that_runs_twice_changes_nothing(reviews: Reviews) -> None:
    findings = (found(1, "one"), found(1, "two"), found(0, "three"))
    first, before = reviews.review(*findings), reviews.issues()
    assert (reviews.review(*findings), reviews.issues()) == (first, before)


def test_two_findings_on_one_line_have_two_labels_and_reviewers_count_on_their_own(reviews: Reviews) -> None:
    kept = [*reviews.review(found(1, "one"), found(1, "two")), *reviews.review(found(1, "three"), reviewer="security")]
    assert sorted(one.label for one in kept) == ["COR-001", "COR-002", "SEC-001"]


def test_the_label_stays_when_words_lines_and_the_file_name_change(reviews: Reviews) -> None:
    line = line_of(reviews, "return")
    reviews.review(found(line, "a percentage is subtracted"))
    reviews.next_run()
    assert [one.label for one in reviews.review(found(line, "percent is not a price"))] == ["COR-001"]
    reviews.commit({FILE: b"# prices\n# of the shop\n" + reviews.text()})
    reviews.next_run()
    assert [one.label for one in reviews.review(found(line + 2, "wrong unit"))] == ["COR-001"]
    reviews.commit({FILE: None, "shop/prices.py": reviews.text()})
    reviews.next_run()
    moved = found(line + 2, "unit mismatch", file="shop/prices.py")
    assert [one.label for one in reviews.review(moved)] == ["COR-001"]
    assert [(issue.path, issue.status) for issue in reviews.issues()] == [("shop/prices.py", "OPEN")]


def test_what_was_ignored_is_silenced_also_after_the_lines_moved_and_the_file_was_renamed(reviews: Reviews) -> None:
    line = line_of(reviews, "return")
    (kept,) = reviews.review(found(line, "a percentage is subtracted"))
    reviews.services.issues.change([kept.issue], "IGNORED", NOTE)
    reviews.commit({FILE: None, "shop/prices.py": b"# prices\n" + reviews.text()})
    reviews.next_run()
    (again,) = reviews.review(found(line + 1, "wrong unit", file="shop/prices.py"))
    assert (again.issue, again.status, is_silenced(again)) == (kept.issue, "IGNORED", True)


def test_a_review_that_finds_less_makes_nothing_absent(reviews: Reviews) -> None:
    reviews.review(found(1, "one"), found(line_of(reviews, "return"), "two"))
    reviews.next_run()
    reviews.review(found(1, "one"))
    assert {issue.baseline for issue in reviews.issues()} == {"new", "unchanged"}


def test_what_was_resolved_is_open_again_only_in_a_tree_that_has_its_commit(reviews: Reviews) -> None:
    services, run_id = reviews.services, reviews.spec.run_id
    finding = found(line_of(reviews, "return"), "a percentage is subtracted")
    (kept,) = reviews.review(finding)
    base, fixed = reviews.head, reviews.text().replace(b"\n", b"\n\n", 1)
    reviews.commit({FILE: fixed})
    landed = reviews.head
    services.issues.take(run_id, [kept.issue], ChangeNote("reknit", "works on it", 6.0))
    services.issues.settle(run_id, [kept.issue], "RESOLVED", ChangeNote("reknit", "fixed", 7.0, commit=landed))
    reviews.head = base
    reviews.next_run()
    assert [one.status for one in reviews.review(finding)] == ["RESOLVED"]
    reviews.head = landed
    reviews.next_run()
    assert [one.status for one in reviews.review(found(finding.line + 1, "still there"))] == ["OPEN"]


def test_a_file_carried_over_from_the_commit_that_resolved_it_counts_as_that_commit(reviews: Reviews) -> None:
    services, run_id = reviews.services, reviews.spec.run_id
    line = line_of(reviews, "return")
    (kept,) = reviews.review(found(line, "a percentage is subtracted"))
    base, fixed = reviews.head, b"# prices\n" + reviews.text()
    reviews.commit({FILE: fixed})
    services.issues.take(run_id, [kept.issue], ChangeNote("reknit", "works on it", 6.0))
    services.issues.settle(run_id, [kept.issue], "RESOLVED", ChangeNote("reknit", "fixed", 7.0, commit=reviews.head))
    reviews.head = base
    reviews.commit({FILE: fixed, "other.py": b"x = 1\n"})
    reviews.next_run()
    assert [one.status for one in reviews.review(found(line + 1, "still there"))] == ["OPEN"]


def test_what_is_about_no_file_or_of_an_unknown_repository_is_not_kept(reviews: Reviews) -> None:
    gone, here = found(1, "x", file="gone.py"), found(1, "x")
    assert [one.issue > 0 for one in reviews.review(gone, here)] == [False, True]
    source = FindingSource("", "correctness", "COR", reviews.head)
    assert save_findings(reviews.services, reviews.run, source, [here]) == (KeptFinding(here),)
    assert reviews.review() == ()


def test_labels_follow_the_order_in_which_the_findings_were_reported(reviews: Reviews) -> None:
    reviews.commit({"a_first.py": b"x = 1\n"})
    kept = reviews.review(found(2, "it subtracts"), found(1, "x is unused", file="a_first.py"))
    assert [each.label for each in kept] == ["COR-001", "COR-002"]
