"""Every way a call can end, with the real CLIs in the real box: one typed outcome each, whatever the CLI says."""

import time
from pathlib import Path

import pytest

from reknit.core.agents.call import Aborted, Done, RateLimited, Unusable
from reknit.core.box import BoxView
from tests.e2e.conftest import Recorder
from tests.e2e.real_agents import FIXED, KILL_THE_CLI, Cast, play
from tests.tools.scripted_model import Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_rate_limit_comes_back_at_once_with_its_time(cast: Cast, view: BoxView, record: Recorder) -> None:
    before = time.time()
    played = play(cast, [{"status": 429, "headers": {"retry-after": "900"}, "repeat": True}], view)
    call = record(cast.name, "HTTP 429 with a time", played.call)
    assert isinstance(call.outcome, RateLimited)
    assert call.outcome.why == "rate_limited"
    assert call.outcome.until is not None
    assert before + 900 <= call.outcome.until <= time.time() + 900
    assert len(played.model.work) == 1
    assert [limit.status for _, limit in played.accounting.limits] == [429]


@pytest.mark.parametrize("status", [500, 529])
def test_an_overload_comes_back_at_once(status: int, cast: Cast, view: BoxView, record: Recorder) -> None:
    played = play(cast, [{"status": status, "repeat": True}], view)
    assert record(cast.name, f"HTTP {status}", played.call).outcome == RateLimited("overloaded")
    assert len(played.model.work) == 1


def test_an_overload_inside_the_stream(cast: Cast, view: BoxView, record: Recorder) -> None:
    kinds = {"claude": "overloaded_error", "gemini": "UNAVAILABLE", "codex": "server_is_overloaded"}
    played = play(cast, [{"sse_error": kinds[cast.name]}, {"status": 529, "repeat": True}], view)
    assert record(cast.name, "overloaded inside the stream", played.call).outcome == RateLimited("overloaded")


def test_a_stream_that_is_cut_is_not_taken_for_the_end(cast: Cast, view: BoxView, record: Recorder) -> None:
    turns = [{"text": "half of it", "drop": True}, *cast.edits(f"{view.repository}/calc.py"), {"text": "Fixed."}]
    call = record(cast.name, "a stream that is cut once", play(cast, turns, view).call)
    if cast.name == "claude":  # it alone asks again
        assert call.outcome == Done()
        assert Path(view.tree, "calc.py").read_text() == FIXED
        return
    assert call.outcome == RateLimited("unreachable")


def test_a_stream_that_is_always_cut(cast: Cast, view: BoxView, record: Recorder) -> None:
    played = play(cast, [{"text": "half", "drop": True, "repeat": True}], view)
    assert record(cast.name, "every stream is cut", played.call).outcome == RateLimited("unreachable")


def test_a_key_that_is_not_accepted(cast: Cast, view: BoxView, record: Recorder) -> None:
    told: Turn = {"status": 401}
    if cast.name == "gemini":  # it says so in a detail of a bad request
        told = {"status": 400, "details": [{"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}]}
    call = record(cast.name, "a key it does not know", play(cast, [{**told, "repeat": True}], view).call)
    assert isinstance(call.outcome, Unusable)
    assert call.outcome.why == "auth"


def test_a_request_the_provider_does_not_take(cast: Cast, view: BoxView, record: Recorder) -> None:
    call = record(
        cast.name, "HTTP 400", play(cast, [{"status": 400, "error": "no such field", "repeat": True}], view).call
    )
    assert isinstance(call.outcome, Unusable)
    assert call.outcome.why == "bad_request"
    assert "no such field" in call.outcome.detail


def test_nobody_answers(cast: Cast, view: BoxView, record: Recorder) -> None:
    call = record(cast.name, "the address gives no answer", play(cast, [], view, gone=True).call)
    assert call.outcome == RateLimited("unreachable")


def test_silence_ends_it(cast: Cast, view: BoxView, record: Recorder) -> None:
    played = play(cast, [{"hang": True}], view, idle_s=5.0)
    assert record(cast.name, "the model never answers: silence", played.call).outcome == Aborted("idle")


def test_time_ends_it(cast: Cast, view: BoxView, record: Recorder) -> None:
    played = play(cast, [{"hang": True}], view, wall_s=4.0)
    assert record(cast.name, "the model never answers: time", played.call).outcome == Aborted("timeout")


def test_a_killed_cli_is_a_crash_and_what_it_used_is_counted(cast: Cast, view: BoxView, record: Recorder) -> None:
    Path(view.tree, "kill.sh").write_text(KILL_THE_CLI)
    turns = [*cast.edits(f"{view.repository}/calc.py"), cast.shell("sh kill.sh"), {"text": "Fixed."}]
    call = record(cast.name, "the CLI is killed (SIGKILL)", play(cast, turns, view).call)
    assert isinstance(call.outcome, Aborted)
    assert call.outcome.why == "crashed"
    assert (call.usage.input_tokens, call.usage.requests) == (300, 3)
    assert Path(view.tree, "calc.py").read_text() == FIXED


def test_the_turns_run_out(cast: Cast, view: BoxView, record: Recorder) -> None:
    if cast.name == "codex":
        return  # it has no such limit: time, money and the gateway's number of requests bound it
    call = record(
        cast.name, "the turns run out", play(cast, [{**cast.shell("true"), "repeat": True}], view, allowed_turns=2).call
    )
    assert call.outcome == Aborted("turn_limit")
    assert call.usage.requests > 0


def test_the_model_refuses(cast: Cast, view: BoxView, record: Recorder) -> None:
    call = record(cast.name, "the model refuses", play(cast, [{"refusal": "I will not.", "repeat": True}], view).call)
    assert isinstance(call.outcome, Aborted)
    assert call.outcome.why == "refused"


def test_the_money_runs_out_and_never_more_than_there_was(cast: Cast, view: BoxView, record: Recorder) -> None:
    used = {"usage": {"input": 20_000, "output": 8_000}}  # $0.06 each
    turns = [{**cast.shell(f"echo {number}"), **used} for number in range(20)]
    played = play(cast, turns, view, allowed_turns=50, budget_usd=0.5)
    call = record(cast.name, "the money runs out", played.call)
    assert isinstance(call.outcome, Aborted)
    assert call.outcome.why == "budget"
    assert 0.25 < call.usage.cost_usd <= 0.5
    assert max(played.accounting.sums) <= 0.5
