"""A trace as a collector on loopback receives it."""

import pytest

from reknit.adapters.otlp import send_trace
from reknit.core.telemetry.trace import Span, Trace
from tests.tools.otlp_receiver import receive_traces

RUN = Span("run", 1, None, 10, 30, {"a": "b"})
TRACE = Trace(7, (RUN, Span("step", 2, 1, 10, 20, {"n": 3, "usd": 0.5}, has_failed=True)))


@pytest.mark.parametrize("ending", ["", "/", "/v1/traces"])
def test_all_spans_arrive_with_their_ids_and_times(ending: str) -> None:
    with receive_traces() as receiver:
        assert send_trace(TRACE, receiver.url + ending)
    run, step = receiver.spans
    assert (run.trace_id, run.span_id, run.parent_span_id) == ((7).to_bytes(16, "big"), (1).to_bytes(8, "big"), b"")
    assert (step.parent_span_id, step.start_time_unix_nano, step.end_time_unix_nano) == (run.span_id, 10, 20)
    assert [attribute.key for attribute in step.attributes] == ["n", "usd"]
    assert (run.status.code, step.status.code) == (0, 2)
    assert receiver.paths == ["/v1/traces"]


def test_the_variable_of_opentelemetry_names_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    with receive_traces() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        assert send_trace(TRACE, "")
    assert len(receiver.spans) == 2


def test_a_collector_that_refuses_is_told() -> None:
    with receive_traces() as receiver:
        receiver.status = 400
        assert not send_trace(TRACE, receiver.url)


@pytest.mark.parametrize("endpoint", ["host", "ftp://127.0.0.1/"])
def test_an_address_that_is_none_is_told(endpoint: str) -> None:
    assert not send_trace(TRACE, endpoint)
