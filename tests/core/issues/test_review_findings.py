"""Which issue a reviewer's finding is, and whether it is reported again."""

import pytest

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.issues.formats.agent_report import to_result
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result, normalize_file
from reknit.core.issues.identity.matching import add_former_paths, match_results
from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import KnownIssue, LocatedResult, NewIssue
from reknit.core.issues.review_findings import (
    FindingSource,
    KeptFinding,
    drop_silenced,
    is_silenced,
    keep_findings,
    make_labels,
    map_results_to_issues,
    name_reviewer_tool,
)

TOOL = name_reviewer_tool(" Security ")
FIRST = ReportedFinding("injection", "blocking", "a.py", 2, "SQL is built from input")
OTHER = ReportedFinding("secrets", "warning", "a.py", 2, "the password is in the code")
CODE = b"import db\ndb.run(f'select {name} {PASSWORD}')\nprint('done')\n"


def located(finding: ReportedFinding, code: bytes = CODE) -> LocatedResult:
    return locate_result(to_result(TOOL, finding), finding.file, NormalizedFile(code))


def stored(number: int, new: NewIssue, status: Status = "OPEN") -> KnownIssue:
    one = new.result
    place_ = (one.path, one.concept, one.result.line, one.context_digests, one.line_digest, one.message_digests)
    return KnownIssue(number, *place_, (TOOL,), status, new.fingerprint)


def known(*findings: ReportedFinding, status: Status = "OPEN") -> list[KnownIssue]:
    return [stored(n, new, status) for n, new in enumerate(match_results([], list(map(located, findings))).new, 1)]


def test_the_tool_of_a_source_names_its_reviewer() -> None:
    assert FindingSource("host/a/b", "Security", "SEC", "c0ffee").tool == TOOL == "reknit/security"


@pytest.mark.parametrize("status", STATUSES)
def test_the_same_line_in_other_words_is_the_same_issue(status: Status) -> None:
    reworded = ReportedFinding("injection", "warning", "a.py", 2, "Input 7 reaches the query unescaped.")
    matched = match_results(known(FIRST, status=status), [located(reworded)])
    assert ([again.id for again in matched.sightings], matched.new) == ([1], [])


def test_another_category_on_the_same_line_does_not_hide_behind_an_ignored_issue() -> None:
    other = ReportedFinding("another kind", "blocking", "a.py", 2, "eval of user input")
    matched = match_results(known(FIRST, status="IGNORED"), [located(other)])
    assert ([again.id for again in matched.sightings], len(matched.new)) == ([], 1)


@pytest.mark.parametrize("status", ["OPEN", "IGNORED"])
def test_it_is_recognised_after_its_line_has_moved(status: Status) -> None:
    moved = ReportedFinding("injection", "blocking", "a.py", 9, "unsafe query")
    before = b"import os\n" * 7
    assert [
        again.id for again in match_results(known(FIRST, status=status), [located(moved, before + CODE)]).sightings
    ] == [1]


def test_an_issue_to_do_is_recognised_after_its_line_was_edited() -> None:
    edited = CODE.replace(b"select", b"delete from")
    assert [again.id for again in match_results(known(FIRST), [located(FIRST, edited)]).sightings] == [1]


def test_an_ignored_issue_does_not_silence_a_line_that_was_edited() -> None:
    edited = ReportedFinding("injection", "blocking", "a.py", 2, "SQL is built from a form")
    matched = match_results(
        known(FIRST, status="IGNORED"), [located(edited, CODE.replace(b"import db", b"").replace(b"s", b"z"))]
    )
    assert len(matched.new) == 1


def test_two_findings_on_one_line_are_two_issues_and_each_is_known_by_its_own_words() -> None:
    both = known(FIRST, OTHER)
    assert len({issue.fingerprint for issue in both}) == 2
    again = match_results(both, [located(OTHER), located(FIRST)])
    by_rule = {seen.result.result.rule: seen.id for seen in again.sightings}
    assert by_rule == {"injection": 1, "secrets": 2}


def test_a_whole_file_is_no_place_so_the_words_must_be_the_same_to_stay_ignored() -> None:
    whole = ReportedFinding("tests", "warning", "a.py", 0, "nothing tests it")
    other = ReportedFinding("tests", "warning", "a.py", 0, "it is too long")
    ignored = known(whole, status="IGNORED")
    assert [again.id for again in match_results(ignored, [located(whole)]).sightings] == [1]
    assert len(match_results(ignored, [located(other)]).new) == 1


def test_each_finding_has_its_issue_also_one_that_is_reported_twice() -> None:
    twice = ReportedFinding(FIRST.category, "blocking", "a.py", 2, FIRST.issue, "use parameters")
    nowhere = ReportedFinding("style", "suggestion", "gone.py", 1, "x")
    findings = (OTHER, FIRST, twice, nowhere)
    before = known(FIRST, status="IGNORED")
    matched = match_results(before, [located(finding) for finding in findings[:3]])
    after = [*before, *(stored(8, new) for new in matched.new)]
    results = [(finding, to_result(TOOL, finding)) for finding in findings]
    kept = keep_findings(results, map_results_to_issues(matched, before, after), {1: "SEC-001", 8: "SEC-002"})
    assert kept == (
        KeptFinding(OTHER, 8, "SEC-002", "OPEN"),
        KeptFinding(FIRST, 1, "SEC-001", "IGNORED"),
        KeptFinding(twice, 1, "SEC-001", "IGNORED"),
        KeptFinding(nowhere),
    )


def test_only_what_a_person_put_away_is_silenced() -> None:
    silenced = [status for status in STATUSES if is_silenced(KeptFinding(FIRST, 1, "SEC-001", status))]
    assert silenced == ["IGNORED", "DUPLICATE"]


def test_only_text_has_digests() -> None:
    assert (normalize_file(None), normalize_file(b"a\0b")) == (None, None)
    assert isinstance(normalize_file(b"a"), NormalizedFile)


def test_issues_are_also_looked_for_at_former_paths() -> None:
    assert add_former_paths(["b.py", "a.py"], {"old.py": "a.py", "x.py": "y.py"}) == ["a.py", "b.py", "old.py"]


def test_a_review_of_which_all_is_silenced_passes() -> None:
    review = Review("needs_work", 40, "two bugs", (FIRST, OTHER))
    here, gone = KeptFinding(FIRST, 1), KeptFinding(OTHER, 2, status="IGNORED")
    assert drop_silenced(review, [here, KeptFinding(OTHER, 2)]) == review
    assert drop_silenced(review, [here, gone]) == Review("needs_work", 40, "two bugs", (FIRST,))
    assert drop_silenced(review, [gone]) == Review("passed", 40, "two bugs")


@pytest.mark.parametrize(
    ("used", "labels"),
    [
        pytest.param([], ["SEC-001", "SEC-002"], id="from 1"),
        pytest.param(["SEC-001", "SEC-007"], ["SEC-008", "SEC-009"], id="after the highest"),
        pytest.param(["SEC-998"], ["SEC-999", "SEC-1000"], id="beyond 999"),
        pytest.param(["COR-004", "SECURE-9", "SEC-x", "SEC-³"], ["SEC-001", "SEC-002"], id="others do not count"),
    ],
)
def test_the_next_labels(used: list[str], labels: list[str]) -> None:
    assert make_labels("SEC", used, 2) == labels
