"""What a person asked with `review`, as a frozen run: which change, which reviewers, what is done with findings."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.app.installation import Installation, find_installation
from reknit.app.start.review import ReviewRequest, plan_resumed_review, plan_review
from reknit.core.errors import UsageError
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec, UncommittedWork
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.codec import CODEC
from tests.adapters.git.users_git import git, head
from tests.tools.sample_tasks import FIX_TESTS

SIX = ["correctness", "security", "tests", "architecture", "performance", "maintainability"]
GO = "---\nlevel: blocking\nprefix: GOO\nlanguages: go\n---\nLook at Go.\n"


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    environment = {"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_CONFIG": str(tmp_path / "own" / "config.toml")}
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "config.toml").touch()
    return find_installation(environment)


@pytest.fixture
def branch(shop: Path) -> Path:
    """The demo's repository on a branch with one more commit."""
    git(shop, "checkout", "--quiet", "-b", "feature")
    (shop / "more.py").write_text("x = 1\n")
    git(shop, "add", "--all")
    git(shop, "commit", "--quiet", "--message=more")
    return shop


def spec_of(installation: Installation, folder: Path, **wanted: Any) -> RunSpec:
    return plan_review(installation, folder, ReviewRequest(**wanted), {}).spec


def refused(installation: Installation, folder: Path, **wanted: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        plan_review(installation, folder, ReviewRequest(**wanted), {})
    return caught.value


def keep(installation: Installation, spec: RunSpec) -> None:
    ledger = SqlRunLedger(open_store(installation.database))
    ledger.create(spec)
    ledger.put_document(spec.run_id, "spec", CODEC.serialize(spec))


def test_the_commits_of_the_branch_are_reviewed(installation: Installation, branch: Path) -> None:
    spec = spec_of(installation, branch)
    target = spec.task_as(ReviewChange)
    assert (spec.kind, spec.base, target.since) == ("review", head(branch), git(branch, "rev-parse", "main"))
    assert (target.about, target.progress, spec.uncommitted.on_top_of) == ("main...HEAD (1 file)", "PROGRESS.txt", "")
    assert [reviewer.name for reviewer, _ in target.reviewers] == SIX
    assert (target.strict, target.report_only, target.resumes) == (False, False, "")
    assert spec.tests.argv == ("python3", "run_tests.py", "{outbox}/report.xml")


def test_with_another_base_and_only_one_reviewer(installation: Installation, branch: Path) -> None:
    target = spec_of(installation, branch, base="HEAD~1", names=("security",), strict=True).task_as(ReviewChange)
    assert (target.about, target.strict) == ("HEAD~1...HEAD (1 file)", True)
    assert [reviewer.name for reviewer, _ in target.reviewers] == ["security"]


def test_what_is_staged_is_reviewed_on_top_of_the_last_commit(installation: Installation, shop: Path) -> None:
    (shop / "more.py").write_text("x = 1\n")
    git(shop, "add", "more.py")
    (shop / "more.py").write_text("edited after `git add`\n")
    spec = spec_of(installation, shop, staged=True)
    assert (spec.uncommitted.on_top_of, spec.task_as(ReviewChange).since) == (head(shop), head(shop))
    assert spec.task_as(ReviewChange).about == "what is staged (1 file)"
    trusted = TrustedGit(str(installation.runs / spec.run_id / "trusted.git"))
    assert trusted.read(spec.base, "more.py") == "x = 1\n"


def test_a_report_needs_no_tests(installation: Installation, branch: Path) -> None:
    (branch / "reknit.toml").write_text('fixer = "scripted"\n')
    git(branch, "rm", "--quiet", "-r", "tests", "run_tests.py")
    git(branch, "commit", "--quiet", "--all", "--message=no tests")
    assert spec_of(installation, branch, report_only=True).task_as(ReviewChange).report_only
    with pytest.raises(UsageError):
        spec_of(installation, branch)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        pytest.param({"names": ("nobody",)}, "reviewer", id="an unknown reviewer"),
        pytest.param({"base": "HEAD"}, "nothing-to-review", id="nothing differs"),
        pytest.param({"base": "nowhere"}, "no-such-base", id="no such base"),
        pytest.param({"staged": True}, "nothing-staged", id="nothing is staged"),
    ],
)
def test_what_cannot_be_reviewed_is_said(
    installation: Installation, branch: Path, wanted: dict[str, Any], name: str
) -> None:
    assert refused(installation, branch, **wanted).name == name


