"""The rules for a proposed plan: what each accepts and refuses, and the status that follows."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import PlannedTask, PlanProposal
from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Constraint, Intent
from reknit.core.planning.rules import (
    RULES,
    PlanFacts,
    RuleFailure,
    Validation,
    validate,
)
from reknit.core.planning.variants.variant import Variant

VARIANTS = (
    Variant("grey", "p"),
    Variant("professor", "p"),
    Variant("old-man", "p", floors=("off the default branch",)),
    Variant("world-breaker", "p", floors=("confirmed",)),
    Variant("costly", "p", agent="claude", model="claude-opus-4-5"),
)
NAMES = tuple(variant.name for variant in VARIANTS)
EXAMPLE = PlanProposal(
    primary="grey",
    primary_rationale="Repo has 4 docs flagged stale and 3 missing CHANGELOG entries; mechanical hygiene before feature"
    " work has highest near-term value.",
    alternate="professor",
    alternate_when="if the operator wants a strategic plan rather than a janitor pass first",
    tasks=(
        PlannedTask("Backfill CHANGELOG entries for the last 5 releases", "M", "M", ("CHANGELOG.md",)),
        PlannedTask("Refresh docs/STATE.md frontmatter", "S", "L", ("docs/STATE.md",)),
        PlannedTask("Scaffold .github/dependabot.yml", "S", "M", (), (".github/dependabot.yml",)),
    ),
    acceptance_criteria=(
        "file: docs/STATE.md contains status: current",
        "file: CHANGELOG.md contains v1.6",
        "file: .github/dependabot.yml exists",
    ),
    confidence_0_100=78,
)
"""The example of the mission's text, with typed files and criteria."""
FACTS = PlanFacts(
    context=RepoContext("2026-11-17", "main", "main"),
    intent=Intent("finish"),
    variants=VARIANTS,
    tracked=("docs/STATE.md", "CHANGELOG.md", "cmd/radioactive_ralph/run.go", "internal/supervisor/pool.go"),
)


def limited(*texts: str, **fields: bool) -> PlanFacts:
    limits = tuple(limit for text in texts for limit in parse_constraint(text, NAMES) if isinstance(limit, Constraint))
    assert len(limits) == len(texts)
    return replace(FACTS, intent=Intent("finish", constraints=limits, confirmed=fields.get("confirmed", False)))


def on_branch(branch: str) -> PlanFacts:
    return replace(FACTS, context=RepoContext("2026-11-17", branch, "main"))


def task(*files: str, new: tuple[str, ...] = ()) -> PlanProposal:
    return replace(EXAMPLE, tasks=(PlannedTask("Do", "S", "M", files, new),))


def test_the_example_of_the_mission_is_current() -> None:
    assert validate(EXAMPLE, FACTS) == Validation("current")


@pytest.mark.parametrize(
    ("proposal", "facts", "rule", "text"),
    [
        pytest.param(
            replace(EXAMPLE, primary="gray"), FACTS, "RuleVariantExists",
            "no variant is called “gray”; did you mean `grey`?", id="primary",
        ),
        pytest.param(
            replace(EXAMPLE, alternate="zzz"), FACTS, "RuleVariantExists", "no variant is called “zzz”", id="alternate"
        ),
        pytest.param(replace(EXAMPLE, primary=""), FACTS, "RuleVariantExists", "no variant is called “”", id="none"),
        pytest.param(
            replace(EXAMPLE, primary="GREY"), FACTS, "RuleVariantExists",
            "no variant is called “GREY”; did you mean `grey`?", id="another case",
        ),
        pytest.param(
            EXAMPLE, limited("deny_variants: grey"), "RuleVariantSafe",
            "grey may not be recommended: the operator forbids it: “deny_variants: grey”: the variant is grey",
            id="forbidden",
        ),
        pytest.param(
            EXAMPLE, limited("deny_variants: professor"), "RuleVariantSafe",
            "professor may not be recommended: the operator forbids it: “deny_variants: professor”: the variant is"
            " professor",
            id="a forbidden alternate",
        ),
        pytest.param(
            replace(EXAMPLE, primary="old-man"), FACTS, "RuleVariantSafe",
            "old-man may not be recommended: it must not run on the default branch main", id="old-man on main",
        ),
        pytest.param(
            replace(EXAMPLE, alternate="old-man"), FACTS, "RuleVariantSafe",
            "old-man may not be recommended: it must not run on the default branch main", id="alternate on main",
        ),
        pytest.param(
            replace(EXAMPLE, primary="world-breaker"), FACTS, "RuleVariantSafe",
            "world-breaker may not be recommended: it needs --confirm-burn-everything, which was not given",
            id="not confirmed",
        ),
        pytest.param(
            replace(EXAMPLE, primary="costly"), limited("deny_models: opus"), "RuleVariantSafe",
            "costly may not be recommended: the operator forbids it: “deny_models: opus”: claude would run"
            " claude-opus-4-5",
            id="a forbidden model",
        ),
    ],
)  # fmt: skip
def test_a_hard_failure_makes_a_fallback(proposal: PlanProposal, facts: PlanFacts, rule: str, text: str) -> None:
    assert validate(proposal, facts) == Validation("fallback", (RuleFailure(rule, True, text),))  # noqa: FBT003


