"""Batching: the order of the work, and which issues share a call."""

import random
from dataclasses import replace

from reknit.core.finding import Weight
from reknit.core.fix_issues.batching import in_order, plan
from reknit.core.issues.model import Issue
from reknit.core.repository.routing import kind_of
from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Batch

ISSUE = Issue(
    id=1,
    repository="r",
    fingerprint="f",
    status="OPEN",
    path="a.py",
    line=1,
    column=0,
    rule="x",
    message="m",
    weight="important",
    sources=(),
    baseline="new",
)


def issue(number: int, path: str = "a.py", *, line: int = 1, weight: Weight = "important", points: int = 0) -> Issue:
    effort, files = (1, points) if points else (0, 0)
    return replace(ISSUE, id=number, path=path, line=line, weight=weight, effort_1_5=effort, files=files)


def test_backend_goes_before_frontend_and_the_worst_file_first() -> None:
    issues = [
        issue(1, "web/b.ts", weight="critical"),
        issue(2, "api/z.py", line=9, weight="minor"),
        issue(3, "api/a.py", weight="minor"),
        issue(4, "api/z.py", line=2, weight="critical"),
        issue(5, "web/a.ts"),
        issue(6, "api/m.py"),
        issue(7, "api/m.py"),
        issue(8, "api/y.py", weight="minor"),
    ]
    made = plan(issues, IssueLimits(), kind_of)
    assert made == (
        Batch(1, "backend", (4, 2, 6, 7, 3), 15),
        Batch(2, "backend", (8,), 3),
        Batch(3, "frontend", (1, 5), 6),
    )


def test_the_order_of_asking_changes_nothing() -> None:
    chance = random.Random(7)
    weights: list[Weight] = ["critical", "important", "minor"]
    issues = [
        issue(
            number, f"f{number % 9}.{'ts' if number % 3 else 'py'}", weight=chance.choice(weights), points=number % 17
        )
        for number in range(1, 90)
    ]
    made = plan(issues, IssueLimits(), kind_of)
    chance.shuffle(issues)
    assert plan(issues, IssueLimits(), kind_of) == made
    assert sorted(one for batch in made for one in batch.issues) == sorted(one.id for one in issues)
    assert [batch.number for batch in made] == list(range(1, len(made) + 1))


def test_one_issue_over_the_points_stands_alone_and_says_its_own() -> None:
    assert plan([issue(1, points=25), issue(2)], IssueLimits(), kind_of) == (
        Batch(1, "backend", (1,), 25),
        Batch(2, "backend", (2,), 3),
    )


def test_the_limits_are_the_configurations() -> None:
    limits = IssueLimits(batch_points=6, batch_issues=1)
    assert [batch.issues for batch in plan([issue(1), issue(2)], limits, kind_of)] == [(1,), (2,)]
    limits = replace(limits, batch_issues=5)
    assert [batch.issues for batch in plan([issue(1), issue(2), issue(3)], limits, kind_of)] == [(1, 2), (3,)]


def test_no_issues_no_batches() -> None:
    assert plan([], IssueLimits(), kind_of) == ()
    assert in_order([]) == ()
