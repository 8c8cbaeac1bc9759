"""How much of the box's bodies is held at once; how each is read is shown with the connection it comes on."""

import pytest

from reknit.adapters.gateway.request_body import BodyMemory, TooMuch


def test_room_is_taken_and_given_back() -> None:
    room = BodyMemory(10)
    room.take(6)
    with pytest.raises(TooMuch, match="too much data in flight"):
        room.take(5)
    room.take(4)
    room.give_back(6)
    room.take(5)
