"""What one agent call may ask of its model."""

from reknit.core.gateway.access import compute_request_limit


def test_the_cap_of_requests_follows_the_turns() -> None:
    assert compute_request_limit(10) == 60
