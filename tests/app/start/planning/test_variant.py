"""The plans-first gate: which plans let a variant run, with which limits; nothing is spent."""

from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import find_installation
from reknit.app.start.new_spec import RunPlan
from reknit.app.start.planning.variant import VariantRequest, plan_variant
from reknit.core.agent_reports.values import PlannedTask
from reknit.core.errors import UsageError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.plan_file.plan import digest
from reknit.core.review.task import ReviewChange
from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine
from tests.tools.plot import git
from tests.tools.variant_scene import DEPENDABOT, FILE, PLAN, write_plan

AGENTS: dict[str, Any] = {"scripted": {"story": "[]", "model": "sonnet-4"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return scene.make(tmp_path)


def plan(reknit: CommandLine, root: Path, name: str = "grey", file: str = "tidy", **flags: Any) -> RunPlan:
    confirmed = flags.pop("confirmed", False)
    usual = {**scene.TESTS, "fixer": "scripted", "agents": AGENTS, "challenger": {"enabled": False}}
    request = VariantRequest(name, file, confirmed)
    return plan_variant(find_installation(reknit.environment), root, request, {**usual, **flags})


def refused(reknit: CommandLine, root: Path, name: str = "grey", file: str = "tidy", **flags: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        plan(reknit, root, name, file, **flags)
    assert caught.value.exit_code == 2
    assert scene.states(reknit, root) == {}, "a refused plan leaves no issue behind"
    return caught.value


def test_an_ordinary_run_on_its_tasks_alone(reknit: CommandLine, root: Path) -> None:
    text = write_plan(root, reknit.environment)
    scene.take_in(reknit, root)
    made = plan(reknit, root)
    target = made.spec.task_as(FixIssues).variant
    assert made.spec.kind == "fix issues" and target
    assert (target.name, target.topic, target.plan, target.digest, target.text) == (
        *("grey", "tidy", FILE), digest(text), text,
    )  # fmt: skip
    assert target.criteria == tuple(each.text for each in PLAN.criteria)
    assert (target.grants, target.new_files) == ((DEPENDABOT,), ("CHANGELOG.md", DEPENDABOT))
    taken = {issue.id: issue for issue in scene.issues(reknit, root)}
    assert {taken[number].path for number in made.spec.task_as(FixIssues).issues} == {"CHANGELOG.md", DEPENDABOT}
    [waiver] = made.spec.waivers.allowed
    assert (waiver.name, waiver.origin) == (f"protected-config:{DEPENDABOT}", FILE)


@pytest.mark.parametrize("file", ["tidy", FILE, f"./{FILE}", "Tidy"])
def test_a_plan_by_its_topic_or_file(reknit: CommandLine, root: Path, file: str) -> None:
    write_plan(root, reknit.environment)
    assert plan(reknit, root, file=file).spec.task_as(FixIssues).variant


def limits(text: str) -> dict[str, Any]:
    return {"limits": parse_constraint(text, ("grey",))}


def is_acceptable(changes: dict[str, Any]) -> bool:
    return bool(changes.get("status", "current") == "current" and changes.get("grants", ()) != ("*.yml",))


@pytest.mark.parametrize(
    ("changes", "name", "what", "help_text"),
    [
        pytest.param({"status": "provisional"}, "grey", "is provisional", f"plan accept {FILE}`", id="provisional"),
        pytest.param({"status": "fallback"}, "grey", "is a fallback", "make another one", id="fallback"),
        pytest.param({}, "red", "does not name the variant red", "it names grey", id="another-variant"),
        pytest.param({}, "gray", "no variant 'gray'", "grey", id="no-variant"),
        pytest.param({"grants": ("*.yml",)}, "grey", "cannot be used", "exact path", id="pattern-as-grant"),
        pytest.param(
            {"tasks": (PlannedTask("Bump", "S", "", ("pyproject.toml",)),)}, "grey", "no task of", "`grants:`",
            id="no-grant",
        ),
        pytest.param(limits("deny_variants: grey"), "grey", "the variant is grey", "the limits", id="forbidden"),
        pytest.param(limits("deny_models: sonnet"), "grey", "scripted would run sonnet-4", "", id="model"),
        pytest.param(limits("branch: main"), "grey", "the branch is work", "", id="branch"),
        pytest.param(
            {"variant_recommendation": "world-breaker"}, "world-breaker", "--confirm-burn-everything", "", id="confirm"
        ),
        pytest.param({"variant_recommendation": "old-man"}, "old-man", "origin does not say", "", id="floor"),
    ],
)  # fmt: skip
def test_refused(
    reknit: CommandLine, root: Path, changes: dict[str, Any], name: str, what: str, help_text: str
) -> None:
    git(root, "checkout", "-q", "-b", "work")
    write_plan(root, reknit.environment if is_acceptable(changes) else None, **changes)
    problem = refused(reknit, root, name)
    assert what in problem.message
    assert help_text in problem.help


def test_a_plan_that_cannot_be_read_is_refused_with_its_lines(reknit: CommandLine, root: Path) -> None:
    text = write_plan(root, reknit.environment)
    (root / FILE).write_text(text.replace("status: current", "status: now").replace("- [M] ", "- "))
    problem = refused(reknit, root)
    assert "line 4: `status` is 'now'; line " in problem.message
    (root / FILE).write_bytes(text.encode().replace(b"Tidy", b"T\xffdy"))
    assert "is not UTF-8" in refused(reknit, root).message


def test_a_plan_that_nobody_could_read_is_not_read(reknit: CommandLine, root: Path) -> None:
    write_plan(root, context=500_000 * "x")
    assert "is longer than 500,000 characters" in refused(reknit, root).message


def test_a_plan_must_be_a_file_of_this_repository(reknit: CommandLine, root: Path, tmp_path: Path) -> None:
    assert "there is no plan" in refused(reknit, root).message
    assert "the name of the plan is empty" in refused(reknit, root, file=" ").message
    write_plan(root, reknit.environment)
    (root / FILE).rename(tmp_path / "plan.md")
    assert "is not in this repository" in refused(reknit, root, file="../plan.md").message
    (root / FILE).symlink_to(tmp_path / "plan.md")
    assert "is a symbolic link" in refused(reknit, root).message


def test_a_confirmed_world_breaker(reknit: CommandLine, root: Path) -> None:
    write_plan(root, reknit.environment, variant_recommendation="world-breaker")
    made = plan(reknit, root, "world-breaker", confirmed=True)
    variant = made.spec.task_as(FixIssues).variant
    assert variant and variant.strategy == "deep"


@pytest.mark.parametrize(
    ("changes", "flags", "budget", "timeout", "attempts"),
    [
        pytest.param({}, {}, 5.0, 2700.0, 2, id="the-variant-takes-less"),
        pytest.param({}, {"loop": {"budget_usd": 2.0, "attempts": 1}}, 2.0, 2700.0, 1, id="never-more-than-configured"),
        pytest.param(limits("max_usd: 1"), {}, 1.0, 2700.0, 2, id="the-plan-allows-less"),
        pytest.param({"cap": "~1 hour"}, {"loop": {"timeout_s": 9000.0}}, 5.0, 3600.0, 2, id="cap"),
    ],
)
def test_limits(
    reknit: CommandLine, root: Path, changes: dict[str, Any], flags: dict[str, Any], budget: float, timeout: float,
    attempts: int,
) -> None:  # fmt: skip
    write_plan(root, reknit.environment, **changes)
    found = plan(reknit, root, **flags).spec.limits
    assert (found.budget_usd, found.timeout_s, found.attempts) == (budget, timeout, attempts)


def test_a_variant_of_the_repository_with_an_agent_model_and_fewer_tasks(reknit: CommandLine, root: Path) -> None:
    (root / ".reknit/variants").mkdir(parents=True)
    own = (
        'purpose = "Small."\nagent = "other"\nmodel = "haiku-5"\ntasks = 1\nbudget_usd = 900\nfloors = ["clean tree"]\n'
    )
    (root / ".reknit/variants/small.toml").write_text(own)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "variant")
    write_plan(root, reknit.environment, variant_recommendation="small", **limits("deny_models: sonnet"))
    made = plan(reknit, root, "small", agents={**AGENTS, "other": {"kind": "scripted", "story": "[]"}}, fixer="")
    assert (made.spec.agent.name, made.spec.agent.model) == ("other", "haiku-5")
    assert made.spec.limits.budget_usd == 5.0
    assert len(made.spec.task_as(FixIssues).issues) == 1
    variant = made.spec.task_as(FixIssues).variant
    assert variant and variant.left_out == ("1 beyond the limit of tasks per run",)
    (root / "app/b1.py").write_text("changed\n")
    with pytest.raises(UsageError, match="it needs a clean tree, and 1 file changed"):
        plan(reknit, root, "small")


def test_blue_without_a_commit_to_read_names_no_option_that_a_variant_does_not_have(
    reknit: CommandLine, root: Path
) -> None:
    write_plan(root, reknit.environment, variant_recommendation="blue")
    problem = refused(reknit, root, "blue")
    assert (problem.name, "--" in problem.help) == ("nothing-to-review", False)
    assert "blue reads the commits of a branch" in problem.help


def test_blue_only_reports(reknit: CommandLine, root: Path) -> None:
    git(root, "checkout", "-q", "-b", "work")
    (root / "app/b1.py").write_text("changed\n")
    git(root, "commit", "-q", "-a", "-m", "work")
    git(root, "branch", "-q", "-f", "main", "HEAD~1")
    write_plan(root, reknit.environment, variant_recommendation="blue")
    made = plan(reknit, root, "blue", review={"agent": "scripted"})
    assert (made.spec.kind, made.spec.task_as(ReviewChange).report_only) == ("review", True)
    variant = made.spec.task_as(ReviewChange).variant
    assert variant and variant.name == "blue"
    write_plan(root, reknit.environment, variant_recommendation="blue", **limits("deny_models: sonnet"))
    with pytest.raises(UsageError, match="scripted would run sonnet-4"):
        plan(reknit, root, "blue", review={"agent": "scripted"})