def test_on_main_without_anything_new_there_is_nothing_to_review(installation: Installation, shop: Path) -> None:
    assert refused(installation, shop).name == "nothing-to-review"


def test_a_reviewer_for_another_language_is_skipped_and_named(installation: Installation, branch: Path) -> None:
    git(branch, "checkout", "--quiet", "main")
    (branch / ".reknit" / "reviewers").mkdir(parents=True)
    (branch / ".reknit" / "reviewers" / "go.md").write_text(GO)
    git(branch, "add", "--all")
    git(branch, "commit", "--quiet", "--message=a reviewer")
    git(branch, "checkout", "--quiet", "feature")
    git(branch, "merge", "--quiet", "--message=main", "main")
    plan = plan_review(installation, branch, ReviewRequest(), {})
    assert plan.spec.task_as(ReviewChange).skipped == ("go",)
    assert "skipped, for other languages: go" in plan.notes


def test_the_progress_file_is_the_one_that_is_there_and_is_no_change(installation: Installation, branch: Path) -> None:
    (branch / "plans").mkdir()
    (branch / "plans" / "PROGRESS.txt").write_text("mine\n")
    (branch / "other.py").touch()
    spec = spec_of(installation, branch)
    assert spec.task_as(ReviewChange).progress == "plans/PROGRESS.txt"
    (branch / "PROGRESS.txt").touch()
    git(branch, "add", "plans")
    spec = spec_of(installation, branch)
    assert "PROGRESS.txt" not in spec.uncommitted.paths
    assert "other.py" in spec.uncommitted.paths


def test_who_reads(installation: Installation, branch: Path) -> None:
    agents = {"ann": {"kind": "scripted"}, "bob": {"kind": "scripted"}}
    flags = {"agents": agents, "review": {"agent": "ann", "second_opinion": "bob"}}
    target = plan_review(installation, branch, ReviewRequest(), flags).spec.task_as(ReviewChange)
    assert {agent.name for _, agent in target.reviewers} == {"ann"}
    assert target.second is not None and target.second.name == "bob"
    alone = spec_of(installation, branch)
    assert {agent.name for _, agent in alone.task_as(ReviewChange).reviewers} == {alone.agent.name}


def test_a_resumed_review_fixes_what_was_reported(installation: Installation, branch: Path) -> None:
    first = spec_of(installation, branch, report_only=True)
    keep(installation, first)
    again = plan_resumed_review(installation, branch, first.run_id, {}, strict=True).spec
    assert again.run_id != first.run_id
    assert (again.base, again.task_as(ReviewChange)) == (
        first.base, replace(first.task_as(ReviewChange), report_only=False, strict=True, resumes=first.run_id),
    )  # fmt: skip
    keep(installation, again)
    third = plan_resumed_review(installation, branch, again.run_id, {}).spec.task_as(ReviewChange)
    assert (third.resumes, third.strict) == (again.run_id, True)


def test_what_cannot_be_resumed_is_said(installation: Installation, branch: Path, tmp_path: Path) -> None:
    first = spec_of(installation, branch, report_only=True)
    others = {
        "r-else": (replace(first, run_id="r-else", repository=str(tmp_path)), "another-repository"),
        "r-staged": (
            replace(first, run_id="r-staged", uncommitted=UncommittedWork(on_top_of="a" * 40)),
            "not-resumable",
        ),
        "r-tests": (replace(first, run_id="r-tests", task=FIX_TESTS), "no-such-review"),
    }
    for spec, _ in others.values():
        assert CODEC.deserialize(CODEC.serialize(spec)) == spec
        keep(installation, spec)
    for run_id, name in {**{run_id: name for run_id, (_, name) in others.items()}, "r-0": "no-such-review"}.items():
        with pytest.raises(UsageError) as caught:
            plan_resumed_review(installation, branch, run_id, {})
        assert caught.value.name == name
