"""Where the commits of a review come from, and which issues it may fix."""

from dataclasses import replace

import pytest

from reknit.core.review.task import ReviewChange
from tests.tools.sample_tasks import REVIEW_CHANGE


def test_only_the_head_of_a_pull_request_comes_from_the_forge() -> None:
    assert not REVIEW_CHANGE.is_on_forge
    assert replace(REVIEW_CHANGE, pull="https://github.com/ada/shop/pull/7").is_on_forge


@pytest.mark.parametrize(
    ("task", "statuses"),
    [
        pytest.param(REVIEW_CHANGE, ("OPEN",), id="what failed stays"),
        pytest.param(replace(REVIEW_CHANGE, again=True), ("OPEN", "FAILED"), id="--again"),
        pytest.param(replace(REVIEW_CHANGE, resumes="r-0"), ("OPEN", "FAILED"), id="--resume"),
    ],
)
def test_what_failed_is_fixed_only_on_request(task: ReviewChange, statuses: tuple[str, ...]) -> None:
    assert task.statuses == statuses
