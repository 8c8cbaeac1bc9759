"""Telemetry for operators, off by default: a trace of each ended run, metrics, and the format of the log."""

import importlib.util
import json
import logging
import re
import time
from dataclasses import dataclass

import sqlalchemy as sa

from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.core.runs.event import Event
from reknit.core.telemetry.metrics import EVER, render_metrics
from reknit.core.telemetry.trace import StepTime, build_trace
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.store.runs.stats import StatsReader
from reknit.store.transactions import RetryingTransactions

TRACED = "traced"
"""Name of the mark that a run's trace has arrived. Sent again after a crash, its spans have the same ids."""
_STEPS = "operation_outputs"
"""The engine's table of finished steps."""
_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


@dataclass(frozen=True)
class TraceSender:
    """Sends the traces of ended runs."""

    endpoint: str
    """Empty: the variables of OpenTelemetry name it."""

    def send(self, ledger: SqlRunLedger, run_id: str) -> None:
        """Send the trace of a run, unless it has arrived before. A failure is an event of the run."""
        if ledger.has_mark(run_id, TRACED):
            return
        problem = self._try(ledger, run_id)
        if problem:
            ledger.put_event(run_id, "telemetry", Event("telemetry_failed", "note", "telemetry", problem))
        else:
            ledger.mark_once(run_id, TRACED)

    def _try(self, ledger: SqlRunLedger, run_id: str) -> str:
        if not _has_exporter():
            return "the extra `otel` is not installed: pip install 'reknit[otel]'"
        from reknit.adapters.otlp import send_trace  # late: it exists only with the extra

        reader = RunReader(ledger.engine)
        trace = build_trace(reader.run(run_id), reader.attempts(run_id), read_steps(ledger.engine, run_id))
        return "" if send_trace(trace, self.endpoint) else "the collector did not accept the trace"


def _has_exporter() -> bool:
    return importlib.util.find_spec("opentelemetry.sdk") is not None


def make_trace_sender(installation: Installation) -> TraceSender | None:
    """Return the sender, if the operator named a collector."""
    endpoint = load(None, {}, installation.environment).telemetry.endpoint
    is_named = endpoint or any(installation.environment.get(name) for name in _VARIABLES)
    return TraceSender(endpoint) if is_named else None


def read_steps(engine: sa.Engine, run_id: str) -> list[StepTime]:
    """Return the finished steps of a run, as the engine recorded them. Their results may be large: none is read."""
    schema = None if engine.dialect.name == "sqlite" else "dbos"
    if not sa.inspect(engine).has_table(_STEPS, schema=schema):
        return []
    names = ("workflow_uuid", "function_id", "function_name", "error", "started_at_epoch_ms", "completed_at_epoch_ms")
    c = sa.table(_STEPS, *map(sa.column, names), schema=schema).c
    has_failed, times = c.error.is_not(None), (c.started_at_epoch_ms / 1000.0, c.completed_at_epoch_ms / 1000.0)
    query = sa.select(c.function_id, c.function_name, *times, has_failed)
    is_finished = c.started_at_epoch_ms.is_not(None) & c.completed_at_epoch_ms.is_not(None)
    rows = RetryingTransactions(engine).read_rows(query.where(c.workflow_uuid == run_id, is_finished))
    return [StepTime(number, name, float(start), float(end), bool(failed)) for number, name, start, end, failed in rows]


def read_metrics(engine: sa.Engine) -> str:
    """Return the metrics of all runs, in the text format of Prometheus."""
    return render_metrics(StatsReader(engine, "", EVER, time.time()).read())


_RUN_ID = re.compile(r"\br-[0-9a-f]{4,32}\b")


def _find_run_id(message: str) -> str | None:
    match = _RUN_ID.search(message)
    return match[0] if match else None


class JsonFormatter(logging.Formatter):
    """Formats a record of the log as one line of JSON. `run`: the id of the run that it is about, if it names one."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        error = self.formatException(record.exc_info) if record.exc_info else None
        document = {
            "at": round(record.created, 3), "level": record.levelname, "logger": record.name,
            "run": _find_run_id(message), "message": message, "error": error,
        }  # fmt: skip
        return json.dumps({name: value for name, value in document.items() if value is not None})
