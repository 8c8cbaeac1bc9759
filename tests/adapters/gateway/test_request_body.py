"""How much of the box's bodies is held at once; how each is read is shown with the connection it comes on."""

import pytest

from reknit.adapters.gateway.request_body import BodyMemory, TooMuch


def test_room_is_taken_and_given_back() -> None:
    memory = BodyMemory(10)
    memory.take(6)
    with pytest.raises(TooMuch, match="too much data in flight"):
        memory.take(5)
    memory.take(4)
    memory.give_back(6)
    memory.take(5)
