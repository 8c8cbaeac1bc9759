"""The rules for a proposed plan: what each accepts and refuses, and the status that follows."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import PlannedTask, PlanProposal
from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.context import RepoContext
from reknit.core.planning.intent import Constraint, Intent
from reknit.core.planning.validation.rules import (
    RULES,
    PlanFacts,
    RuleFailure,
    Validation,
    explain_not_concrete,
    find_vague_word,
    is_measurable,
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
        PlannedTask("Backfill CHANGELOG entries for the last 5 releases", "M", "M"),
        PlannedTask("Refresh docs/STATE.md frontmatter", "S", "L"),
        PlannedTask("Scaffold .github/dependabot.yml", "S", "M"),
    ),
    acceptance_criteria=(
        "All docs have status: current frontmatter",
        "CHANGELOG.md has entries for v1.2 through v1.6",
        "dependabot opens at least one PR within 24h",
    ),
    confidence_0_100=78,
)
"""The example of the mission's text."""
FACTS = PlanFacts(
    context=RepoContext("2026-11-17", "main", "main"),
    intent=Intent("finish"),
    variants=VARIANTS,
    tracked=("docs/STATE.md", "CHANGELOG.md", "cmd/radioactive_ralph/run.go", "internal/supervisor/pool.go"),
)


def limited(*texts: str, **fields: bool) -> PlanFacts:
    limits: tuple[Constraint, ...] = tuple(parse_constraint(text, NAMES) for text in texts)
    return replace(FACTS, intent=Intent("finish", constraints=limits, confirmed=fields.get("confirmed", False)))


def on_branch(branch: str) -> PlanFacts:
    return replace(FACTS, context=RepoContext("2026-11-17", branch, "main"))


def task(title: str) -> PlanProposal:
    return replace(EXAMPLE, tasks=(PlannedTask(title, "S", "M"),))


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
            EXAMPLE, limited("no grey"), "RuleVariantSafe",
            "grey may not be recommended: the operator forbids it: “no grey”: the variant is grey", id="forbidden",
        ),
        pytest.param(
            EXAMPLE, limited("forbid professor"), "RuleVariantSafe",
            "professor may not be recommended: the operator forbids it: “forbid professor”: the variant is professor",
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
            replace(EXAMPLE, primary="costly"), limited("no opus"), "RuleVariantSafe",
            "costly may not be recommended: the operator forbids it: “no opus”: claude would run claude-opus-4-5",
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
            replace(EXAMPLE, acceptance_criteria=("All docs have a title", "improve quality")), FACTS,
            "RuleAcceptanceConcrete",
            "the criterion “improve quality” is not concrete: “improve” cannot be measured", id="a vague verb",
        ),
        pytest.param(
            replace(EXAMPLE, acceptance_criteria=("it works",)), FACTS, "RuleAcceptanceConcrete",
            "the criterion “it works” is not concrete: nothing in it can be measured: no passes, exists, matches, at"
            " least, number …", id="nothing to measure",
        ),
        pytest.param(
            replace(EXAMPLE, acceptance_criteria=()), FACTS, "RuleAcceptanceConcrete",
            "there is no acceptance criterion", id="no criterion",
        ),
        pytest.param(replace(EXAMPLE, tasks=()), FACTS, "RuleTaskFilesExist", "there is no task", id="no task"),
        pytest.param(
            task("Fix internal/fixit/scorer.go"), FACTS, "RuleTaskFilesExist",
            "the task “Fix internal/fixit/scorer.go” names internal/fixit/scorer.go, which is not in the repository",
            id="a file that is not there",
        ),
        pytest.param(
            task("Add ../x.py"), FACTS, "RuleTaskFilesExist",
            "the task “Add ../x.py” names ../x.py, which is not in the repository", id="outside",
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
            EXAMPLE, limited("only on develop"), "RuleConstraints", "“only on develop”: the branch is main",
            id="another branch",
        ),
        pytest.param(
            EXAMPLE, replace(limited("no sonnet"), models=(("claude", "sonnet"),)), "RuleConstraints",
            "“no sonnet”: claude would run sonnet", id="a model of the configuration",
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
            EXAMPLE, limited("main only", "stay under $5", "no force-push", "be careful"), id="limits that hold"
        ),
        pytest.param(replace(EXAMPLE, primary="old-man"), on_branch("topic"), id="old-man on another branch"),
        pytest.param(replace(EXAMPLE, primary="world-breaker"), limited(confirmed=True), id="confirmed"),
        pytest.param(replace(EXAMPLE, primary="costly"), limited("no sonnet"), id="another model is forbidden"),
        pytest.param(task("Let cmd/radioactive_ralph/run.go use internal/supervisor/"), FACTS, id="real files"),
        pytest.param(task("Release v1.6.0, e.g. on Node.js"), FACTS, id="no files"),
        pytest.param(task("Add docs/new.md"), FACTS, id="a file that is created"),
    ],
)
def test_a_plan_without_failures_is_current(proposal: PlanProposal, facts: PlanFacts) -> None:
    assert validate(proposal, facts) == Validation("current")


