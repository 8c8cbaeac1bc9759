"""Events among noise."""

import pytest

from reknit.core.agents.streams.json_lines import events


@pytest.mark.parametrize(
    "stdout",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"warning: 3 things\n", id="prose"),
        pytest.param(b'{"type":"result","subtype":"suc', id="cut in the middle"),
        pytest.param(b'["result"]\n"text"\n3\n', id="not an object"),
        pytest.param(b'{"result": ' + b"[" * 200_000, id="nested without end"),
        pytest.param(b'{"a": "\xff\xfe"}', id="no text"),
    ],
)
def test_noise_is_no_failure(stdout: bytes) -> None:
    assert list(events(stdout)) == []


def test_events_come_in_order() -> None:
    assert list(events(b'{"a": 1}\nnoise\n{"b": 2}\r\n')) == [{"a": 1}, {"b": 2}]
