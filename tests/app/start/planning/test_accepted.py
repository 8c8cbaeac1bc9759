"""Which plan counts as accepted: by its text, never by its history."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import find_installation
from reknit.app.start.new_spec import RunPlan
from reknit.app.start.planning.accepted import accept_plan, is_own_text
from reknit.app.start.planning.plan import PlanRequest, plan_topic
from reknit.app.start.planning.variant import VariantRequest, plan_variant
from reknit.core.errors import UsageError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.planning.plan_file.plan import INDEX
from reknit.core.planning.plan_file.results import make_written_key
from reknit.core.planning.plan_gate import refuse_unaccepted
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine
from tests.tools.plot import git
from tests.tools.variant_scene import DEPENDABOT, FILE, write_plan

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


def bring_commit(origin: Path, clone: Path) -> None:
    git(clone, "checkout", "-q", "stranger")


def bring_squashed(origin: Path, clone: Path) -> None:
    git(clone, "merge", "-q", "--squash", "origin/stranger")


def bring_squashed_and_commit(origin: Path, clone: Path) -> None:
    bring_squashed(origin, clone)
    git(clone, "commit", "-q", "-m", "mine")


def bring_picked(origin: Path, clone: Path) -> None:
    git(clone, "cherry-pick", "-n", "origin/stranger")


def bring_on_the_default_branch(origin: Path, clone: Path) -> None:
    git(clone, "merge", "-q", "origin/stranger")
    git(clone, "update-ref", "refs/remotes/origin/main", "HEAD")


def bring_untracked(origin: Path, clone: Path) -> None:
    write_plan(clone)


def bring_amended(origin: Path, clone: Path) -> None:
    git(clone, "checkout", "-q", "stranger")
    git(clone, "commit", "-q", "--amend", "-m", "mine")


def bring_edited(origin: Path, clone: Path) -> None:
    git(clone, "checkout", "-q", "stranger")
    (clone / FILE).write_text((clone / FILE).read_text() + "\nAn entry that another program appended.\n")


WAYS = [
    bring_commit, bring_squashed, bring_squashed_and_commit, bring_picked, bring_on_the_default_branch,
    bring_untracked, bring_amended, bring_edited,
]  # fmt: skip


@pytest.mark.parametrize("bring", WAYS)
def test_a_plan_counts_by_its_text_and_never_by_how_it_came(
    reknit: CommandLine, root: Path, tmp_path: Path, bring: Callable[[Path, Path], None]
) -> None:
    git(root, "checkout", "-q", "-b", "stranger")
    write_plan(root, reknit.environment)
    assert plan(reknit, root).spec.task_as(FixIssues).variant, "accepted in another repository"
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "plan")
    git(root, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", str(root), "clone")
    clone = tmp_path / "clone"
    for key, value in (("user.name", "me"), ("user.email", "me@example.com")):
        git(clone, "config", key, value)
    bring(root, clone)
    problem = refused(reknit, clone)
    assert (problem.name, problem.message) == ("plan-refused", refuse_unaccepted(FILE, "tidy").message)
    assert "`reknit plan accept tidy`" in problem.help
    for _ in range(2):
        accept_plan(find_installation(reknit.environment), clone, "tidy")
        assert plan(reknit, clone).spec.task_as(FixIssues).variant


@pytest.mark.parametrize(
    ("old", "new", "is_trusted"),
    [
        pytest.param("exists\n", "exists\n  - passed: it is there\n", True, id="a result that a run wrote"),
        pytest.param("exists\n", "exists\n  - passed: it is there\n- run: true\n", False, id="one criterion more"),
        pytest.param(f"  - {DEPENDABOT}\n", f"  - {DEPENDABOT}\n  - .github/ci.yml\n", False, id="one grant more"),
        pytest.param("v1.0", "v1.1", False, id="another task"),
        pytest.param("## Tradeoffs\n", "## Tradeoffs\n\n", False, id="a blank line"),
    ],
)
def test_an_accepted_plan_may_get_results_and_nothing_else(
    reknit: CommandLine, root: Path, old: str, new: str, *, is_trusted: bool
) -> None:
    text = write_plan(root, reknit.environment)
    assert old in text
    (root / FILE).write_text(text.replace(old, new, 1))
    if is_trusted:
        assert plan(reknit, root).spec.task_as(FixIssues).variant
    else:
        assert "nobody has accepted the plan" in refused(reknit, root).message


def test_a_plan_of_an_own_run_counts_until_it_is_edited(reknit: CommandLine, root: Path) -> None:
    text = write_plan(root)
    installation = find_installation(reknit.environment)
    assert not is_own_text(installation, str(root), FILE, text)
    made = plan_topic(installation, root, PlanRequest("other", date(2026, 11, 18)), {"fixer": "claude"})
    database = open_store(installation.database)
    ledger = SqlRunLedger(database)
    ledger.create(made.spec)
    ledger.record_answer(make_written_key(str(root), FILE, text), made.spec.run_id)
    database.dispose()
    assert plan(reknit, root).spec.task_as(FixIssues).variant
    (root / FILE).write_text(f"{text}\n")
    with pytest.raises(UsageError, match="nobody has accepted the plan"):
        plan(reknit, root)


def test_what_nobody_could_run_is_not_accepted(reknit: CommandLine, root: Path) -> None:
    for changes in ({"status": "fallback"}, {"grants": ("*.yml",)}):
        write_plan(root, **changes)
        with pytest.raises(UsageError):
            accept_plan(find_installation(reknit.environment), root, FILE)
    assert not (find_installation(reknit.environment).state / "accepted_plans").exists()


def test_accepting_a_provisional_plan_changes_its_line_in_the_index(reknit: CommandLine, root: Path) -> None:
    write_plan(root, status="provisional")
    index = root / INDEX
    index.write_text("# Plans\n\n- [tidy-advisor.md](tidy-advisor.md): Tidy up; provisional; updated 2026-11-17\n")
    accept_plan(find_installation(reknit.environment), root, "tidy")
    assert index.read_text().endswith("Tidy up; current; updated 2026-11-17\n")
