"""Exploration: every field from a real repository, and a value for whatever fails."""

import os
import shutil
from pathlib import Path

import pytest

from reknit.app.installation import find_installation
from reknit.app.start.exploration.explore import explore
from reknit.core.errors import ReknitError
from tests.tools.explored_repository import FILES, TODAY, cloned, committed, explored, git, place_in
from tests.tools.github import GitHub
from tests.tools.pull_scene import SLUG, PullScene


def test_every_part_is_read(tmp_path: Path) -> None:
    clone = cloned(committed(tmp_path / "origin", FILES), tmp_path / "clone")
    (clone / "new.py").write_text("")
    found = explored(clone)
    assert (found.as_of, found.branch, found.default_branch, found.on_default_branch) == (
        "2026-11-17", "main", "main", True
    )  # fmt: skip
    assert [(each.subject, each.author, each.date) for each in found.commits] == [("feat: first", "Ann", "2026-09-21")]
    assert found.changed == ("new.py",)
    assert found.docs_stale == ("STATE.md", "docs/ARCHITECTURE.md")
    assert dict(found.docs[4].frontmatter) == {"title": "Größe", "tags": "[a, b]", "status": "stale"}
    assert found.state_age_days == 47
    assert (found.plans_index, found.plans) == (True, (".reknit/plans/one-advisor.md",))
    assert found.plans_index_frontmatter == (("title", "Plans"),)
    assert (found.inventory.tests, found.inventory.ci) == (
        ("python3 -m unittest",), "GitHub Actions, .github/workflows/ci.yml"
    )  # fmt: skip
    assert (found.inventory.mcp_servers, found.inventory.agent_files) == (("db", "web"), ("AGENTS.md",))
    assert (found.is_configured, found.problems) == (True, ())


def test_git_lists_its_files_once_and_runs_nothing_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = cloned(
        committed(tmp_path / "origin", {**FILES, ".gitattributes": "*.py filter=x diff=x\n"}), tmp_path / "clone"
    )
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    names = "core.fsmonitor core.pager diff.external filter.x.clean filter.x.smudge diff.x.textconv alias.log"
    for name in names.split():
        git(clone, "config", name, str(program))
    (clone / ".git" / "hooks" / "post-index-change").symlink_to(program)
    (clone / "src" / "a.py").write_text("A = 3\n")
    git(clone, "-c", "filter.x.clean=", "commit", "--quiet", "--message=x", "--", "src/a.py")
    (clone / "src" / "a.py").write_text("A = 4\n")
    (tmp_path / "ran").unlink(missing_ok=True)
    called = tmp_path / "called"
    (tmp_path / "path").mkdir()
    wrapper = tmp_path / "path" / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {called}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    found = explored(clone)
    assert not (tmp_path / "ran").exists()
    assert (found.branch_files, found.branch_lines, found.problems) == (1, 2, ())
    listed = [line for line in called.read_text().splitlines() if " ls-files " in line and "--others" not in line]
    assert len(listed) == 1
    git(clone, "status")
    assert (tmp_path / "ran").exists(), "the control"


@pytest.mark.parametrize(
    ("is_repository", "what"),
    [
        pytest.param(False, "is not in a git repository", id="no repository"),
        pytest.param(True, "has no commit yet", id="no commit"),
    ],
)
def test_what_cannot_be_explored_names_the_stage(tmp_path: Path, is_repository: bool, what: str) -> None:
    (tmp_path / "a").mkdir()
    if is_repository:
        git(tmp_path / "a", "init", "--quiet")
    with pytest.raises(ReknitError, match=what) as raised:
        explore(place_in(tmp_path), tmp_path / "a", TODAY)
    assert raised.value.message.startswith("exploration: ")
    assert raised.value.exit_code == 2


def test_new_plans_are_named_one_by_one(tmp_path: Path) -> None:
    """Git alone would only name the folder, and a rule has to know that nothing but plans is new."""
    root = committed(tmp_path / "a", {"x.py": ""})
    assert (explored(root).plans_index, explored(root).plans) == (False, ())
    (root / ".reknit" / "plans").mkdir(parents=True)
    (root / ".reknit" / "plans" / "one.md").write_text("x")
    (root / ".reknit" / "plans" / "index.md").write_text("[one](one.md)")
    found = explored(root)
    assert found.changed == (".reknit/plans/index.md", ".reknit/plans/one.md")
    assert found.plans == (".reknit/plans/one.md",)


def test_pull_requests_and_issues_come_from_the_forge(scene: PullScene, hub: GitHub) -> None:
    issue = hub.open_issue(SLUG, "slow")
    environment = {**scene.command.environment, "REKNIT_FORGE__API": hub.url}
    found = explore(find_installation(environment), scene.clone, TODAY)
    assert (found.has_forge_login, found.forge_problem) == (True, "")
    assert [pull.number for pull in found.pulls] == [scene.number]
    assert [each.number for each in found.issues] == [issue]
