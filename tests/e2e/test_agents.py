"""The contract of all agents with the real CLIs in the real box: what they do, see and report."""

import asyncio
from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review
from reknit.core.agents.call import Aborted, AgentOrder, Done
from reknit.core.agents.conversation import read_conversation
from reknit.core.agents.transcript import recognize_agent
from reknit.core.box import BoxView
from tests.e2e.conftest import Recorder
from tests.e2e.real_agents import (
    BROKEN,
    CANARY,
    FIXED,
    LOOK_FOR_THE_KEY,
    Cast,
    agent_of,
    play,
    processes_below,
)
from tests.tools.gateway_client import PaperClerk
from tests.tools.scripted_model import Request, ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

FINDING = {"category": "correctness", "severity": "blocking", "file": "calc.py", "line": 2, "issue": "it subtracts"}
VERDICT = {"verdict": "needs_work", "score": 40, "summary": "one bug"}
REVIEW = Review(
    "needs_work", 40, "one bug", (ReportedFinding("correctness", "blocking", "calc.py", 2, "it subtracts"),)
)
DONE: Turn = {"text": "Done."}
VENDOR_TOOLS = {"web_search", "web_search_20250305", "googleSearch", "urlContext", "codeExecution", "mcp"}


def test_it_edits_the_tree_and_never_sees_the_key(cast: Cast, view: BoxView, record: Recorder) -> None:
    Path(view.tree, "look.sh").write_text(LOOK_FOR_THE_KEY)
    turns = [*cast.edits(f"{view.repository}/calc.py"), cast.shell("sh look.sh"), {"text": "Fixed."}]
    played = play(cast, turns, view)
    call = record(cast.name, "it finished its work", played.call)
    assert (call.outcome, call.last_message, call.refusals, call.report) == (Done(), "Fixed.", (), None)
    assert Path(view.tree, "calc.py").read_text() == FIXED
    assert Path(view.repository, "calc.py").read_text() == BROKEN
    assert Path(view.tree, "hits").read_text() == "0\n"
    assert (call.usage.requests, call.usage.input_tokens, call.usage.output_tokens) == (4, 400, 80)
    assert call.usage.cost_usd == pytest.approx(played.accounting.sums[-1])
    assert call.usage.cost_usd > 0
    shown = {name: value for request in played.model.work for name, value in request.headers.items() if CANARY in value}
    assert list(shown.values()) in ([CANARY], [f"Bearer {CANARY}"])
    folder = Path(view.tree).parent
    held = [path for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert held == []
    transcript = (folder / "attempt-1/transcript.jsonl").read_bytes()
    assert recognize_agent(transcript) == cast.name
    talk = [(each.verb, each.text) for each in read_conversation(cast.name, transcript, repository=view.repository)]
    assert ("edits", "calc.py") in talk
    assert ("runs", "sh look.sh") in talk
    assert talk[-1] == ("", "Fixed.")


def test_a_review_comes_through_the_typed_channel(cast: Cast, view: BoxView, record: Recorder) -> None:
    turns = [
        cast.report("report_finding", **{**FINDING, "file": "/calc.py"}),
        cast.report("report_finding", **FINDING),
        cast.report("finish_review", **{**VERDICT, "verdict": "passed"}),
        cast.report("finish_review", **VERDICT),
        DONE,
    ]
    played = play(cast, turns, view, role="review")
    call = record(cast.name, "a reviewer reported, after its first report was refused", played.call)
    assert (call.outcome, call.report) == (Done(), REVIEW)
    assert "file: expected" in str(played.model.work[1].body)  # the exact field, told to the model
    assert "verdict: " in str(played.model.work[3].body)
    assert call.usage.requests == 5


def test_a_review_that_comes_late_counts(cast: Cast, view: BoxView, record: Recorder) -> None:
    turns = [DONE, cast.report("finish_review", **VERDICT), DONE]
    played = play(cast, turns, view, role="review")
    call = record(cast.name, "a reviewer reported when it was asked once more", played.call)
    assert call.outcome == Done()
    assert call.report == Review("needs_work", 40, "one bug")
    assert "finish_review was never called" in str(played.model.work[1].body)
    assert call.usage.requests == 3
    assert max(played.accounting.sums) <= 5.0
    assert played.accounting.sums[-1] == pytest.approx(call.usage.cost_usd)


def test_a_review_that_never_comes(cast: Cast, view: BoxView, record: Recorder) -> None:
    bad = cast.report("finish_review", verdict="fine", score=3, summary="x")
    call = record(
        cast.name, "a reviewer reported nothing valid, twice", play(cast, [bad, DONE, DONE], view, role="review").call
    )
    assert isinstance(call.outcome, Aborted)
    assert (call.outcome.why, call.outcome.detail) == ("invalid_output", "finish_review was never called")


def test_a_question_for_a_person(cast: Cast, view: BoxView, record: Recorder) -> None:
    asked = {"status": "question", "summary": "unclear", "question": "Which one?"}
    call = record(cast.name, "it asked a question", play(cast, [cast.report("finish_fix", **asked), DONE], view).call)
    assert call.outcome == Aborted("asked_a_question", "Which one?")
    assert call.report == FixReport("question", "unclear", "Which one?")


def test_a_reviewer_changes_nothing(cast: Cast, view: BoxView) -> None:
    turns = [*cast.edits(f"{view.repository}/calc.py"), cast.shell("touch x"), cast.report("finish_review", **VERDICT)]
    played = play(cast, [*turns, DONE], view, role="review")
    assert played.call.outcome == Done()
    assert sorted(path.name for path in Path(view.tree).iterdir()) == ["calc.py"]
    assert Path(view.tree, "calc.py").read_text() == BROKEN
    offered = {name for name in played.model.work[0].tools if "reknit" not in name}
    if cast.name != "codex":  # which reads by its shell: there the box alone keeps it from writing
        assert offered == cast.reads
    assert thinking(played.model.work[0]) in ("medium", 10_000)


def thinking(request: Request) -> object:
    """What the CLI asks of its model, in the vendor's words."""
    body = request.body
    if request.api == "gemini":
        return body["generationConfig"]["thinkingConfig"]["thinkingBudget"]
    return body["output_config" if request.api == "anthropic" else "reasoning"]["effort"]


@pytest.mark.parametrize("strategy", ["local", "search"])
def test_no_tool_is_run_by_the_vendor_unless_it_may_search(strategy: str, cast: Cast, view: BoxView) -> None:
    played = play(cast, [DONE], view, strategy="search" if strategy == "search" else "local")
    assert played.call.refusals == ()
    (request,) = played.model.work
    assert thinking(request) in ("high", 20_000)
    assert cast.writes <= set(request.tools)
    names = {"claude": "WebSearch", "gemini": "google_web_search", "codex": "web_search"}
    assert (names[cast.name] in request.tools) is (strategy == "search")
    if strategy == "local":
        assert not VENDOR_TOOLS & request.tool_types
        assert not {name for name in request.tools if "fetch" in name.lower() or "search" in name.lower()} - {
            "grep_search", "tool_search",
        }  # fmt: skip


def test_cancelling_leaves_no_process(cast: Cast, view: BoxView) -> None:
    order = AgentOrder("r", 1, "local", "Do it.", 60, 60, 5, 1.0, str(Path(view.tree).parent / "attempt-1"))
    folder = Path(view.tree).parent

    async def cancel_when_it_asked(model: ScriptedModel) -> None:
        agent = agent_of(cast, model.url)
        work = asyncio.create_task(agent.work(order, view, registry.make_box("bubblewrap"), PaperClerk()))
        assert await asyncio.to_thread(model.wait_for, 1)
        assert processes_below(folder)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert processes_below(folder) == []

    with ScriptedModel(turns=[{"hang": True}]) as model:
        asyncio.run(cancel_when_it_asked(model))


def test_facts_ask_no_model(cast: Cast) -> None:
    with ScriptedModel() as model:
        facts = agent_of(cast, model.url).read_facts()
    assert (facts.is_installed, facts.login, facts.detail) == (True, True, "")
    assert facts.version.count(".") == 2
    assert model.log == []
