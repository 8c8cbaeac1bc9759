"""Endings of Codex, in the shape its transcripts have."""

import json

import pytest

from reknit.core.agents.outcome import FinalEvent
from reknit.core.agents.streams.codex import read

BEGUN = ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"})
WARNING = {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "a feature is deprecated"}}
RETRY = {"type": "error", "message": "Reconnecting... 1/1"}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 300}}


def said(text: str) -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": text}}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize(
    ("event", "last"),
    [
        pytest.param(DONE, FinalEvent(finished=True, words="Fixed."), id="the last message of the agent"),
        pytest.param(
            {"type": "turn.failed", "error": {"message": "last status: 429"}},
            FinalEvent(finished=False, words="last status: 429"),
            id="an error of the model",
        ),
        pytest.param({"type": "turn.failed"}, FinalEvent(finished=False), id="without a reason"),
    ],
)
def test_the_end_of_the_turn_speaks(event: object, last: FinalEvent) -> None:
    assert read(lines(*BEGUN, WARNING, RETRY, said("looking"), said("Fixed."), event)) == last


def test_an_error_event_is_no_end() -> None:
    assert read(lines(*BEGUN, RETRY, said("half of it"))) is None