@pytest.mark.parametrize(
    ("proposal", "facts", "rule", "text"),
    [
        pytest.param(
            replace(EXAMPLE, acceptance_criteria=("test: all", "improve quality")), FACTS, "RuleAcceptanceConcrete",
            "no program can check the criterion “improve quality”: a person checks it", id="prose",
        ),
        pytest.param(
            replace(EXAMPLE, acceptance_criteria=()), FACTS, "RuleAcceptanceConcrete",
            "there is no acceptance criterion", id="no criterion",
        ),
        pytest.param(replace(EXAMPLE, tasks=()), FACTS, "RuleTaskFilesExist", "there is no task", id="no task"),
        pytest.param(
            task("internal/fixit/scorer.go"), FACTS, "RuleTaskFilesExist",
            "the task “Do” names a file that is not there: internal/fixit/scorer.go", id="a file that is not there",
        ),
        pytest.param(
            task(), FACTS, "RuleTaskFilesExist",
            "the task “Do” names no file: add `- file: PATH` or `- new file: PATH` below it", id="no file",
        ),
        pytest.param(
            replace(EXAMPLE, confidence_0_100=49), FACTS, "RuleConfidenceFloor",
            "its confidence is 49, and at least 50 is needed", id="not confident",
        ),
        pytest.param(
            EXAMPLE, replace(FACTS, min_confidence_0_100=79), "RuleConfidenceFloor",
            "its confidence is 78, and at least 79 is needed", id="another minimum",
        ),
        pytest.param(
            EXAMPLE, limited("branch: develop"), "RuleConstraints", "“branch: develop”: the branch is main",
            id="another branch",
        ),
        pytest.param(
            EXAMPLE, replace(limited("deny_models: sonnet"), models=(("claude", "sonnet"),)), "RuleConstraints",
            "“deny_models: sonnet”: claude would run sonnet", id="a model of the configuration",
        ),
    ],
)  # fmt: skip
def test_a_soft_failure_makes_it_provisional(proposal: PlanProposal, facts: PlanFacts, rule: str, text: str) -> None:
    assert validate(proposal, facts) == Validation("provisional", (RuleFailure(rule, False, text),))  # noqa: FBT003


@pytest.mark.parametrize(
    ("proposal", "facts"),
    [
        pytest.param(replace(EXAMPLE, alternate=""), FACTS, id="no alternate"),
        pytest.param(replace(EXAMPLE, confidence_0_100=50), FACTS, id="just confident enough"),
        pytest.param(
            EXAMPLE, limited("branch: main", "max_usd: 5", "no force-push", "be careful"), id="limits that hold"
        ),
        pytest.param(replace(EXAMPLE, primary="old-man"), on_branch("topic"), id="old-man on another branch"),
        pytest.param(replace(EXAMPLE, primary="world-breaker"), limited(confirmed=True), id="confirmed"),
        pytest.param(replace(EXAMPLE, primary="costly"), limited("deny_models: sonnet"), id="another model"),
        pytest.param(task("cmd/radioactive_ralph/run.go", "internal/supervisor/pool.go"), FACTS, id="real files"),
        pytest.param(task(new=("docs/new.md",)), FACTS, id="a file that is created"),
    ],
)
def test_a_plan_without_failures_is_current(proposal: PlanProposal, facts: PlanFacts) -> None:
    assert validate(proposal, facts) == Validation("current")


def test_all_failures_are_collected_in_the_order_of_the_rules() -> None:
    worst = PlanProposal(
        "nobody",
        "",
        "old-man",
        "",
        (PlannedTask("Fix", "L", "", ("a/b.py",)), PlannedTask("Do", "L", "")),
        ("better", "nicer"),
        0,
    )
    found = validate(worst, limited("branch: develop"))
    assert found.status == "fallback"
    assert [failure.rule for failure in found.failures] == [
        "RuleVariantExists",
        "RuleVariantSafe",
        "RuleAcceptanceConcrete",
        "RuleAcceptanceConcrete",
        "RuleTaskFilesExist",
        "RuleTaskFilesExist",
        "RuleConfidenceFloor",
        "RuleConstraints",
    ]
    assert {failure.rule for failure in found.failures} == set(RULES)


def test_an_alternate_that_is_the_primary_is_refused_once() -> None:
    assert len(validate(replace(EXAMPLE, alternate="grey"), limited("deny_variants: grey")).failures) == 1
