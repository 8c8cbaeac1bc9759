from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentCall, Done
from reknit.core.capability import StoredRun
from reknit.core.plan.decision import PlanResult
from reknit.core.plan.emission import build_plan_file
from reknit.core.plan.run_text import (
    SHOWN,
    explain_no_handover,
    plan_to_document,
    read_stored_plan,
    render_ending,
    render_heading,
    report_analysis,
    report_analysis_start,
    report_emission,
    report_validation,
    show_lines,
)
from reknit.core.plan.task import WritePlan
from reknit.core.planning.context import Inventory
from reknit.core.planning.rules import Validation
from reknit.core.planning.variants.variant import Variant
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.tools.plan_samples import (
    AGENT,
    BASE,
    CURRENT,
    NO_ANSWER,
    PROPOSAL,
    PROVISIONAL,
    REFUSED,
    REJECTED,
    SCORES,
    SOFT,
    TARGET,
    UNANSWERED,
)
from tests.tools.vote_samples import RUN

FILE = TARGET.file
SPEC = RunSpec("r-1", "/shop", BASE, TARGET, TestCommand("command", ("true",), "exit code"), (AGENT,))


TESTED = replace(TARGET, context=replace(TARGET.context, inventory=Inventory(tests=("pytest",))))


def stored(made: PlanResult, target: WritePlan = TESTED) -> StoredRun:
    plan = build_plan_file(target, made, BASE, AGENT, "r-1")
    run = replace(RUN, kind="plan", state="ended", ending="CLEAN", reason="it is current", ended_at=165.0)
    return StoredRun(run, documents={"plan": plan_to_document(target, plan, made)})


def test_what_it_may_cost_is_told_first() -> None:
    assert render_heading(SPEC) == [
        "r-1  plan tidy-up, as of 2026-11-17",
        "  claude proposes, read-only, at most $5.00; grey fits best by the rules (70 of 100)",
    ]
    nothing = replace(TARGET, scores=(replace(SCORES[0], score_0_100=0),))
    assert render_heading(replace(SPEC, task=nothing))[1].endswith("; no variant has a signal")
    forbidden = (replace(SCORES[0], disqualifying=("the operator forbids it",)), *SCORES[1:])
    assert "; professor fits best" in render_heading(replace(SPEC, task=replace(TARGET, scores=forbidden)))[1]
    assert render_heading(replace(SPEC, task=replace(TARGET, scores=forbidden[:1])))[1].endswith(
        "; no variant has a signal"
    )


def test_each_stage_is_told() -> None:
    assert report_analysis_start("claude").text == "claude reads the repository"
    assert report_analysis("claude", CURRENT.call).text == "claude proposes grey"
    second = AgentCall(Done(), report=PROPOSAL, refused_answers=REFUSED[:1])
    assert report_analysis("claude", second).text == "claude proposes grey, after one answer that was refused"
    assert report_analysis("claude", NO_ANSWER).text == "no plan by claude: answer 2: no call"


@pytest.mark.parametrize(
    ("made", "mark", "text"),
    [
        (CURRENT, "ok", "current: every rule holds"),
        (PROVISIONAL, "note", "provisional: 1 failure"),
        (REJECTED, "bad", "fallback: 2 failures"),
        (UNANSWERED, "bad", "there is no proposal to check"),
    ],
)
def test_how_the_rules_judged(made: PlanResult, mark: str, text: str) -> None:
    event = report_validation(made)
    assert (event.mark, event.text) == (mark, text)


def test_a_file_that_was_edited_is_not_called_written() -> None:
    plan = build_plan_file(TARGET, CURRENT, BASE, AGENT, "r-1")
    assert report_emission(plan, FILE, is_saved=True).text == FILE
    assert "not overwritten" in report_emission(plan, FILE, is_saved=False).text


@pytest.mark.parametrize(
    ("made", "lines"),
    [
        (CURRENT, [f"  plan    {FILE}"]),
        (
            PROVISIONAL,
            [
                f"  plan    {FILE}",
                "  rule    RuleConfidenceFloor: its confidence is 40",
                "  grant   .github/dependabot.yml is a test or configuration: add it to `grants` to allow it",
            ],
        ),
    ],
)
def test_the_ending_says_what_to_do_next(made: PlanResult, lines: list[str]) -> None:
    assert show_lines(stored(made), 0) == lines
    assert render_ending(stored(made), 0).splitlines()[-len(lines) :] == lines


def test_a_command_that_would_be_refused_is_not_suggested_without_saying_so() -> None:
    lines = show_lines(stored(CURRENT, TARGET), 0)
    needs = "none were found, and a variant that changes files needs some: in reknit.toml: [checks.tests]"
    assert lines[1].startswith(f"  tests   {needs}")
    burns = replace(TESTED, variants=(Variant("grey", "Burns.", floors=("confirmed",)),))
    command = f"reknit fix plan {FILE} --as grey --confirm-burn-everything"
    assert stored(CURRENT, burns).documents["plan"]["command"] == command
    reports = replace(TARGET, variants=(Variant("grey", "Reads.", flow="report"),))
    assert show_lines(stored(CURRENT, reports), 0) == show_lines(stored(CURRENT), 0)


def test_nothing_runs_on_a_fallback() -> None:
    assert len(show_lines(stored(UNANSWERED, TARGET), 0)) == len(show_lines(stored(UNANSWERED), 0))
    assert show_lines(stored(UNANSWERED), 0)[-1] == f"  read    {FILE}; no variant runs on it"


def test_a_run_without_a_plan_yet_shows_none() -> None:
    assert show_lines(StoredRun(RUN), 0) == []
    assert read_stored_plan(StoredRun(RUN)) == {"plan": None}
    assert read_stored_plan(stored(CURRENT))["plan"] == {
        "file": FILE,
        "status": "current",
        "variant_recommendation": "grey",
        "variant_alternate": None,
        "confidence": 78,
        "tasks": 1,
        "failed_stage": None,
        "errors": [],
        "needs_grant": [],
        "needs_tests": False,
        "command": f"reknit fix plan {FILE} --as grey",
    }


def test_a_plan_with_an_alternate_is_not_handed_over() -> None:
    assert explain_no_handover({"variant_alternate": None}) == ""
    assert explain_no_handover({"variant_alternate": "red"}) == (
        "not handed over: the plan names red too, so a person chooses"
    )


def test_of_many_problems_the_rest_is_counted() -> None:
    validation = Validation("provisional", (SOFT,) * (SHOWN + 2))
    lines = show_lines(stored(replace(PROVISIONAL, validation=validation)), 0)
    assert [line for line in lines if line.startswith("  rule")][-1] == "  rule    and 2 more, all of them in the file"
