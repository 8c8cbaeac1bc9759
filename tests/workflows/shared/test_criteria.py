"""Acceptance criteria at the end of a run: how each kind is checked, and what becomes of the plan."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.checks.criteria import CRITERIA_DOCUMENT, CheckedCriterion
from reknit.core.checks.status import TestsResult
from reknit.core.errors import InternalError
from reknit.core.finding import Finding
from reknit.core.fix_issues.task import FixIssues
from reknit.core.planning.plan_file.plan import PlannedCriterion
from reknit.core.planning.targets import VariantTarget
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared import criteria
from reknit.workflows.shared.criteria import check, explain_failed_criteria, write
from tests.tools.plot import git
from tests.tools.sample_tasks import FIX_ISSUES
from tests.tools.step_services import step_services
from tests.tools.variant_scene import FILE, plan_text, write_plan

Scene = tuple[Services, RunSpec]
CRITERION = "file: README.md exists"
BLUE = ReviewChange("", "", (), report_only=True)


@pytest.fixture
def scene(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_plan(shop, criteria=(PlannedCriterion(CRITERION),))
    with step_services(tmp_path, shop) as (services, spec):
        yield services, with_criteria(spec, CRITERION)


def with_criteria(spec: RunSpec, *texts: str, task: FixIssues | ReviewChange = FIX_ISSUES) -> RunSpec:
    return replace(spec, task=replace(task, variant=VariantTarget("grey", "tidy", FILE, "", "", texts)))


def checked(scene: Scene, text: str, task: FixIssues | ReviewChange = FIX_ISSUES) -> tuple[str, str]:
    found = asyncio.run(check(scene[0], with_criteria(scene[1], text, task=task), scene[1].base, 0))
    assert found.text == text
    return found.state, found.observation


@pytest.mark.parametrize(
    ("text", "state", "said"),
    [
        pytest.param("file: shop/pricing.py exists", "passed", "seen in: shop/pricing.py", id="file"),
        pytest.param("file: CHANGELOG.md exists", "failed", "not there: CHANGELOG.md", id="no-file"),
        pytest.param("run: test -f shop/pricing.py", "passed", "exit code 0", id="command"),
        pytest.param("run: touch left && test ! -e shop", "failed", "exit code 1", id="exit-code"),
        pytest.param("run: test ! -e left", "passed", "exit code 0", id="a-tree-of-its-own"),
        pytest.param(
            "run: no-such-thing", "unverified", "the command could not start (exit code 127)", id="no-program"
        ),
        pytest.param("test: all", "failed", "1 test failed: ", id="tests"),
        pytest.param("The docs are nice", "unverified", "a person checks it", id="nothing-to-check"),
        pytest.param(
            "file: shop/pricing.py matches (a*)*b(c+)+$",
            "failed",
            "shop/pricing.py: nothing in it matches",
            id="pattern",
        ),
    ],
)
def test_each_kind(scene: Scene, text: str, state: str, said: str) -> None:
    found = checked(scene, text)
    assert found[0] == state, found
    assert found[1].startswith(said)


def test_a_failed_set_up_says_nothing_about_the_work(scene: Scene) -> None:
    services, spec = scene
    broken = replace(spec, workspace=replace(spec.workspace, setup="exit 3"))
    state, said = checked((services, broken), "run: true")
    assert (state, said) == ("unverified", "workspace.setup failed (exit, exit code 3)")


def test_where_the_environment_is_broken_only_files_are_looked_at(scene: Scene) -> None:
    services, spec = scene
    both = with_criteria(spec, "run: true", "file: shop/pricing.py exists")
    found = [asyncio.run(check(services, both, spec.base, number, "no Postgres")) for number in (0, 1)]
    assert [(each.state, each.observation) for each in found] == [
        ("unverified", "no Postgres"), ("passed", "seen in: shop/pricing.py"),
    ]  # fmt: skip


def test_the_text_behind_a_link_is_not_known(scene: Scene, shop: Path) -> None:
    services, spec = scene
    (shop / "NOTES.md").symlink_to("shop/pricing.py")
    git(shop, "add", "NOTES.md")
    git(shop, "commit", "-q", "-m", "link")
    at = replace(spec, base=git(shop, "rev-parse", "HEAD").strip())
    assert checked((services, at), "file: NOTES.md lacks price") == (
        "unverified",
        "not read, because it is a link: NOTES.md",
    )
    assert checked((services, at), "file: NOTES.md exists")[0] == "passed"


def test_a_run_that_only_reports_runs_no_tests(scene: Scene) -> None:
    assert checked(scene, "test: all", BLUE)[0] == "unverified"


def test_a_run_that_only_reports_runs_no_command_without_a_sandbox(scene: Scene, tmp_path: Path) -> None:
    services, spec = scene
    on_host = (services, replace(spec, box="host"))
    assert checked(on_host, f"run: touch {tmp_path}/made", BLUE)[0] == "unverified"
    assert not (tmp_path / "made").exists()


def test_a_huge_file_is_not_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(criteria, "MAX_FILE_CHARS", 3)
    assert checked(scene, "file: shop/pricing.py lacks x") == (
        "unverified", "not read, because it has more than 3 characters: shop/pricing.py"
    )  # fmt: skip
    assert checked(scene, "file: shop/pricing.py exists")[0] == "passed"


def test_what_fails_right_after_a_task_is_named(scene: Scene) -> None:
    services, spec = scene
    texts = ("file: a.md exists", "file: shop/pricing.py exists", "test: all", "run: false", "it is better")
    red = TestsResult("fail", (Finding("T-1", "tests", "red", "t.py::test_a"),))
    why = asyncio.run(explain_failed_criteria(services, with_criteria(spec, *texts), spec.base, range(5), red))
    assert why == (
        "the plan asks after this task: file: a.md exists (not there: a.md); test: all (1 test failed: t.py::test_a)"
    )
    assert not asyncio.run(explain_failed_criteria(services, with_criteria(spec, *texts), spec.base, (1, 3, 4), red))


def test_results_are_written_once_however_often_the_step_runs(scene: Scene, shop: Path) -> None:
    services, spec = scene
    before = plan_text(shop)
    results = (CheckedCriterion(CRITERION, "failed", "not there: README.md"),)
    for _ in range(2):
        asyncio.run(write(services, spec, results))
    expected = before.replace(CRITERION, f"{CRITERION}\n  - failed: not there: README.md")
    assert plan_text(shop) == expected
    saved = json.loads(services.ledger.document(spec.run_id, CRITERIA_DOCUMENT))
    assert saved["criteria"] == [{"text": CRITERION, "state": "failed", "said": "not there: README.md"}]


def test_what_a_person_wrote_meanwhile_stays(scene: Scene, shop: Path) -> None:
    edited = plan_text(shop).replace(f"- {CRITERION}", f"- another\n  - mine\n- {CRITERION}").replace("Tidy", "Clean")
    (shop / FILE).write_text(edited)
    asyncio.run(
        write(scene[0], scene[1], (CheckedCriterion(CRITERION, "passed", "x"), CheckedCriterion("a", "failed", "")))
    )
    assert plan_text(shop) == edited.replace(f"- {CRITERION}", f"- {CRITERION}\n  - passed: x")


@pytest.mark.parametrize("link", [True, False])
def test_a_plan_that_is_gone_or_a_link_is_left_alone(scene: Scene, shop: Path, tmp_path: Path, link: bool) -> None:
    (shop / FILE).rename(tmp_path / "plan.md")
    before = (tmp_path / "plan.md").read_text()
    if link:
        (shop / FILE).symlink_to(tmp_path / "plan.md")
    else:
        (shop / FILE).parent.rmdir()
    asyncio.run(write(scene[0], scene[1], (CheckedCriterion(CRITERION, "passed", "x"),)))
    assert (tmp_path / "plan.md").read_text() == before
    assert (shop / FILE).parent.exists() == link


def test_only_a_run_of_a_plan_has_criteria(scene: Scene) -> None:
    with pytest.raises(InternalError):
        asyncio.run(check(scene[0], replace(scene[1], task=FIX_ISSUES), scene[1].base, 0))
