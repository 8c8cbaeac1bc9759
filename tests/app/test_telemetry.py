"""Telemetry of real runs: a trace that is complete and arrives once, metrics, and a log for programs."""

import json
import logging
from pathlib import Path

from reknit.app.installation import Installation, find_installation
from reknit.app.run_ended import make_announcer
from reknit.app.telemetry import TRACED, JsonFormatter, make_trace_sender, read_metrics
from reknit.core.runs.ending import Ending
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.command_line import CommandLine, until
from tests.tools.otlp_receiver import receive_traces
from tests.tools.recorded_runs import open_ledger, spec


def test_a_run_of_the_demo_is_one_trace_with_every_step_and_attempt(reknit: CommandLine) -> None:
    with receive_traces() as receiver:
        reknit.configure(telemetry={"endpoint": receiver.url})
        answer = reknit.run("demo", "--format", "json")
    assert answer.exit_code == 0, answer.err
    spans = receiver.spans
    [root] = [span for span in spans if not span.parent_span_id]
    assert root.name == "invoke_workflow fix tests"
    assert {span.trace_id for span in spans} == {root.trace_id}
    assert {span.parent_span_id for span in spans} - {b""} == {root.span_id}
    assert len({span.span_id for span in spans}) == len(spans)
    names = [span.name for span in spans]
    assert names.count("invoke_agent scripted") == 3
    assert names.count("step attempt.v1") == 3
    assert {"step observe.v1", "step land.v1"} <= {*names}


def test_a_run_that_was_killed_and_resumed_is_one_whole_trace_and_one_message(
    reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "shown" / "go"
    gate.parent.mkdir()
    wait = ["sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.05; done"]
    mend = {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}
    with receive_traces() as receiver, receive_traces() as hook:
        settings = {"telemetry": {"endpoint": receiver.url}, "notify": {"webhook": f"{hook.url}/hook"}}
        hook.status = 404  # a message that is not delivered is not tried again either
        reknit.tell_story({"replace": mend, "run": wait}, workspace={"show": [str(gate.parent)]}, **settings)
        child = reknit.start("fix", "tests", "--format", "json", cwd=shop)
        run_id = until(child, "attempt")["run"]
        child.kill()
        child.communicate()
        gate.touch()
        answer = reknit.run("resume", run_id, "--format", "json", cwd=shop)
    assert (answer.exit_code, answer.ending["ending"]) == (0, "FIXED"), answer.err
    assert len([span for span in receiver.spans if not span.parent_span_id]) == 1
    assert len({span.span_id for span in receiver.spans}) == len(receiver.spans)
    assert {"step observe.v1", "step attempt.v1", "step land.v1"} <= {span.name for span in receiver.spans}
    [attempt] = [span for span in receiver.spans if span.name == "invoke_agent scripted"]
    assert {each.key: each.value.int_value for each in attempt.attributes}["reknit.starts"] == 2
    assert hook.paths == ["/hook"]


def _place(folder: Path, **variables: str) -> tuple[Installation, SqlRunLedger]:
    installation = find_installation({"REKNIT_STATE": str(folder), "HOME": str(folder), **variables})
    ledger = open_ledger(installation)
    ledger.create(spec("r-1"))
    ledger.end("r-1", Ending("FIXED", "all"))
    return installation, ledger


def test_telemetry_is_off_unless_an_operator_turns_it_on(tmp_path: Path) -> None:
    installation, _ = _place(tmp_path)
    assert make_trace_sender(installation) is None
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "REKNIT_TELEMETRY__ENDPOINT"):
        installation = find_installation({"REKNIT_STATE": str(tmp_path), name: "http://127.0.0.1:1"})
        assert make_trace_sender(installation) is not None


def test_a_trace_that_was_sent_again_after_a_crash_has_the_same_ids(tmp_path: Path) -> None:
    with receive_traces() as receiver:
        installation, ledger = _place(tmp_path, REKNIT_TELEMETRY__ENDPOINT=receiver.url)
        announce = make_announcer(installation, ledger)
        announce("r-1")
        announce("r-1")
        assert len(receiver.spans) == 1
        with ledger.engine.begin() as db:
            db.exec_driver_sql("DELETE FROM documents WHERE name = 'traced'")  # it was killed before it noted it
        announce("r-1")
    first, second = receiver.spans
    assert first == second


def test_a_collector_that_is_away_changes_nothing_and_is_told(tmp_path: Path) -> None:
    with receive_traces() as receiver:
        receiver.status = 400
        installation, ledger = _place(tmp_path, REKNIT_TELEMETRY__ENDPOINT=receiver.url)
        make_announcer(installation, ledger)("r-1")
    [view] = RunReader(ledger.engine).events("r-1")
    assert (view.event.kind, view.event.text) == ("telemetry_failed", "the collector did not accept the trace")
    assert (RunReader(ledger.engine).run("r-1").ending, ledger.has_mark("r-1", TRACED)) == ("FIXED", False)


def test_the_metrics_are_those_of_every_run(tmp_path: Path) -> None:
    installation, ledger = _place(tmp_path)
    ledger.charge("r-1", "attempt-1-1", 0.5, 0.25)
    text = read_metrics(open_store(installation.database))
    assert 'reknit_runs_total{ending="FIXED"} 1\n' in text
    assert "reknit_spent_usd_total 0.5\n" in text
    assert "reknit_reserved_usd 0.25\n" in text


def test_a_line_of_the_log_for_programs_names_its_run() -> None:
    formatter = JsonFormatter()
    record = logging.LogRecord("dbos", logging.ERROR, "", 1, "step of %s\nfailed", ("r-0a1b2c3d",), None)
    document = json.loads(formatter.format(record))
    assert (document["run"], document["message"]) == ("r-0a1b2c3d", "step of r-0a1b2c3d\nfailed")
    assert "\n" not in formatter.format(record)
    try:
        raise ValueError("broken")
    except ValueError as problem:
        error = (ValueError, problem, problem.__traceback__)
        record = logging.LogRecord("reknit", logging.ERROR, "", 1, "no run", (), error)
    document = json.loads(formatter.format(record))
    assert "run" not in document
    assert document["error"].endswith("ValueError: broken")
