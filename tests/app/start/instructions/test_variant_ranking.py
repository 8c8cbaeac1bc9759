"""Twenty repositories as an exploration describes them, each with the variant that a maintainer would choose."""

from typing import Any

import pytest

from reknit.app.start.instructions.variant_files import read_variants
from reknit.core.forge.values import OpenIssue, OpenPull
from reknit.core.planning.context import AI_WELCOME, Inventory, RepoContext
from reknit.core.planning.intent import Intent
from reknit.core.planning.variants.scoring import score_variants

USUAL = (".github/dependabot.yml", ".github/CODEOWNERS", "CODE_OF_CONDUCT.md")
"""Governance files that most projects lack, whatever else is the matter."""
STATE = ("STATE.md",)
TESTED = Inventory(tests=("pytest",))


def pulls(red: int = 0, dirty: int = 0, files: int = 0) -> tuple[OpenPull, ...]:
    made = [OpenPull(n, "P", "b", draft=False, merge_state="clean", red_checks=("ci",)) for n in range(red)]
    made += [OpenPull(100 + n, "P", "b", draft=False, merge_state="dirty") for n in range(dirty)]
    return (*made, *([OpenPull(200, "P", "b", draft=False, merge_state="clean", files=files)] if files else []))


def issues(count: int, *labels: str) -> tuple[OpenIssue, ...]:
    return tuple(OpenIssue(number, "An issue", labels) for number in range(count))


def ledger(points: int, count: int) -> Inventory:
    return Inventory(tests=("pytest",), issues=((points, count),))


REPOSITORIES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("a young library without any policy", "grey", {"governance_missing": ("LICENSE", "CHANGELOG", *USUAL)}),
    ("a service with stale docs", "grey", {"docs_stale": ("docs/a.md", "docs/b.md"), "governance_missing": USUAL}),
    ("a tidy library with nothing to do", "blue", {}),
    ("a tidy library that lacks CODEOWNERS", "blue", {"governance_missing": USUAL[1:2]}),
    ("a script collection without tests", "blue", {"inventory": Inventory()}),
    ("an app whose default branch broke every pull request", "red", {"pulls": pulls(5), "governance_missing": USUAL}),
    ("red CI, and no policy either", "red", {"pulls": pulls(2), "governance_missing": ("LICENSE", *USUAL)}),
    ("red CI beside stale docs", "red", {"pulls": pulls(3), "docs_stale": ("a",), "docs_missing": STATE}),
    ("forty lint findings in the ledger", "fixit", {"inventory": ledger(1, 40), "governance_missing": USUAL}),
    ("small issues that welcome agents", "fixit", {"issues": issues(12, "points: 2", AI_WELCOME)}),
    ("small issues in a repository without docs", "fixit", {"inventory": ledger(2, 15), "docs_missing": STATE}),
    ("an old backlog of large issues", "immortal", {"issues": issues(80), "governance_missing": USUAL[:1]}),
    ("a rewrite that is in flight", "green", {"branch_files": 120, "branch": "rewrite", "governance_missing": USUAL}),
    ("a huge open pull request", "green", {"pulls": pulls(files=90), "governance_missing": USUAL}),
    ("a roadmap that nobody has touched", "professor", {"state_age_days": 60, "governance_missing": USUAL}),
    ("a roadmap of last quarter with stale docs", "professor", {"state_age_days": 90, "docs_stale": ("a",)}),
    ("branches that contradict each other", "old-man", {"pulls": pulls(dirty=4), "branch": "t"}),
    (
        "contradicting branches and no policy", "old-man",
        {"pulls": pulls(dirty=3), "branch": "t", "governance_missing": USUAL},
    ),
    ("production is down", "world-breaker", {"issues": issues(1, "incident"), "governance_missing": USUAL}),
    ("an incident with red CI", "world-breaker", {"issues": issues(1, "sev1"), "pulls": pulls(3)}),
)  # fmt: skip


def first(facts: dict[str, Any]) -> str:
    context = RepoContext(
        **{"as_of": "2026-11-19", "branch": "main", "default_branch": "main", "inventory": TESTED, **facts}
    )
    return score_variants(context, read_variants(None), Intent("topic", confirmed=True))[0].variant


@pytest.mark.parametrize(
    ("expected", "facts"), [pytest.param(expected, facts, id=name) for name, expected, facts in REPOSITORIES]
)
def test_the_best_variant_is_first(expected: str, facts: dict[str, Any]) -> None:
    assert first(facts) == expected


def test_there_are_twenty_and_hygiene_is_seldom_the_answer() -> None:
    assert len(REPOSITORIES) == 20
    assert [first(facts) for _, _, facts in REPOSITORIES].count("grey") == 2
