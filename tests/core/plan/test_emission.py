from dataclasses import replace

from reknit.core.plan.decision import PlanResult
from reknit.core.plan.emission import build_plan_file
from reknit.core.plan.task import WritePlan
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile
from reknit.core.planning.plan_file.printing import print_plan
from tests.tools.plan_samples import (
    AGENT,
    BASE,
    CONTEXT,
    CURRENT,
    INTENT,
    PROPOSAL,
    PROVISIONAL,
    REJECTED,
    SCORES,
    TARGET,
    UNANSWERED,
)


def made_file(made: PlanResult, target: WritePlan = TARGET) -> PlanFile:
    plan = build_plan_file(target, made, BASE, AGENT, "RUN1")
    assert parse_plan(print_plan(plan)) == plan
    return plan


def test_a_current_plan_has_what_the_stages_gave() -> None:
    plan = made_file(CURRENT)
    assert (plan.status, plan.variant_recommendation, plan.variant_alternate) == ("current", "grey", "")
    assert (plan.topic, plan.as_of, plan.updated, plan.cap) == ("tidy-up", "2026-11-17", "2026-11-17", "~1 hour")
    assert (plan.limits, plan.constraints) == (INTENT.constraints[:1], ("be kind",))
    assert plan.grants == ()
    assert plan.tasks == PROPOSAL.tasks
    assert [each.text for each in plan.criteria] == [*PROPOSAL.acceptance_criteria]
    assert "Commit 1111111, branch main (the default branch), as of 2026-11-17 (UTC)." in plan.context
    assert "> Bring the docs\n> up to date" in plan.context
    assert "1 open pull request, 1 with red checks" in plan.context
    assert "`grey` is recommended: The CHANGELOG is missing." in plan.plan
    assert "- deny_models: opus: kept as a rule" in plan.plan
    assert "- be kind: checked by a person" in plan.plan
    assert "one read-only call of claude, model sonnet; 1 answer" in plan.methodology


def test_a_provisional_plan_says_what_did_not_hold_and_how_to_accept_it() -> None:
    proposal = replace(PROPOSAL, alternate="professor", alternate_when="if the goal is strategic")
    made = replace(PROVISIONAL, call=replace(PROVISIONAL.call, report=proposal))
    plan = made_file(made)
    assert (plan.status, plan.variant_alternate) == ("provisional", "professor")
    assert "`reknit plan accept`" in plan.plan
    assert "- RuleConfidenceFloor: its confidence is 40" in plan.plan
    assert "`professor` instead: if the goal is strategic" in plan.plan
    assert "- .github/dependabot.yml" in plan.plan


def test_a_fallback_recommends_no_variant_of_the_proposal() -> None:
    plan = made_file(REJECTED)
    assert (plan.status, plan.variant_recommendation, plan.tasks, plan.criteria) == ("fallback", "grey", (), ())
    assert "the stage validation failed" in plan.plan
    assert "not known to reknit" in plan.plan
    configured = replace(TARGET, context=replace(CONTEXT, is_configured=True))
    assert made_file(REJECTED, configured).variant_recommendation == "blue"


def test_a_fallback_recommends_nothing_that_the_operator_forbids_if_another_is_safe() -> None:
    forbidden = replace(SCORES[0], disqualifying=("the operator forbids it",))
    plan = build_plan_file(replace(TARGET, scores=(forbidden, *SCORES[1:])), REJECTED, BASE, AGENT, "r-1")
    assert plan.variant_recommendation == "blue"
    assert "safe start in this repository is `blue`, because `grey` may not be recommended: the oper" in plan.plan
    both = (forbidden, replace(SCORES[2], disqualifying=("it is forbidden too",)))
    neither = build_plan_file(replace(TARGET, scores=both), REJECTED, BASE, AGENT, "r-1")
    assert "No variant is a safe start in this repository: not even `grey`: the operator forbids it." in neither.plan
    assert neither.variant_recommendation == "grey"


def test_a_fallback_has_both_raw_answers() -> None:
    plan = made_file(UNANSWERED)
    assert (plan.status, plan.confidence_0_100) == ("fallback", 0)
    assert "the stage analysis failed" in plan.plan
    assert "Answer 1 was refused: confidence: expected less" in plan.methodology
    assert '      "confidence": 200' in plan.methodology
    assert "    Sure!" in plan.methodology
    assert "nothing to judge, so the status is fallback" in plan.methodology


def test_what_was_not_explored_is_said() -> None:
    context = replace(CONTEXT, branch="", has_forge_login=False, forge_problem="no login", docs_stale=())
    plan = made_file(CURRENT, replace(TARGET, context=context, intent=replace(INTENT, description="", constraints=())))
    assert "no branch, as of" in plan.context
    assert "- the forge was not read: no login" in plan.context
    assert "No description was given." in plan.context
    assert "limits" not in plan.plan
    assert plan.cap == "no cap"


def test_a_choice_against_the_scores_is_a_tradeoff() -> None:
    made = replace(CURRENT, call=replace(CURRENT.call, report=replace(PROPOSAL, primary="professor")))
    assert "By the rules `grey` fits better (70 to 20)." in made_file(made).tradeoffs
    assert "fits better" not in made_file(CURRENT).tradeoffs


def test_a_person_who_was_asked_is_told_of() -> None:
    asked = replace(TARGET, intent=replace(INTENT, answers=(("What's the goal?", "tidy"),)))
    assert "three questions were asked" in made_file(CURRENT, asked).methodology
    assert "nobody was asked" in made_file(CURRENT).methodology
