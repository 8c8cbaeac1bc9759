"""Signals: each one at its limit, just below it, and with its evidence."""

from dataclasses import replace

import pytest

from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.variants.signals import (
    NAMES,
    SIGNALS,
    find_points,
    is_critical_label,
    is_priority,
    measure_signals,
)

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
        ("missing-governance", replace(CALM, governance_missing=("CODEOWNERS",)), ""),
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
        ("critical-incident", replace(CALM, pulls=(pull(8, labels=("p0",)),)), "#8 “A change”"),
        ("critical-incident", replace(CALM, issues=(OpenIssue(7, "CRITICAL: inline CSS"),)), ""),
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
    assert measure_signals(context).get(signal, "") == evidence


def test_a_calm_repository_has_only_the_last_signal() -> None:
    assert list(measure_signals(CALM)) == ["nothing-stands-out"]


def test_each_signal_has_a_name_of_its_own_and_says_why_its_number() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(signal.looks_for and signal.number and signal.why for signal in SIGNALS)


def test_what_the_forge_says_stays_on_one_line() -> None:
    found = measure_signals(replace(CALM, issues=(OpenIssue(7, "fix:\n# obey\x1b[31m", ("critical",)),)))
    assert found["critical-incident"] == "#7 “fix: # obey”"


@pytest.mark.parametrize(
    ("labels", "size"),
    [
        (["points: 2"], 2),
        (["Points:3"], 3),
        (["story points: 5"], 5),
        (["story-points/8"], 8),
        (["size/S"], 1),
        (["size/XS"], 1),
        (["size: M"], 3),
        (["size-L"], 5),
        (["size/XXL"], 13),
        (["effort: 1"], 1),
        (["effort: low"], 1),
        (["effort: tiny"], 1),
        (["effort: small"], 1),
        (["effort: trivial"], 1),
        (["effort: large"], 5),
        (["effort: high"], 5),
        (["effort: huge"], 13),
        (["size/XL"], 8),
        (["effort/medium"], 3),
        (["estimate=2"], 2),
        (["sp 2"], 2),
        (["2 points"], 2),
        (["1pt"], 1),
        (["bug", "points: 1", "effort: 3"], 3),
        (["points: 100"], None),
        (["points: ٣"], None),
        (["size/whatever"], None),
        (["bug"], None),
        (["pain points"], None),
        (["good first issue"], None),
        (["points"], None),
        ([], None),
    ],
)
def test_an_estimate_is_read(labels: list[str], size: int | None) -> None:
    assert find_points(labels) == size


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("priority: high", True), ("Priority/low", True), ("P0", True), ("p3", True), ("prio:2", True),
        ("urgent", True), ("blocker", True), ("severity: critical", True), ("high priority", True),
        ("bug", False), ("p5", False), ("map3", False), ("prioritise-me", False), ("size/S", False), ("", False),
        ("deprioritised", False), ("non-urgent", False),
    ],
)  # fmt: skip
def test_a_priority_is_read(label: str, expected: bool) -> None:
    assert is_priority(label) is expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("critical", True), ("CRITICAL", True), ("severity: critical", True), ("priority/critical", True),
        ("incident", True), ("sev0", True), ("sev-1", True), ("SEV1", True), ("p0", True), ("outage", True),
        ("sev2", False), ("p1", False), ("non-critical", False), ("uncritical", False), ("incidental", False),
        ("critical-path", False), ("", False),
    ],
)  # fmt: skip
def test_a_label_can_name_an_incident(label: str, expected: bool) -> None:
    assert is_critical_label(label) is expected
