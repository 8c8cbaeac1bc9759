"""What one agent call may ask of its model."""

from reknit.core.gateway.access import request_cap


def test_the_cap_of_requests_follows_the_turns() -> None:
    assert request_cap(10) == 60
