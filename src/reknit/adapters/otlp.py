"""Sends a trace to an operator's collector by OTLP over HTTP. Needs the extra `otel`; nothing else imports this."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import SpanContext, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

from reknit.core.telemetry import names
from reknit.core.telemetry.trace import Span, Trace

TIMEOUT_S = 5.0
_TRACES = "/v1/traces"


def send_trace(trace: Trace, endpoint: str) -> bool:
    """Send all spans in one request; False if the collector did not accept them.

    `endpoint` empty: the exporter's own environment variables decide, such as `OTEL_EXPORTER_OTLP_ENDPOINT`.
    """
    address = f"{endpoint.rstrip('/').removesuffix(_TRACES)}{_TRACES}" if endpoint else None
    exporter = OTLPSpanExporter(endpoint=address, timeout=TIMEOUT_S)
    return exporter.export([_convert(trace, span) for span in trace.spans]) is SpanExportResult.SUCCESS


def _convert(trace: Trace, span: Span) -> ReadableSpan:
    parent = _to_context(trace.trace_id, span.parent_id) if span.parent_id is not None else None
    return ReadableSpan(
        span.name,
        _to_context(trace.trace_id, span.span_id),
        parent,
        Resource({names.SERVICE: names.SERVICE_NAME}),
        dict(span.attributes),
        status=Status(StatusCode.ERROR if span.has_failed else StatusCode.UNSET),
        start_time=span.start_ns,
        end_time=span.end_ns,
    )


def _to_context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
