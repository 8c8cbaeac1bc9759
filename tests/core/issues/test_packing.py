"""First fit, exactly, without looking at every batch."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.batches import lower_bound, mixed
from reknit.core.issues.packing import pack_first_fit
from tests.tools.work import lines_run


def plain_first_fit(workloads: Sequence[int], points: int, issues: int) -> list[list[int]]:
    batches: list[list[int]] = []
    for place, workload in enumerate(workloads):
        for batch in batches:
            if sum(workloads[one] for one in batch) + workload <= points and len(batch) < issues:
                batch.append(place)
                break
        else:
            batches.append([place])
    return batches


@pytest.mark.parametrize("seed", range(60))
def test_it_is_exactly_first_fit(seed: int) -> None:
    workloads = mixed(200, seed)
    points, issues = [(15, 5), (15, 5), (15, 1), (7, 3), (1, 5), (40, 50)][seed % 6]
    assert pack_first_fit(workloads, points, issues) == plain_first_fit(workloads, points, issues)


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 20), st.integers(1, 7))
def test_whatever_comes_nothing_is_lost_and_no_batch_is_too_large(
    workloads: list[int], points: int, issues: int
) -> None:
    batches = pack_first_fit(workloads, points, issues)
    assert batches == plain_first_fit(workloads, points, issues)
    assert sorted(place for batch in batches for place in batch) == list(range(len(workloads)))
    assert all(len(batch) == 1 or sum(workloads[place] for place in batch) <= points for batch in batches)
    assert all(len(batch) <= issues for batch in batches)
    assert len(batches) >= lower_bound(workloads, points, issues)


@pytest.mark.parametrize(
    ("workloads", "batches"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([1] * 6, [[0, 1, 2, 3, 4], [5]], id="typo fixes: five issues a batch"),
        pytest.param([2] * 6, [[0, 1, 2, 3, 4], [5]], id="validations: seven would have the points"),
        pytest.param([12, 12], [[0], [1]], id="refactored services: one a batch"),
        pytest.param([3, 25, 3], [[0, 2], [1]], id="an architectural change stands alone"),
        pytest.param([3, 15, 3], [[0, 2], [1]], id="so does what fills a batch"),
        pytest.param([3] * 5, [[0, 1, 2, 3, 4]], id="not estimated: five fill a batch in both ways"),
        pytest.param([12, 4, 3, 11], [[0, 2], [1, 3]], id="a later one fills the oldest room"),
    ],
)
def test_examples(workloads: list[int], batches: list[list[int]]) -> None:
    assert pack_first_fit(workloads, 15, 5) == batches


@pytest.mark.parametrize(
    ("workloads", "bound"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([15, 99], 2, id="those that stand alone"),
        pytest.param([1] * 11, 3, id="by number"),
        pytest.param([8] * 4, 3, id="by points"),
    ],
)
def test_the_lower_bound(workloads: list[int], bound: int) -> None:
    assert lower_bound(workloads, 15, 5) == bound


def test_many_issues_need_few_batches() -> None:
    workloads = mixed(100_000, seed=3)
    assert len(pack_first_fit(workloads, 15, 5)) <= 1.05 * lower_bound(workloads, 15, 5)


def test_an_issue_costs_the_same_among_many() -> None:
    """No two fit, so that every batch stays open. Looking at each would make it 100 times as long."""

    def work(count: int) -> int:
        return lines_run(lambda: pack_first_fit([8] * count, 15, 5))

    assert work(5_000) < 20 * work(500)