def test_all_failures_are_collected_in_the_order_of_the_rules() -> None:
    worst = PlanProposal(
        "nobody", "", "old-man", "", (PlannedTask("Fix a/b.py and c.py", "L", ""),), ("better", "nicer"), 0
    )
    found = validate(worst, limited("only on develop"))
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
    assert len(validate(replace(EXAMPLE, alternate="grey"), limited("no grey")).failures) == 1


EXAMPLES = (
    "All docs have status: current frontmatter",
    "CHANGELOG.md has entries for v1.2 through v1.6",
    "dependabot opens at least one PR within 24h",
    "tests/integration/ session-pool-spawn test passes",
    "advisor stage 4 calls real claude subprocess",
)


@pytest.mark.parametrize(
    "criterion",
    [
        *EXAMPLES,
        "`make lint` passes",
        "All tests pass",
        "README.md exists",
        "docs/old.md does not exist",
        "Output matches `^ok$`",
        "coverage ≥ 90 %",
        "latency ≤ 200 ms",
        "coverage >= ninety percent",
        "open findings <= two",
        "config.toml contains `strict = true`",
        "The exit status equals zero",
        "`reknit doctor` returns zero",
        "`make check` exits cleanly",
        "`cat a` prints `b`",
        "the page HAS a title",
        "Every module has a docstring",
        "At Least one reviewer approves",
        "at  most one retry happens",
        "The job ends within a day",
        "3 issues are closed",
        "response time is under 5 seconds",
        "two pull requests are merged in 24h",
        "exit code is 0",
        "tests/address.py passes",
        "tests/test_address_book.py passes",
        "src/improve.py exists",
        "the `improves` flag has a test",
        "`grep considers README.md` exits with 1",
        "The ADDRESS has a port",
        "the street      \t address exists",
        "each address matches the pattern",
        "every IP address has a name",
        "e-mail addresses match the pattern",
        "reconsidering is not in README.md, which exists",
        "A criterion (see README) exists",
        "“status: current” exists in STATE.md",
        "self-improving.md exists",
        "build passes.",
        "passes: build",
    ],
)
def test_a_concrete_criterion_is_accepted(criterion: str) -> None:
    assert explain_not_concrete(criterion) == ""


@pytest.mark.parametrize(
    ("criterion", "vague"),
    [
        ("improve quality", "improve"),
        ("Improves quality", "improves"),
        ("The code improves", "improves"),
        ("Code quality is improved by 10 %", "improved"),
        ("Improving coverage to at least 90 %", "improving"),
        ("IMPROVES the score to >= 5", "improves"),
        ("Considers all 3 cases", "considers"),
        ("we consider the edge cases and all tests pass", "consider"),
        ("Having considered it, README.md exists", "considered"),
        ("considering that it passes", "considering"),
        ("Addresses the 4 findings", "addresses"),
        ("All 5 review comments are addressed", "addressed"),
        ("address every finding within a day", "address"),
        ("tests pass, addressing #12", "addressing"),
        ("The change addresses 2 issues", "addresses"),
        ("every finding is addressed and CI passes", "addressed"),
        ("the addressed findings have tests", "addressed"),
        ("it passes (improves)", "improves"),
        ("each improves its score by 3", "improves"),
        ("`x` passes and improves", "improves"),
        ("", ""),
        ("   ", ""),
        ("quality", ""),
        ("Code is better", ""),
        ("docs are up to date", ""),
        ("everything works", ""),
        ("the bypass is closed", ""),
        ("the docs get a pass", ""),
        ("surpasses expectations", ""),
        ("hashes are stable", ""),
        ("behave well", ""),
        ("the exist-check is gone", ""),
        ("a least-cost plan", ""),
        ("atleast", ""),
        ("withing", ""),
        ("mentions v1.2", ""),
        ("fixes #12", ""),
        ("python3 is supported", ""),
        ("works on utf-8", ""),
        ("`make lint`", ""),
        ("`x has 3`", ""),
        ("src/pass/has.py", ""),
        ("radioactive_ralph run –variant green actually backgrounds via tmux", ""),
    ],
)
def test_a_vague_criterion_is_refused(criterion: str, vague: str) -> None:
    assert find_vague_word(criterion) == vague
    why = explain_not_concrete(criterion)
    assert why == (f"“{vague}” cannot be measured" if vague else why)
    assert why
    assert vague or not is_measurable(criterion)
