"""Labels and titles: estimates, priorities, incidents."""

import pytest

from reknit.core.planning.variants.labels import is_critical_label, is_critical_title, is_priority, points


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
    assert points(labels) == size


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


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("CRITICAL: orders are lost", True),
        ("CRITICAL incident in the pool", True),
        ("critical: login fails", True),
        ("[critical] login fails", True),
        ("Critical bug in login", True),
        ("A critical vulnerability", True),
        ("Incident 2026-11-17: queue is full", True),
        ("Outage of the API", True),
        ("Sev0 in production", True),
        ("P0 login", True),
        ("Data loss after upgrade", True),
        ("Production is down", True),
        ("production down", True),
        ("Inline critical CSS", False),
        ("Document the critical path", False),
        ("non-critical: rename", False),
        ("NON-CRITICAL rename", False),
        ("Fix incidental whitespace", False),
        ("critically slow", False),
        ("CRITICALITY matrix", False),
        ("metadata loss function", False),
        ("Critical errors page", False),
        ("", False),
    ],
)
def test_a_title_can_name_an_incident(title: str, expected: bool) -> None:
    assert is_critical_title(title) is expected
