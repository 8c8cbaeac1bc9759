"""The trace of a run is made of its record alone: the same record gives the same trace, whatever crashed."""

from dataclasses import replace

from reknit.core.telemetry.trace import Span, StepTime, build_trace
from tests.core.test_run_text import ATTEMPT, RUN

STEPS = [StepTime(2, "finish.v1", 130.0, 131.5), StepTime(1, "observe.v1", 100.0, 101.0, has_failed=True)]
MADE = replace(
    ATTEMPT, number=1, agent="claude", started_at=110.0, ended_at=120.0, outcome="done", tokens=7, cost_usd=0.5
)


def test_a_run_has_one_span_with_its_steps_and_attempts_below_it() -> None:
    trace = build_trace(RUN, [MADE], STEPS)
    root, *children = trace.spans
    assert (root.parent_id, root.start_ns, root.end_ns) == (None, 100_000_000_000, 142_000_000_000)
    assert [span.name for span in children] == ["step observe.v1", "invoke_agent claude", "step finish.v1"]
    assert {span.parent_id for span in children} == {root.span_id}
    assert len({span.span_id for span in trace.spans}) == 4
    assert [span.has_failed for span in trace.spans] == [False, True, False, False]
    attempt = children[1]
    assert attempt.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert (attempt.attributes["gen_ai.agent.name"], attempt.attributes["reknit.tokens"]) == ("claude", 7)


def test_the_same_record_has_the_same_ids_and_another_run_has_others() -> None:
    one = build_trace(RUN, [MADE], STEPS)
    assert one == build_trace(RUN, [MADE], STEPS)
    other = build_trace(replace(RUN, id="r-other"), [MADE], STEPS)
    assert one.trace_id != other.trace_id
    assert not {span.span_id for span in one.spans} & {span.span_id for span in other.spans}
    assert 0 < one.trace_id < 1 << 128
    assert all(0 < span.span_id < 1 << 64 for span in one.spans)


def test_what_has_no_end_ends_with_the_run_and_nothing_ends_before_it_starts() -> None:
    cut_off = replace(MADE, ended_at=None, outcome=None, tokens=None, cost_usd=None, agent="")
    spans = build_trace(
        RUN, [cut_off, replace(cut_off, number=2, started_at=150.0)], [StepTime(1, "a", 5.0, 4.0)]
    ).spans
    by_start: list[Span] = sorted(spans, key=lambda span: span.start_ns)
    assert [(span.start_ns // 10**9, span.end_ns // 10**9) for span in by_start] == [
        (5, 5), (100, 142), (110, 142), (150, 150),
    ]  # fmt: skip
    open_run = build_trace(replace(RUN, ending=None, ended_at=None), [], []).spans[0]
    assert (open_run.end_ns, open_run.attributes["reknit.ending"]) == (open_run.start_ns, "open")


def test_a_run_that_failed_is_marked() -> None:
    assert build_trace(replace(RUN, ending="FAILED"), [], []).spans[0].has_failed


def test_nothing_that_an_agent_or_a_repository_wrote_is_in_it() -> None:
    hostile = replace(
        MADE, subject="SECRET", finding="SECRET", said="SECRET", gate={"SECRET": 1}, proof={"a": "SECRET"}
    )
    trace = build_trace(replace(RUN, reason="SECRET", repository="/SECRET", detail={"a": "SECRET"}), [hostile], [])
    assert "SECRET" not in repr(trace)
