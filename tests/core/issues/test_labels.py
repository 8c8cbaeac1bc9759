"""Labels count up per prefix, and no number is given twice."""

import pytest

from reknit.core.issues.labels import next_labels


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
    assert next_labels("SEC", used, 2) == labels
