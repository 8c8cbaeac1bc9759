"""Where the commits of a review come from."""

from dataclasses import replace

from tests.tools.sample_tasks import REVIEW_CHANGE


def test_only_the_head_of_a_pull_request_comes_from_the_forge() -> None:
    assert not REVIEW_CHANGE.is_on_forge
    assert replace(REVIEW_CHANGE, pull="https://github.com/ada/shop/pull/7").is_on_forge
