"""Signals: each one at its limit, just below it, and with its evidence."""

from dataclasses import replace

import pytest

from reknit.core.forge.open_work import OpenIssue, OpenPull
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.variants.signals import NAMES, SIGNALS, measure

CALM = RepoContext("2026-11-17", "main", "main", inventory=Inventory(tests=("pytest",)))


def pull(number: int, title: str = "A change", **fields: object) -> OpenPull:
    return replace(OpenPull(number, title, "topic", draft=False, merge_state="clean"), **fields)  # type: ignore[arg-type]


def small(count: int, *labels: str) -> tuple[OpenIssue, ...]:
    return tuple(OpenIssue(number, "Small", ("points: 3", *labels)) for number in range(1, count + 1))


def ledger(*issues: tuple[int, int]) -> Inventory:
    return Inventory(tests=("pytest",), issues=issues)


RED = ("build",)


@pytest.mark.parametrize(
    ("signal", "context", "evidence"),
    [
        (
            "missing-governance",
            replace(CALM, governance_missing=("CHANGELOG", "LICENSE")),
            "missing: CHANGELOG, LICENSE",
        ),
        (
            "missing-governance",
            replace(CALM, governance_missing=("a", "b", "c", "d", "e")),
            "missing: a, b, c and 2 more",
        ),
        ("red-ci", replace(CALM, pulls=(pull(1, red_checks=RED),)), ""),
        (
            "red-ci",
            replace(CALM, pulls=(pull(1, red_checks=RED), pull(2), pull(3, red_checks=RED))),
            "CI is red on 2 pull requests: #1, #3",
        ),
        ("stale-state", replace(CALM, state_age_days=14), ""),
        ("stale-state", replace(CALM, state_age_days=15), "STATE.md was updated 15 days ago"),
        ("stale-state", replace(CALM, state_age_days=None), ""),
        ("stale-docs", replace(CALM, docs_stale=("docs/a.md",)), "stale: docs/a.md"),
        ("missing-docs", replace(CALM, docs_missing=("STATE.md",)), "missing: STATE.md"),
        ("small-issues", replace(CALM, issues=small(9)), ""),
        (
            "small-issues",
            replace(CALM, issues=small(10)),
            "10 issues of at most 3 points and without a priority (10 on the forge, 0 in the ledger)",
        ),
        ("small-issues", replace(CALM, issues=small(10, "priority: low")), ""),
        ("small-issues", replace(CALM, issues=tuple(OpenIssue(n, "Large", ("points: 5",)) for n in range(20))), ""),
        ("small-issues", replace(CALM, issues=tuple(OpenIssue(n, "No estimate") for n in range(20))), ""),
        (
            "small-issues",
            replace(CALM, issues=small(4), inventory=ledger((1, 2), (3, 4), (5, 90))),
            "10 issues of at most 3 points and without a priority (4 on the forge, 6 in the ledger)",
        ),
        ("heavy-refactor", replace(CALM, branch="topic", branch_files=50, branch_lines=1_500), ""),
        (
            "heavy-refactor",
            replace(CALM, branch="topic", branch_files=51, branch_lines=1),
            "the branch topic changes 51 files and 1 line",
        ),
        (
            "heavy-refactor",
            replace(CALM, branch="topic", branch_files=1, branch_lines=1_501),
            "the branch topic changes 1 file and 1501 lines",
        ),
        ("heavy-refactor", replace(CALM, branch_files=51), ""),
        (
            "heavy-refactor",
            replace(CALM, branch="", branch_files=51, branch_lines=2),
            "the branch that is checked out changes 51 files and 2 lines",
        ),
        ("heavy-refactor", replace(CALM, pulls=(pull(1, files=50, lines=1_500),)), ""),
        (
            "heavy-refactor",
            replace(CALM, pulls=(pull(1, files=60, lines=2), pull(2, files=2, lines=2_000))),
            "#1 changes 60 files and 2 lines; #2 changes 2 files and 2000 lines",
        ),
        ("critical-incident", replace(CALM, issues=(OpenIssue(7, "Login", ("critical",)),)), "#7 “Login”"),
        ("critical-incident", replace(CALM, pulls=(pull(8, "CRITICAL: login"),)), "#8 “CRITICAL: login”"),
        ("critical-incident", replace(CALM, issues=(OpenIssue(7, "Inline critical CSS"),)), ""),
        (
            "ai-welcome",
            replace(CALM, issues=(OpenIssue(7, "A", ("AI-welcome",)), OpenIssue(8, "B", ("ai-welcome-not",)))),
            "1 issue labelled ai-welcome: #7",
        ),
        ("conflicted-pulls", replace(CALM, pulls=(pull(1, merge_state="dirty"), pull(2))), ""),
        (
            "conflicted-pulls",
            replace(CALM, pulls=(pull(1, merge_state="dirty"), pull(2, merge_state="dirty"))),
            "2 pull requests in conflict: #1, #2",
        ),
        ("long-backlog", replace(CALM, inventory=ledger((5, 29))), ""),
        ("long-backlog", replace(CALM, issues=small(10), inventory=ledger((5, 20))), "30 open issues"),
        ("uncommitted-changes", replace(CALM, changed=("a.py", "b.py")), "2 files changed since the last commit"),
        ("uncommitted-changes", replace(CALM, changed=(".reknit/plans/a.md",)), ""),
        ("no-tests", replace(CALM, inventory=Inventory()), "no test command was found"),
        ("nothing-stands-out", CALM, "no other signal was found"),
        ("nothing-stands-out", replace(CALM, changed=("a.py",)), ""),
    ],
)
def test_a_signal_counts_from_its_number_on(signal: str, context: RepoContext, evidence: str) -> None:
    assert measure(context).get(signal, "") == evidence


def test_a_calm_repository_has_only_the_last_signal() -> None:
    assert list(measure(CALM)) == ["nothing-stands-out"]


def test_each_signal_has_a_name_of_its_own_and_says_why_its_number() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(signal.looks_for and signal.number and signal.why for signal in SIGNALS)


def test_what_the_forge_says_stays_on_one_line() -> None:
    found = measure(replace(CALM, issues=(OpenIssue(7, "critical:\n# obey\x1b[31m", ()),)))
    assert found["critical-incident"] == "#7 “critical: # obey”"
